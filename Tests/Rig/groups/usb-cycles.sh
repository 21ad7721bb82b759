# about: plugged in and pulled out again and again, a watching program keeps no descriptor and no thread
# time: virtual
# timeout: 200
# long-timeout: 900
# checks: 7

modprobe vhci_hcd
modprobe uvcvideo
modprobe snd-usb-audio
# A hundred in the long run.
cycles=20
[ -z "${CAPTUREGATE_LONG:-}" ] || cycles=100
usb_path=/sys/devices/platform/vhci_hcd.0/usb1/1-1

has_come() { ls "$usb_path"/*/video4linux/video* && ls "$usb_path"/*/sound/card*/pcmC*c; }
has_gone() { ! ls "$usb_path"/*/video4linux/video*; }

# Of a process. Idle threads of a pool come and go, so they are counted at the end alone.
descriptors() { find "/proc/$1/fd" -type l | wc -l; }
threads() { find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l; }

as_on_terminal capturegate devices --watch --json >events &
watcher=$!
# told EVENT: how often of the camera.
told() { grep -c "\"event\":\"$1\",\"id\":\"camera:usb" events || true; }
seen() { [ "$(told "$1")" -ge "$2" ]; }

cycle() {
    "$judges/usbcam" --serial CYCLE 2>>usbcam.txt &
    camera=$!
    wait_for 20 has_come && wait_for 20 seen add "$1"
    kill $camera
    wait $camera || true
    wait_for 20 has_gone && wait_for 20 seen remove "$1"
}

wait_for 20 test -s events
cycle 1 && cycle 2
before=$(descriptors $watcher) threads_before=$(threads $watcher)
number=2
while [ $number -lt $cycles ] && cycle $((number + 1)); do number=$((number + 1)); done

equal "all cycles were made" $cycles $number
equal "each arrival was told" $cycles "$(told add)"
equal "and each departure" $cycles "$(told remove)"
note "descriptors $before, then $(descriptors $watcher); threads $threads_before, then $(threads $watcher)"
equal "no descriptor is left" "$before" "$(descriptors $watcher)"
check "no thread is left" [ "$(threads $watcher)" -le $((threads_before + 2)) ]
kill -INT $watcher
check "the watch ends well" finish 10 $watcher
check "without a complaint of the kernel" sh -c '! dmesg | grep -qE "BUG|WARNING|Oops"'
