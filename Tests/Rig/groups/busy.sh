# about: a list made while others capture opens none of their devices and costs them nothing
# time: virtual
# timeout: 120
# checks: 13

load_vivid
load_aloop pcm_substreams=1
camera=$(device_id "$camera_node")
microphone=$(device_id "$microphone_node")

# Opened for a look, or made to do something: what could disturb who has it.
opened='open(at|at2)?\([^"]*"/dev/(video|media|v4l|snd/pcm)'
started='VIDIOC_(STREAMON|REQBUFS|CREATE_BUFS|S_FMT|S_PARM|QBUF)|SNDRV_PCM_IOCTL_(HW_PARAMS|PREPARE|START|HW_REFINE)'
list() { strace -f -qq -e trace=open,openat,openat2,ioctl -o trace capturegate devices --json >"$1"; }

list idle
check "the trace would show an opened camera" grep -qE "$opened" trace
refute "a list of idle devices starts none" grep -E 'VIDIOC_(STREAMON|QBUF)|SNDRV_PCM_IOCTL_(PREPARE|START)' trace

v4l2-ctl -d "$camera_node" -p 30 --stream-mmap --stream-count=150 --stream-to=/dev/null --verbose >streamed 2>&1 &
filmer=$!
arecord -q -D hw:Loopback,1 -f dat -d 5 peer.wav &
hearer=$!
wait_for 10 grep -q 'seq: *3' streamed
wait_for 10 grep -q RUNNING /proc/asound/Loopback/pcm1c/sub0/status
list busy
cp trace busy streamed /rigout
check "v4l2-ctl and arecord capture on meanwhile" kill -0 $filmer $hearer
refute "a list opens no busy device" grep -E "$opened" trace
refute "and has none do anything" grep -E "$started" trace
entry() { jq -r --arg id "$1" ".devices[] | select(.id == \$id) | $2" busy; }
equal "it has the camera, and who holds it" "$filmer v4l2-ctl" "$(entry "$camera" '.busy_holder | "\(.pid) \(.command)"')"
equal "and the microphone, and who holds it" "$hearer arecord" "$(entry "$microphone" '.busy_holder | "\(.pid) \(.command)"')"

check "v4l2-ctl ends well" finish 20 $filmer
check "arecord does" finish 20 $hearer
equal "v4l2-ctl got its 150 pictures" 150 "$(grep -c 'seq:' streamed)"
check "none between them is missing" awk '{ sub(/.*seq: */, ""); n = $1 + 0; if (NR > 1 && n != last + 1) exit 1; last = n }' \
    streamed
check "arecord has its five seconds" between "$(duration peer.wav)" 5 5
