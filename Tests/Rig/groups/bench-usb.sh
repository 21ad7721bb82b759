# about: checks of a USB camera and its microphone on the bench rig: pulled out and plugged in, lying, faltering, or forgetting
# time: virtual
# timeout: 220
# long-timeout: 1800
# checks: 21
# long-checks: 25

. "$here/bench.sh"

load_usb
grant_all
usb_path=/sys/devices/platform/vhci_hcd.0/usb1/1-1

# The programs of a plan, as they would power a port of a hub.
cat >plug <<END
#!/bin/sh
setsid "$judges/usbcam" --serial "\${1:-BENCH1}" --pictures "$rig/work/pictures" \${2:-} \${3:-} \${4:-} >/dev/null 2>&1 </dev/null &
for attempt in \$(seq 200); do
    ls $usb_path/*/video4linux/video* >/dev/null 2>&1 && udevadm settle && exit 0
    sleep 0.05
done
exit 1
END
cat >pull <<END
#!/bin/sh
pkill -x usbcam
for attempt in \$(seq 200); do
    ls $usb_path/*/video4linux/video* >/dev/null 2>&1 || exit 0
    sleep 0.05
done
exit 1
END
chmod +x plug pull
use() { # SERIAL [OPTION...]: another camera
    ./pull
    ./plug "$@"
    camera=$(device_id "/dev/$(basename "$(ls -d "$usb_path"/*/video4linux/video* | head -n 1)")")
    echo "camera: {kind: camera, id: \"$camera\"}" >devices.yaml
}
cable='pull: [./pull]'
mode='format: MJPG'

note "seed $seed"
use BENCH1
good camera.unplug "$cable" 'plug: [./plug]' 'for: 1 s'
good camera.hotplug "$cable" 'plug: [./plug]' 'times: 2'
good camera.controls
good camera.modes
good camera.first_frame_decodes "$mode" 'size: 320x240' 'times: 5'

steady camera.unplug "$cable" 'plug: [./plug]' 'for: 1 s'
steady camera.hotplug "$cable" 'plug: [./plug]' 'times: 3'
steady camera.controls

# The program that records is stopped when the camera goes.
cat >pull-late <<END
#!/bin/sh
pkill -STOP -x capturegate
./pull
sleep 2
pkill -CONT -x capturegate
END
chmod +x pull-late
twin camera.unplug file_valid 'pull: [./pull-late]' 'plug: [./plug]' 'for: 1 s'

# The emulated camera says that its lens is covered, and shows the picture all the same.
twin camera.shutter uncovered "$mode" "close: [v4l2-ctl, -d, $(basename "$(ls -d "$usb_path"/*/video4linux/video* | head -n 1)" | sed 's|^|/dev/|'), -c, privacy=1]"

# It comes back as another one.
twin camera.hotplug ids_changed "$cable" 'plug: [./plug, BENCH2]' 'times: 1'

use BENCH3 --lie broken:1000:0
twin camera.first_frame_decodes broken "$mode" 'size: 320x240' 'times: 3'
use BENCH4 --lie truncated:9:7
twin camera.frozen unreadable "$mode" 'size: 320x240' 'for: 2 s'
use BENCH5 --lie same-id:9:7
twin camera.loss lost 'format: YUYV' 'size: 320x240' 'for: 2 s'

use BENCH7 --late 1500
twin camera.first_frame first_frame_max 'format: YUYV' 'size: 320x240' 'times: 2'
twin camera.reconfigure reconfigure_max 'times: 2'
use BENCH8 --slower 10
twin camera.rate frame_rate_error 'format: YUYV' 'size: 320x240' 'for: 3 s'
twin camera.low_light frame_rate_distance 'format: YUYV' 'size: 320x240' 'for: 3 s'
use BENCH9 --forgets
twin camera.controls wrong

# Numbers of the part that came would be about another capture.
use BENCH10 --stall-at 20
made camera.loss 'format: YUYV' 'size: 320x240' 'for: 2 s'
equal "a camera that falls silent fails" 'fail 1' "$(jq -r .verdict result.json) $code"
use BENCH10 --stall-at 2 --stays-silent
twin camera.modes failed "$(sampled 3)"

# Its microphone has a tone of 1 kHz at a quarter of full scale, a gain and a switch.
hear() {
    microphone=$(capturegate devices --json |
        jq -er --arg serial "$1" 'first(.devices[] | select(.capability == "microphone" and (.id | contains($serial))) | .id)') &&
        echo "microphone: {kind: microphone, id: \"$microphone\"}" >devices.yaml
}
tone='tone: 1000'
gain='control: mic_capture_volume'
use BENCH11
wait_for 10 hear BENCH11
good sound.controls
good sound.level "$tone" "$gain"
steady sound.controls
use BENCH12 --gainless
wait_for 10 hear BENCH12
twin sound.level gain_error_max "$tone" "$gain"
