# about: a sound card whose clock is 500 ppm slow or fast, and a camera's: picture and sound stay together
# time: virtual
# timeout: 250
# long-timeout: 3600
# checks: 62

# Three minutes each way: a clock is then measured within 5 ppm. After one minute it is not. In the long run half an hour.
seconds=180
[ -z "${CAPTUREGATE_LONG:-}" ] || seconds=1800

load_still_vivid
# Its pictures are then stamped as webcams stamp theirs, when they begin.
v4l2-ctl -d "$camera_node" -c timestamp_source=1
load_aloop
grant_all

find_devices
# Tests/Probes/Drift makes the clips and judges them.
adopt "$(beside Drift)" $seconds "$camera_node" "$camera" "$microphone" "$judges" "$here"
