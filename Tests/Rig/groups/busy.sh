# about: a list made while others capture opens none of their devices and costs them nothing
# time: virtual
# timeout: 120
# checks: 11

load_vivid
load_aloop pcm_substreams=1
find_devices

# Each opening, and each request to a device with the name of its node.
list() { strace -f -qq -y -e trace=open,openat,openat2,ioctl -o trace capturegate devices --json >"$1"; }
nodes="$camera_node|$microphone_node"

list idle
check "the trace would show an opened camera and an opened microphone" \
    [ "$(grep -oE "open.*\"($nodes)\"" trace | grep -oE "$nodes" | sort -u | wc -l)" = 2 ]
lacks "a list of idle devices has none capture" 'VIDIOC_(STREAMON|QBUF)|SNDRV_PCM_IOCTL_(PREPARE|START)' trace

v4l2-ctl -d "$camera_node" -p 30 --stream-mmap --stream-count=150 --stream-to=/dev/null --verbose >streamed 2>&1 &
filmer=$!
arecord -q -D hw:Loopback,1 -f dat -d 5 peer.wav &
hearer=$!
wait_for 10 grep -q 'seq: *3' streamed
wait_for 10 grep -q RUNNING /proc/asound/Loopback/pcm1c/sub0/status
list busy
check "v4l2-ctl and arecord capture on meanwhile" kill -0 $filmer $hearer
lacks "a list opens no busy device and asks none for anything" "$nodes" trace
holder() { jq -r --arg id "$1" '.devices[] | select(.id == $id).busy_holder | "\(.pid) \(.command)"' busy; }
equal "it has the camera, and who holds it" "$filmer v4l2-ctl" "$(holder "$camera")"
equal "and the microphone, and who holds it" "$hearer arecord" "$(holder "$microphone")"

check "v4l2-ctl ends well" finish 20 $filmer
check "arecord does" finish 20 $hearer
equal "v4l2-ctl got its 150 frames" 150 "$(grep -c 'seq:' streamed)"
sed -n 's/.*seq: *\([0-9]*\).*/\1/p' streamed >numbers
check "none between them is missing" awk 'NR > 1 && $1 != last + 1 { exit 1 } { last = $1 }' numbers
check "arecord has its five seconds" between "$(duration peer.wav)" 5 5
