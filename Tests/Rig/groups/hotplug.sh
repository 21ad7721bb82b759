# about: devices --watch tells of unplugging and plugging within 500 ms
# time: real
# timeout: 120
# checks: 12

load_vivid
load_aloop
camera=$(device_id "$camera_node")
microphone=$(device_id "$microphone_node")

watch_stalls
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
    stood=$(stalled "$begin" "$came")
    milliseconds=$(((came - begin - stood) / 1000000))
    note "$event after $milliseconds ms, besides the machine standing still for $((stood / 1000000)) ms"
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
