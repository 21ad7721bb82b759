# about: a bench of labgrid's with a USB camera and its microphone runs a plan on the real drivers
# time: virtual
# timeout: 250
# python: labgrid.txt
# checks: 9

root=$package labgrid_python=$RIG_PYTHON
. "$package/Tests/lib/labgrid.sh"
modprobe vhci_hcd
modprobe uvcvideo
modprobe snd-usb-audio
"$judges/usbcam" --serial RIG0001 2>usbcam.txt &
wait_for 20 sh -c 'ls /dev/v4l/by-id/*RIG0001* /dev/snd/by-id/*RIG0001*'
udevadm settle

cp -r "$package/Samples/labgrid" $rig/tmp/lab
cp -r "$package/Samples/rig-plans" $rig/tmp/plans
cat >$rig/tmp/plans/short.yaml <<'YAML'
version: 1
include: [boards/webcam.yaml]
checks:
  - {check: camera.present, device: camera}
  - {check: sound.present, device: microphone}
  - {check: camera.timestamps, device: camera, format: YUYV, size: 320x240, rate: 30, for: 2 s}
  - {check: camera.loss, device: camera, format: YUYV, size: 320x240, rate: 30, for: 2 s}
  - {check: sound.xruns, device: microphone, for: 2 s}
YAML
grant_all
labgrid_begin $rig/tmp "$(command -v capturegate)" "RIG_PORT=1-1" "  USBVideo:
    match:
      '@ID_SERIAL_SHORT': RIG0001
  USBAudioInput:
    match:
      '@ID_SERIAL_SHORT': RIG0001
"
labgrid_wait labgrid_offers Audio
# Each resource has a block with its name, and in it what its device is.
labgrid-client -v resources >resources.txt
cp resources.txt /rigout/
check "labgrid knows the camera" grep -q "USBVideo" resources.txt
check "and its microphone" grep -q "USBAudioInput" resources.txt
lacks "neither is called away" "'avail': False" resources.txt

labgrid_place bench1 capture=webcam >/dev/null
exits "a plan runs on the bench that has the tag, and the tests pass" 0 labgrid_tests $rig/tmp/plans/short.yaml $rig/tmp/reports
cp "$tap_work/said.txt" $rig/tmp/*.txt /rigout/
said "all three of them, with a subtest for each result" '3 passed'
cp -r $rig/tmp/reports /rigout/
equal "all five checks pass" "pass pass pass pass pass" "$(jq -r '[.results[].verdict] | join(" ")' $rig/tmp/reports/report.json)"
equal "on the real drivers" "snd-usb-audio uvcvideo" "$(jq -r '[.results[].device.driver] | unique | join(" ")' $rig/tmp/reports/report.json)"
equal "of all frames none is lost" 0 \
    "$(jq -r '.results[] | select(.check == "camera.loss").measures[] | select(.name == "lost").value' $rig/tmp/reports/report.json)"
equal "the bench is free again" "" "$(labgrid_client reservations)"
labgrid_end
