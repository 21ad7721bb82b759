# about: errors of a camera's driver: one picture, a call, the stream as a whole
# time: real
# timeout: 120
# checks: 24

load_vivid
watch_stalls
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
# What the recorder has used of a processor, in hundredths of a second.
ticks() { awk '{ print $14 + $15 }' /proc/$recorder/stat; }
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

# after MOMENT: milliseconds from `begun` to then, but for those in which the machine stood still.
after() { echo $((($1 - begun - $(stalled "$begun" "$1")) / 1000000)); }

# Whoever notices ends the stream, and the kernel sees that. `begun` is before v4l2-ctl starts: its time is in, too.
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

inject inject_vidioc_streamon_error
exits "a camera that does not start is told as that" 74 capturegate record new.mkv --camera "$camera" --microphone none --for 1s
said "with the call" 'VIDIOC_STREAMON'
refute "and no file is left" sh -c 'ls new.*'
inject inject_vidioc_reqbufs_error
exits "one that gives no memory is told as that" 74 capturegate record new.mkv --camera "$camera" --microphone none --for 1s
said "with the call" 'VIDIOC_REQBUFS'
refute "nor is here" sh -c 'ls new.*'
exits "after these the camera works as before" 0 capturegate record new.mkv --camera "$camera" --microphone none --for 1s
check "and the file decodes" decodes new.mkv

# Asked for a buffer after a fatal error, the driver says so at once; what lasts is a driver that is gone.
time=8s options=--reattach
begin env
unbind vivid vivid.0
sleep 1
before=$(ticks)
sleep 3
used=$(($(ticks) - before))
note "$((used * 10)) ms of the processor in 3 s without a driver"
bind vivid vivid.0
ended
check "while its driver is gone, a recording uses less than 5 % of a processor" [ $used -lt 15 ]
equal "and goes on with it afterwards" 0 $code
