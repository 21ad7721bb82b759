# about: a recording waits for an unplugged device and goes on with it, the gap counted, also where the clip is over before; what is revoked meanwhile stays closed
# time: virtual
# timeout: 150
# checks: 29

load_vivid
load_aloop
grant_all
find_devices

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
bind vivid vivid.0
udevadm settle

# From here on a device is unplugged after a second, and has not come back when the clip is over.
patience=1h
filled() { ledger events.ndjson "first(.ledger.tracks[] | select(.kind == \"$1\")) | .filled"; }
begin away.mkv --camera "$camera" --microphone "$microphone" --size 640x360 --fps 30 --for 5s
unbind vivid vivid.0
ended
equal "a clip whose camera is away when its time is over is whole" "0 complete" "$code $(ledger events.ndjson .reason)"
check "it is as long as asked" between "$(duration away.mkv)" 4.96 5.04
equal "delivered and lost are five seconds of pictures" 150 $(($(count video) + $(lost video)))
check "of which the camera was away for the most" between "$(lost video)" 90 130
equal "the microphone has all its sound" "0 240000" "$(lost audio) $(count audio)"
bind vivid vivid.0
udevadm settle

begin away.y4m --camera "$camera" --microphone none --size 640x360 --fps 30 --for 5s
unbind vivid vivid.0
ended
equal "in a file of constant rate the last picture stands still" "150 $(lost video)" "$(frame_count away.y4m) $(filled video)"

begin away.wav --camera none --microphone "$microphone" --for 5s
unbind snd_aloop snd_aloop.0
ended
equal "a microphone's clip is as long as asked, to the sample" "0 5.000000" "$code $(duration away.wav)"
equal "with silence for what is lost" "$(lost audio)" "$(filled audio)"
bind snd_aloop snd_aloop.0
bind vivid vivid.0
udevadm settle

begin stopped.mkv --camera "$camera" --microphone "$microphone" --size 640x360 --fps 30
unbind snd_aloop snd_aloop.0
sleep 3
kill -TERM $recorder
ended
equal "a clip that is stopped while its microphone is away ends well" 0 $code
apart=$(ledger events.ndjson '[.ledger.tracks[].last_ns] | max - min | . / 1000000 | floor')
note "sound and picture end $apart ms apart"
check "its sound ends with its picture" [ "$apart" -le 40 ]
