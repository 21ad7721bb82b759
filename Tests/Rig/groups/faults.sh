# about: whatever call fails, recording a camera recovers or ends with an error that helps, and leaves nothing
# time: virtual
# timeout: 200
# checks: 2

load_vivid
sweep_faults camera "$(device_id "$camera_node")"
