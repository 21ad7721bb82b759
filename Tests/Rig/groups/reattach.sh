# about: a recording waits for an unplugged device and goes on with it, the gap counted; what is revoked meanwhile stays closed
# time: virtual
# timeout: 150
# checks: 19

load_vivid
load_aloop
grant_all
camera=$(device_id "$camera_node")
microphone=$(device_id "$microphone_node")

# begin FILE OPTION...: records in the background, until it captures.
begin() {
    : >events.ndjson
    capturegate record "$@" --json --reattach="${patience:-20s}" >events.ndjson 2>said &
    recorder=$!
    wait_for 20 recording events.ndjson
    sleep 1
}
ended() {
    code=0
    finish 30 $recorder || code=$?
}
count() { track events.ndjson "$1" frames; }
lost() { ledger events.ndjson "first(.ledger.tracks[] | select(.kind == \"$1\")) | .lost | add"; }

begin camera.mkv --camera "$camera" --microphone none --size 640x360 --fps 30 --for 6s
unbind vivid vivid.0
sleep 2
bind vivid vivid.0
ended
equal "a camera that comes back is recorded to the end" 0 $code
equal "the recording is complete" complete "$(ledger events.ndjson .reason)"
check "the file decodes" decodes camera.mkv
check "it is as long as asked" between "$(duration camera.mkv)" 5.96 6.04
check "the two seconds and what its return took are lost, no more than two more" between "$(lost video)" 58 120
check "delivered and lost are six seconds of pictures" between "$(($(frame_count camera.mkv) + $(lost video)))" 179 181
equal "the camera has its old id" "$camera" "$(device_id "/dev/$(basename "$(echo /sys/devices/platform/vivid.0/video4linux/video*)")")"

begin microphone.wav --microphone "$microphone" --camera none --for 6s
unbind snd_aloop snd_aloop.0
sleep 2
bind snd_aloop snd_aloop.0
ended
equal "a microphone that comes back is recorded to the end" 0 $code
check "the file decodes" decodes microphone.wav
equal "it is as long as asked, to the sample" 6.000000 "$(duration microphone.wav)"
check "the two seconds and what its return took are lost, no more than two more" between "$(lost audio)" 94000 192000
equal "and are silence in the file" "$(lost audio)" "$(ledger events.ndjson '.ledger.tracks[0].filled')"

begin revoked.mkv --camera "$camera" --microphone none --size 640x360 --fps 30 --for 20s
unbind vivid vivid.0
sleep 1
capturegate revoke camera >/dev/null
begun=$(nanoseconds)
bind vivid vivid.0
ended
equal "what is revoked while the camera is away ends the recording with 77" 77 $code
check "at once" [ $((($(nanoseconds) - begun) / 1000000)) -lt 2000 ]
equal "it says why" revoked "$(ledger events.ndjson .reason)"
check "the clip has the second before and nothing after" between "$(frame_count revoked.mkv)" 25 40

capturegate grant camera --always >/dev/null
patience=2s
begin gone.mkv --camera "$camera" --microphone none --size 640x360 --fps 30 --for 60s
unbind vivid vivid.0
ended
equal "one that does not come back in time ends it with 69" 69 $code
equal "it says why" device_gone "$(ledger events.ndjson .reason)"
check "and the file decodes" decodes gone.mkv
