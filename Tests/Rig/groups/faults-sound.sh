# about: whatever call fails, recording a microphone recovers or ends with an error that helps, and leaves nothing
# time: virtual
# timeout: 120
# long-timeout: 900
# checks: 2

load_aloop
sweep_faults 400 microphone "$(device_id "$microphone_node")" --milliseconds 60 --all
