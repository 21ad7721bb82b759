# about: whatever call fails, recording a camera recovers or ends with an error that helps, and leaves nothing
# time: virtual
# timeout: 120
# long-timeout: 300
# checks: 2

load_vivid
sweep_faults 300 camera "$(device_id "$camera_node")" --milliseconds 60
