# about: cameras plugged in and pulled out again and again, shuffled: each has its one id, and a watching program keeps nothing
# time: virtual
# timeout: 240
# long-timeout: 1200
# checks: 10

modprobe vhci_hcd
modprobe uvcvideo
modprobe snd-usb-audio
# A hundred in the long run.
cycles=20
[ -z "${CAPTUREGATE_LONG:-}" ] || cycles=100

# plug NAME PORT SERIAL
plug() {
    "$judges/usbcam" --port "$2" --serial "$3" 2>>usbcam.txt &
    eval "process_$1=$!"
}
pull() {
    eval "process=\$process_$1"
    kill "$process"
    wait "$process" || true
}

# One with a serial of its own, in another port each time; two that say the same; and one that says none.
cycle() { # NAME NUMBER
    pull "$1"
    wait_for 20 away
    case $1 in
        own) plug own $((3 + $2 % 4)) CYCLE ;;
        twin) plug twin 0 TWIN ;;
        other) plug other 1 TWIN ;;
        nameless) plug nameless 2 '' ;;
    esac
    wait_for 20 whole
}

# Of a process. Idle threads of a pool come and go, so they are counted at the end alone.
descriptors() { find "/proc/$1/fd" -type l | wc -l; }
threads() { find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l; }

as_on_terminal capturegate devices --watch --json >events &
watcher=$!
# The ids of what is there, by what the watch has told.
present() {
    jq -rn '[inputs | select(.id | contains(":usb-"))] | group_by(.id)[] | last | select(.event != "remove") | .id' events
}
count() { present | wc -l; }
away() { [ "$(count)" = 6 ]; }
all_there() { [ "$(count)" = 8 ] && [ "$(present | grep -c @)" = 6 ]; }
whole() { [ "$(present)" = "$first" ]; }
told() { grep -c "\"event\":\"$1\".*camera:usb.*CYCLE" events || true; }

wait_for 20 test -s events
plug twin 0 TWIN
plug other 1 TWIN
plug nameless 2 ''
plug own 3 CYCLE
check "each of four cameras and of their microphones is told" wait_for 20 all_there
first=$(present)
equal "the one with a serial of its own is named by it" 2 "$(echo "$first" | grep -c 'CYCLE$')"
equal "those that say the same, or nothing, are named by their ports, and ambiguous" "$(echo "$first" | grep @)" \
    "$(capturegate devices --json | jq -r '.devices[] | select(.ambiguity) | .id' | sort)"

# Each of the four, in an order that looks like none.
shuffle='other own nameless twin own other twin nameless twin own other nameless own twin nameless other own nameless other twin'
number=0 before=
while [ $number -lt $cycles ]; do
    for name in $shuffle; do
        [ $number -lt $cycles ] && cycle "$name" $number || break 2
        number=$((number + 1))
        [ $number != 4 ] || before=$(descriptors $watcher) threads_before=$(threads $watcher)
    done
done

equal "after each pulling and plugging, the same ids were there" $cycles $number
equal "each arrival of the certain one was told" $((cycles / 4 + 1)) "$(told add)"
equal "and each departure" $((cycles / 4)) "$(told remove)"
note "descriptors $before, then $(descriptors $watcher); threads $threads_before, then $(threads $watcher)"
equal "no descriptor is left" "$before" "$(descriptors $watcher)"
check "no thread is left" [ "$(threads $watcher)" -le $((threads_before + 2)) ]
kill -INT $watcher
check "the watch ends well" finish 10 $watcher
check "without a complaint of the kernel" sh -c '! dmesg | grep -qE "BUG|WARNING|Oops"'
