# about: a camera unplugged while recording leaves a valid file
# time: virtual
# timeout: 120
# checks: 20

load_vivid
load_aloop
grant_all
find_devices

# unplugged FILE DRIVER DEVICE: records into FILE, unbinds the driver after a second of frames.
unplugged() {
    code=0
    : >events.ndjson
    capturegate record "$1" --json --camera "$camera" --microphone "$microphone" --size 640x360 --fps 30 \
        --for 60s >events.ndjson 2>said &
    recorder=$!
    wait_for 20 recording events.ndjson
    sleep 1
    begin=$(nanoseconds)
    unbind "$2" "$3"
    finish 20 $recorder || code=$?
    milliseconds=$((($(nanoseconds) - begin) / 1000000))
    note "ended $milliseconds ms after the unplugging with exit code $code"
}

unplugged camera.mkv vivid vivid.0
equal "an unplugged camera ends the recording with 69" 69 $code
equal "and says why" device_gone "$(ledger events.ndjson .reason)"
check "within a second" [ $milliseconds -le 1000 ]
check "the file decodes to its end" decodes camera.mkv
check "it holds the second and more" [ "$(frame_count camera.mkv)" -ge 29 ]
check "it has both tracks" [ "$(facts camera.mkv | jq '[.streams[].codec_type] | unique | length')" = 2 ]
equal "the ledger says the same number of frames" "$(frame_count camera.mkv)" "$(track events.ndjson video frames)"

bind vivid vivid.0
udevadm settle
unplugged microphone.mkv snd_aloop snd_aloop.0
equal "an unplugged microphone ends the recording with 69" 69 $code
equal "and says why" device_gone "$(ledger events.ndjson .reason)"
check "within a second" [ $milliseconds -le 1000 ]
check "its file decodes to its end" decodes microphone.mkv
bind snd_aloop snd_aloop.0
udevadm settle
# A recorder in no hurry is woken for several pictures at once; those that wait when the camera goes are in the clip.
code=0
: >events.ndjson
capturegate record alone.mkv --json --camera "$camera" --microphone none --size 320x180 --fps 60 --for 60s \
    >events.ndjson 2>said &
recorder=$!
wait_for 20 recording events.ndjson
sleep 1
unbind vivid vivid.0
finish 20 $recorder || code=$?
equal "a camera alone ends with 69 as well" 69 $code
captured=$(capturegate log --json | jq '[.entries[].event | select(.kind == "stop" and .capability == "camera")][-1].frames')
note "$captured pictures were captured, $(frame_count alone.mkv) are in the clip"
equal "each picture that was captured is in the clip" "$captured" "$(frame_count alone.mkv)"
count() { ledger events.ndjson ".ledger.tracks[0].$1"; }
equal "and delivered and lost are what was asked" "$(count asked)" "$(($(count delivered) + $(count 'lost | add')))"
absent "nothing is left under a partial name" *.partial

# Nobody reads the clip: all the same no device is kept open once the other is gone, and the program ends.
bind vivid vivid.0
udevadm settle
mkfifo clip
sleep 1000 <>clip &
asleep=$!
code=0
capturegate record - --camera "$camera" --microphone "$microphone" --size 640x360 --fps 30 --video-codec raw >clip 2>said &
recorder=$!
is_running() { grep -q RUNNING "/proc/asound/Loopback/pcm1c/sub0/status"; }
wait_for 20 is_running
sleep 2
check "a microphone is captured although nobody reads" is_running
unbind vivid vivid.0
sleep 1
lacks "it is let go within a second of the camera" RUNNING /proc/asound/Loopback/pcm1c/sub0/status
finish 20 $recorder || code=$?
kill $asleep
equal "the program ends with 74" 74 $code
check "and says why" grep -q 'Nothing has read standard output' said
equal "the audit log has an end for both" 2 \
    "$(capturegate log --json | jq '[.entries[].event | select(.kind == "stop")][-2:] | map(.capability) | unique | length')"
