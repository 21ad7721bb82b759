# What groups with an emulated USB camera say beside guest.sh, where a judge looks at what the camera sent and at what the kernel
# handed on. Sourced by those groups.

# plug SERIAL [OPTION...]: a camera with those habits. What it says it sent is in `sent`.
plug() {
    serial=$1
    shift
    "$judges/usbcam" --serial "$serial" --pictures pictures --log sent "$@" 2>>usbcam.txt &
    plugged=$!
    usb_path=/sys/devices/platform/vhci_hcd.0/usb1/1-1
    wait_for 20 has_come && udevadm settle
    camera_node=/dev/$(basename "$(ls -d "$usb_path"/*/video4linux/video* | head -n 1)")
    microphone_node=/dev/snd/$(basename "$(ls -d "$usb_path"/*/sound/card*/pcmC*c)")
    find_devices
}
has_come() { ls "$usb_path"/*/video4linux/video* && ls "$usb_path"/*/sound/card*/pcmC*c; }
has_gone() { ! ls "$usb_path"/*/video4linux/video*; }
unplug() {
    kill $plugged
    wait $plugged || true
    wait_for 20 has_gone && udevadm settle
}

# captured FILE [OPTION...]: a clip of the camera. What the kernel handed on meanwhile is in `seen`.
captured() {
    file=$1
    shift
    rm -f sent seen
    env "CAPTUREGATE_DEQUEUED=$rig/work/seen" "LD_PRELOAD=${driver:-} $judges/dequeued.so" \
        capturegate record "$file" --json --camera "$camera" "$@" >events.ndjson
}
count() { ledger events.ndjson ".ledger.tracks[0].$1"; }
# told KIND: how many of that kind the camera sent of those that the clip asks for.
told() { head -n "$(count asked)" sent | grep -c " $1\$" || true; }
