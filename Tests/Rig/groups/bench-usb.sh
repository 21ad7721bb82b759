# about: checks of a USB camera on the bench rig: it is pulled out and plugged in, lies about its shutter, and falters
# time: virtual
# timeout: 300
# checks: 10

. "$here/bench.sh"

load_usb
grant_all
usb_path=/sys/devices/platform/vhci_hcd.0/usb1/1-1

# The programs of a plan, as they would power a port of a hub.
cat >plug <<END
#!/bin/sh
setsid "$judges/usbcam" --serial "\${1:-BENCH1}" --pictures "$rig/work/pictures" \${2:-} \${3:-} >/dev/null 2>&1 </dev/null &
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

use BENCH1
good camera.unplug "$cable" 'plug: [./plug]' 'for: 2 s'
good camera.hotplug "$cable" 'plug: [./plug]' 'times: 5'
good camera.controls
good camera.first_frame_decodes "$mode" 'size: 320x240' 'times: 5'

# The emulated camera says that its lens is covered, and shows the picture all the same.
twin camera.shutter uncovered "$mode" "close: [v4l2-ctl, -d, $(basename "$(ls -d "$usb_path"/*/video4linux/video* | head -n 1)" | sed 's|^|/dev/|'), -c, privacy=1]"

# It comes back as another one.
twin camera.hotplug ids_changed "$cable" 'plug: [./plug, BENCH2]' 'times: 2'

use BENCH3 --lie broken:1000:0
twin camera.first_frame_decodes broken "$mode" 'size: 320x240' 'times: 3'
use BENCH4 --lie truncated:9:7
twin camera.frozen unreadable "$mode" 'size: 320x240' 'for: 2 s'
use BENCH5 --lie same-id:9:7
twin camera.loss lost 'format: YUYV' 'size: 320x240' 'for: 2 s'

# Numbers of the part that came would be about another capture.
use BENCH6 --stall-at 20
made camera.loss 'format: YUYV' 'size: 320x240' 'for: 2 s'
equal "a camera that falls silent fails" 'fail 1' "$(jq -r .verdict result.json) $code"
