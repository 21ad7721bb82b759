# about: x
# time: virtual
# timeout: 60
# checks: 1
load_still_vivid
load_aloop pcm_substreams=1
grant_all
camera=$(device_id "$camera_node")
microphone=$(device_id "$microphone_node")
arecord -D hw:Loopback,1 --dump-hw-params -d 1 -s 1 -t raw /dev/null || true
arecord -D hw:Loopback,1 --dump-hw-params -d 1  /dev/null || true
LD_PRELOAD="$judges/late.so" LATE_MICROSECONDS=300000 capturegate record clip.mkv --json --camera "$camera" --microphone "$microphone" --size 320x180 --for 2s
v4l2-ctl -d "$camera_node" -p 30 --stream-mmap --stream-count=9 --stream-to=/dev/null --verbose 2>&1 | tail -12
cat /proc/1/stat
pass x
