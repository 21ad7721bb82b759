# about: cameras are plugged in and pulled out again and again: each keeps its id, and a watching program keeps nothing
# time: virtual
# timeout: 150
# long-timeout: 400
# checks: 10

modprobe vhci_hcd
modprobe uvcvideo
modprobe snd-usb-audio
cycles=${CAPTUREGATE_LONG:+100}
cycles=${cycles:-25}

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

# The ids of what is there, by what the watch has told. It is read on from where the last look ended: programs that read
# all of it each time would take most of the group's time.
present=' '
listen() {
    while read -r line <&3; do
        id=${line#*'"id":"'} id=${id%%'"'*}
        case $line in
            *'"event":"add"'*:usb-*) present="$present$id " ;;
            *'"event":"remove"'*:usb-*) present="${present%%" $id "*} ${present#*" $id "}" ;;
        esac
    done
}
sorted() { echo "$1" | tr ' ' '\n' | sort | grep .; }
# there COUNT: so many cameras and microphones are.
there() {
    listen
    expected=$1
    # shellcheck disable=SC2086 # some words
    set -- $present
    [ $# = "$expected" ]
}
whole() {
    there 8 || return 1
    for id in $first; do case $present in *" $id "*) ;; *) return 1 ;; esac; done
}

# One with a serial of its own, in another port each time; two that say the same, of which the other has the plain name
# while it is alone; and one that says none. Each is a camera and a microphone.
cycle() { # NAME NUMBER
    pull "$1"
    wait_for 20 there 6 || return
    case $1 in
        own) plug own $((3 + $2 % 4)) CYCLE ;;
        twin) plug twin 0 TWIN ;;
        other) plug other 1 TWIN ;;
        nameless) plug nameless 2 '' ;;
    esac
    wait_for 20 whole
}

# Of the watching process.
look_at_descriptors() { set -- "/proc/$watcher/fd/"* && descriptors=$#; }
look_at_threads() { set -- "/proc/$watcher/task/"* && threads=$#; }

as_on_terminal capturegate devices --watch --json >events &
watcher=$!
told() { grep -c "\"event\":\"$1\".*camera:usb.*CYCLE" events || true; }

wait_for 20 test -s events
exec 3<events
plug twin 0 TWIN
plug other 1 TWIN
plug nameless 2 ''
plug own 3 CYCLE
check "each of four cameras and of their microphones is told" wait_for 20 there 8
first=$(sorted "$present")
equal "the one with a serial of its own is named by it" 2 "$(echo "$first" | grep -c 'CYCLE$')"
equal "those that say the same, or nothing, are named by their ports, and ambiguous" "$(echo "$first" | grep @)" \
    "$(capturegate devices --json | jq -r '.devices[] | select(.ambiguity) | .id' | sort)"

# Each of the four, in an order that looks like none.
shuffle='other own nameless twin own other twin nameless twin own other nameless own twin nameless other own nameless other twin'
number=0 owns=0 most_descriptors=0 most_threads=0
while [ $number -lt $cycles ]; do
    for name in $shuffle; do
        [ $number -lt $cycles ] && cycle "$name" $number || break 2
        number=$((number + 1))
        [ "$name" != own ] || owns=$((owns + 1))
        look_at_descriptors
        look_at_threads
        [ $number -gt 10 ] || most_threads=$((threads > most_threads ? threads : most_threads))
        [ $number != 10 ] || most_descriptors=$descriptors
    done
done

equal "after each pulling and plugging, the same ids were there" $cycles $number
equal "each arrival of the certain one was reported, once" $((owns + 1)) "$(told add)"
equal "and each departure" $owns "$(told remove)"
udevadm settle
look_at_descriptors
look_at_threads
note "descriptors $most_descriptors after ten cycles, $descriptors in the end; threads $most_threads, then $threads"
equal "no descriptor is left" "$most_descriptors" "$descriptors"
# A pool's idle threads come and go, so there may be fewer. It makes no more than are busy at one time, and ten cycles show how
# many that is. One left by each later cycle would be fifteen.
check "and no thread" [ "$threads" -le "$most_threads" ]
kill -INT $watcher
check "the watch ends well" finish 10 $watcher
dmesg >messages
lacks "without a complaint of the kernel" 'BUG|WARNING|Oops' messages
