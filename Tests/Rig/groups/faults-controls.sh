# about: whatever call fails, a visit to controls recovers or ends with an error that helps, and leaves nothing
# time: virtual
# timeout: 100
# long-timeout: 900
# checks: 4

load_vivid
modprobe snd-dummy
udevadm settle
dummy=$(device_id "pcmC$(readlink /proc/asound/Dummy | tr -dc 0-9)D0c")
sweep_faults 60 camera-controls "$(device_id "$camera_node")"
sweep_faults 60 microphone-controls "$dummy"
