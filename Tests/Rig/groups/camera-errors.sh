# about: errors of a camera's driver: one picture, a call, the stream as a whole
# time: virtual
# timeout: 120
# checks: 46

load_vivid
grant_all
camera=$(device_id "$camera_node")

# inject CONTROL: one of vivid's buttons.
inject() { v4l2-ctl -d "$camera_node" -c "$1=1"; }

# begin COMMAND...: that records, in the background, until a second of pictures has come.
begin() {
    : >events.ndjson
    "$@" capturegate record clip.mkv --force --json --camera "$camera" --microphone none --size 640x360 --fps 30 \
        --for "${time:-60s}" ${options:-} >events.ndjson 2>said &
    recorder=$!
    wait_for 20 recording events.ndjson
    sleep 1
}
ended() {
    code=0
    finish 20 $recorder || code=$?
}
count() { ledger events.ndjson ".ledger.tracks[0].$1"; }

time=3s
begin env
inject inject_v4l2_buf_flag_error
ended
equal "a picture marked as damaged is no reason to end" 0 $code
equal "it is counted as what it is" 1 "$(count lost.corrupt)"
equal "and is not in the file" "$(count delivered)" "$(frame_count clip.mkv)"
equal "delivered and lost are what was made" "$(count asked)" "$(($(count delivered) + $(count 'lost | add')))"
time=60s

# after MOMENT: milliseconds from `begun` to then.
after() { echo $((($1 - begun) / 1000000)); }

# Whoever notices ends the stream, and the kernel sees that. `begun` is before v4l2-ctl starts, so its start-up counts, too.
begin env "CAPTUREGATE_DEQUEUED=$rig/work/seen" "LD_PRELOAD=$judges/dequeued.so"
begun=$(nanoseconds)
inject inject_fatal_streaming_error
ended
over=$(nanoseconds)
noticed=$(awk '$2 == "off" { print $1; exit }' seen)
note "the stream was ended after $(after "$noticed") ms, the program after $(after "$over") ms"
equal "a fatal error of the stream ends the recording with 74" 74 $code
equal "and says why" failure "$(ledger events.ndjson .reason)"
check "it is noticed after the error" [ "$noticed" -gt "$begun" ]
check "within 200 ms" [ "$(after "$noticed")" -le 200 ]
check "and the program has ended within 500 ms" [ "$(after "$over")" -le 500 ]
check "the error names the call and the device" grep -q "vivid-000-vid-cap.*failed (VIDIOC_" said
check "the file decodes to its end" decodes clip.mkv
equal "and has what was delivered" "$(count delivered)" "$(frame_count clip.mkv)"

# poll(2) returns at once from then on: who goes on polling burns a processor until somebody notices.
begin strace -f -qq -o trace -e trace=poll,ppoll,epoll_wait,epoll_pwait,ioctl
inject inject_fatal_streaming_error
ended
equal "the same with each call watched" 74 $code
failed=$(grep -nE 'VIDIOC_(DQBUF|QBUF).* = -1 E(IO|PIPE|INVAL)' trace | head -n 1 | cut -d : -f 1)
polled=$(grep -nE 'POLLERR|EPOLLERR' trace | head -n 1 | cut -d : -f 1)
note "poll told of it in line ${polled:-none} of the trace, a call failed in line ${failed:-none} of $(wc -l <trace)"
check "the capture polls no more after it was told" [ "$(sed "1,${failed:-0}d" trace | grep -c 'EPOLLERR\|POLLERR')" -le 3 ]

# trouble KIND [MS]: a recording whose driver falls into trouble, for so long or for ever, after two seconds of pictures.
# Sets $lasted: milliseconds of it until the program ended the stream; $busy: microseconds of processor that the capture thread
# used meanwhile; $asked: how often it asked for a picture in vain.
trouble() {
    rm -f troubled
    begin env "CAPTUREGATE_TROUBLE=$1" CAPTUREGATE_TROUBLE_AFTER=60 ${2:+"CAPTUREGATE_TROUBLE_FOR=$2"} \
        "CAPTUREGATE_TROUBLED=$rig/work/troubled" "LD_PRELOAD=$judges/troubled.so"
    ended
    read -r begun _ thread process _ <troubled
    read -r noticed _ thread_then process_then asked <<EOF
$(tail -n 1 troubled)
EOF
    lasted=$(after "$noticed") busy=$((thread_then - thread))
    note "$1: $lasted ms, the capture thread used $((busy / 1000)) of them and asked $asked times in vain," \
        "the program used $(((process_then - process) / 1000))"
}
# waits_between: the capture thread asks with pauses: once in 10 ms, but for the first times and once a restart.
waits_between() { [ "$asked" -le $((lasted / 10 + 20)) ]; }

trouble error
equal "a driver whose error state stays without a word ends the recording with 74" 74 $code
check "the error names the device, and the call that told of it" grep -q "vivid-000-vid-cap.*failed (poll" said
check "it is noticed within 200 ms" [ "$lasted" -le 200 ]
check "with pauses in between" waits_between
check "at little of a processor" spared $busy "$begun" "$noticed"
check "the file decodes" decodes clip.mkv
equal "and has what was delivered" "$(count delivered)" "$(frame_count clip.mkv)"

trouble readable
equal "one that calls for ever for nothing ends it with 69" 69 $code
check "the error names the device" grep -q "vivid-000-vid-cap.*stopped delivering" said
check "not before half a second and another half are over" [ "$lasted" -ge 900 ]
check "but soon after them and a restart" [ "$lasted" -le 1300 ]
check "with pauses in between" waits_between
check "at little of a processor" spared $busy "$begun" "$noticed"
check "the file decodes" decodes clip.mkv

trouble io
equal "one that answers with errors alone ends it with 74" 74 $code
equal "at the first of them" 1 "$asked"
check "within 200 ms" [ "$lasted" -le 200 ]
check "and the file decodes" decodes clip.mkv

time=5s
trouble error 100
equal "an error state of a tenth of a second is no reason to end" 0 $code
equal "whose pictures are counted" "$(count asked)" "$(($(count delivered) + $(count 'lost | add')))"
trouble readable 600
equal "nor are calls for nothing that end with a restart" 0 $code
equal "whose pictures are counted" "$(count asked)" "$(($(count delivered) + $(count 'lost | add')))"
time=60s

inject inject_vidioc_streamon_error
exits "a camera that does not start is told as that" 74 capturegate record new.mkv --camera "$camera" --microphone none --for 1s
said "with the call" 'VIDIOC_STREAMON'
absent "and no file is left" new.*
inject inject_vidioc_reqbufs_error
exits "one that gives no memory is told as that" 74 capturegate record new.mkv --camera "$camera" --microphone none --for 1s
said "with the call" 'VIDIOC_REQBUFS'
absent "nor is here" new.*
exits "after these the camera works as before" 0 capturegate record new.mkv --camera "$camera" --microphone none --for 1s
check "and the file decodes" decodes new.mkv

# Asked for a buffer after a fatal error, the driver says so at once; what lasts is a driver that is gone.
time=8s options=--reattach
begin metered
unbind vivid vivid.0
sleep 1
begun=$(nanoseconds) busy=$(used)
sleep 3
busy=$(($(used) - busy)) noticed=$(nanoseconds)
note "$((busy / 1000)) ms of the processor in 3 s without a driver"
bind vivid vivid.0
ended
check "while its driver is gone, a recording uses little of a processor" spared $busy "$begun" "$noticed"
equal "and goes on with it afterwards" 0 $code
