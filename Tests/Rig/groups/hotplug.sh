# about: devices --watch reports plugging and unplugging within 500 ms, and misses none while it starts
# time: virtual
# timeout: 120
# checks: 15

load_vivid
load_aloop
find_devices

mkfifo watch
"$judges/monotonic" stamp <watch >events &
as_on_terminal capturegate devices --watch --json >watch &
watcher=$!
check "the watch tells what is there" wait_for 20 grep -qF "$camera" events

# seen EVENT ID SINCE: the time in ns of the first such event after the line number SINCE.
seen() {
    tail -n "+$(($3 + 1))" events | sed 's/^\([0-9]*\) \(.*\)/\2/' >after
    line=$(jq -r --arg event "$1" --arg id "$2" \
        'select(.event == $event and ((.device.id? // .id) == $id)) | input_line_number' after | head -n 1)
    [ -n "$line" ] && tail -n "+$(($3 + line))" events | head -n 1 | cut -d' ' -f1
}

# told EVENT ID COMMAND...: the event comes, and within 500 ms of the command's end.
told() {
    event=$1 id=$2 since=$(wc -l <events)
    shift 2
    "$@"
    begin=$(nanoseconds)
    check "'$event' is told of $id" wait_for 10 seen "$event" "$id" "$since"
    came=$(seen "$event" "$id" "$since")
    milliseconds=$(((came - begin) / 1000000))
    note "$event after $milliseconds ms"
    check "within 500 ms" [ "$milliseconds" -le 500 ]
}

told remove "$camera" unbind vivid vivid.0
told add "$camera" bind vivid vivid.0
told remove "$microphone" unbind snd_aloop snd_aloop.0
told add "$microphone" bind snd_aloop snd_aloop.0

camera_node=/dev/$(basename "$(echo /sys/devices/platform/vivid.0/video4linux/video*)")
equal "the camera has its old id in a fresh list" "$camera" "$(device_id "$camera_node")"
kill -INT $watcher
check "the watch ends well on Ctrl-C" finish 10 $watcher
check "every line of it is JSON" sh -c "cut -d' ' -f2- events | jq -e . >/dev/null"

# Between its look at what is there and its watch nothing is lost: the camera comes or goes at another moment of each
# beginning, and in the end the watch must know what is true.
last_word() { jq -r --arg id "$camera" 'select(.id == $id) | .event' again | tail -n 1; }
is_plugged() { [ -e /sys/devices/platform/vivid.0/video4linux ]; }
knows() {
    case $(last_word) in
        add | change) is_plugged ;;
        remove | '') ! is_plugged ;;
    esac
}

# begin_and COMMAND SECONDS: runs the command this long after the start. Writes a line: whether the watch knew the truth in the
# end, and whether it reported the change or found it done.
begin_and() {
    : >again
    as_on_terminal capturegate devices --watch --json >again &
    watcher=$!
    sleep "$2"
    "$1" vivid vivid.0
    udevadm settle
    wait_for 20 grep -qF "$microphone" again
    # Then it must still be so after a while.
    wait_for 10 knows || true
    sleep 0.5
    outcome=wrong
    ! knows || outcome=right
    told=$(jq -r --arg id "$camera" 'select(.id == $id and (.initial | not)) | .event' again | head -n 1)
    echo "$outcome ${told:-found}" >>beginnings
    kill -INT $watcher
    finish 10 $watcher
}
# Close together at first: in virtual time a program starts within some milliseconds, and a slow machine needs more of them.
for seconds in 0 0.003 0.007 0.015 0.04 1; do
    begin_and unbind $seconds
    begin_and bind $seconds
done
note "12 beginnings: $(sort beginnings | uniq -c | tr -s ' \n' ' ')"
equal "each of 12 watches that begin while a camera comes or goes knows in the end which it was" 12 \
    "$(grep -c '^right ' beginnings)"
check "some found it so" grep -q ' found$' beginnings
check "and some were told" grep -qE ' (add|remove)$' beginnings
