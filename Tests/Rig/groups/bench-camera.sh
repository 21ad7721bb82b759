# about: checks of a camera on the bench rig: each passes on a good vivid, and finds the fault of its twin
# time: virtual
# timeout: 260
# long-timeout: 1800
# checks: 47
# long-checks: 52

. "$here/bench.sh"

note "seed $seed"
load_vivid
grant_all
camera=$(device_id "$camera_node")
echo "camera: {kind: camera, id: \"$camera\"}" >devices.yaml
# A format of its own for each check: another one leaves the driver in whatever it tried last.
mode='size: 640x360
    format: YUYV'

# control NAME=VALUE...: a command of a plan that sets controls of the camera.
control() { echo "{run: [v4l2-ctl, -d, \"$camera_node\", -c, \"$1\"]}"; }

good camera.present
good camera.rate "$mode" 'for: 3 s'
good camera.constant_rate "$mode" 'for: 3 s'
# vivid counts ticks of a millisecond: its frames come after 33 and 34 of them.
ticks='limits: {interval_variance: {most: 0.3}, interval_gap_max: {most: 1}}'
good camera.jitter "$mode" 'for: 3 s' "$ticks"
good camera.local_drops "$mode" 'for: 3 s'
good camera.loss "$mode" 'for: 3 s'
good camera.timestamps "$mode" 'for: 3 s'
good camera.first_frame_decodes "$mode" 'times: 5'
good camera.first_frame "$mode" 'times: 3'
good camera.reconfigure 'times: 3'
good camera.cycles 'size: 320x180' 'format: YUYV'
good camera.sharing
good camera.frozen "$mode" 'for: 3 s'
good camera.exposure "$mode" 'for: 3 s'
good camera.low_light "$mode" 'for: 3 s' "before: [$(control brightness=0)]" "after: [$(control brightness=128)]"
good camera.required_modes 'modes: [320x180@30, 640x360@30]'
good camera.modes 'frames: 2' "$(sampled 120)"
good camera.controls
accepted camera.capabilities
good camera.capabilities
accepted camera.sharpness "$mode"
good camera.sharpness "$mode"
good gate.holds
good host.scheduling 'for: 1 s'
good camera.soak "$mode" 'for: 15 s' 'settle: 5 s'
steady camera.sharing
steady camera.controls
steady gate.holds
steady camera.cycles 'size: 320x180' 'format: YUYV'
twin camera.required_modes missing 'modes: [321x181@30]'

# A pixel more or less in the picture is another sharpness: black bars have hardly any edge.
v4l2-ctl -d "$camera_node" -c test_pattern=9
twin camera.sharpness sharpness_change "$mode"
twin camera.frozen black "$mode" 'for: 1 s' "before: [$(control brightness=0,contrast=0)]"
v4l2-ctl -d "$camera_node" -c test_pattern=0,brightness=128,contrast=128

# Without text the picture is the same in each frame, to the bit.
v4l2-ctl -d "$camera_node" -c osd_text_mode=2
bits='limits: {crc_mismatches: {most: 0}}'
accepted camera.pixels "$mode" "$bits"
good camera.pixels "$mode" "$bits"
v4l2-ctl -d "$camera_node" -c brightness=127
twin camera.pixels crc_mismatches "$mode" "$bits"
v4l2-ctl -d "$camera_node" -c brightness=128,test_pattern=9
twin camera.pixels ssim "$mode"
v4l2-ctl -d "$camera_node" -c test_pattern=0,osd_text_mode=0

# The brightness goes up and down, and never settles.
"$judges/brightness" "$camera_node" flicker 32 224 50 &
hunting=$!
twin camera.exposure exposure_change "$mode" 'for: 2 s'
kill $hunting
v4l2-ctl -d "$camera_node" -c brightness=128

# A machine that has other things to do: the driver's thread is late, and so are its stamps.
busy
twin camera.constant_rate interval_deviation_max "$mode" 'for: 1 s'
twin camera.jitter interval_variance "$mode" 'for: 1 s'
kill $busy

# One frame of five is never made: the numbers tell, and times tell it where it is about times.
v4l2-ctl -d "$camera_node" -c percentage_of_dropped_buffers=20
twin camera.loss lost "$mode" 'for: 3 s'
twin camera.local_drops local_drop "$mode" 'for: 3 s'
twin camera.soak lost "$mode" 'for: 15 s' 'settle: 5 s'
twin camera.cycles failed 'size: 320x180' 'format: YUYV'
v4l2-ctl -d "$camera_node" -c percentage_of_dropped_buffers=0

# Stamps of another age, which are repaired, and counted.
v4l2-ctl -d "$camera_node" -c wrap_timestamp=1
twin camera.timestamps timestamps_repaired "$mode" 'for: 1 s'
v4l2-ctl -d "$camera_node" -c wrap_timestamp=0

# A golden file that lacks what the camera says.
sed -i '1d' golden/camera.capabilities.camera.txt
twin camera.capabilities added

# v4l2-compliance finds the same each time. It leaves the driver in whatever it tried last.
accepted camera.compliance
good camera.compliance
steady camera.compliance
sed -i '1d' golden/camera.compliance.camera.txt
twin camera.compliance new_failures

unbind vivid vivid.0
made camera.present
equal "twin camera.present fails by missing it" 'miss 69' "$(jq -r .verdict result.json) $code"
made camera.loss
equal "a camera that is not there is missed" 'miss 69' "$(jq -r .verdict result.json) $code"
bind vivid vivid.0
udevadm settle
capturegate revoke camera
made camera.loss
check "without a grant nobody is asked, and nothing is a pass" jq -e '.verdict == "error"' result.json
