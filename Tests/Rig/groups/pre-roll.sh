# about: raw pictures wait for the beginning of a clip as JPEG images, in little memory; the clip has them all
# time: virtual
# timeout: 120
# checks: 13

load_vivid
load_aloop
grant_all
find_devices

waiting() { grep -q '"event":"waiting"' events.ndjson; }
# hold FILE OPTION...: captures in the background, until SIGUSR1 begins the clip.
hold() {
    : >events.ndjson
    capturegate record "$@" --camera "$camera" --pixel-format YUYV --fps 30 --json >events.ndjson 2>said &
    recorder=$!
    wait_for 20 waiting
}
begin() {
    kill -USR1 $recorder
    code=0
    finish 30 $recorder || code=$?
}
differences() { jq -r 'select(.event == "start") | .differences[]' events.ndjson; }
lost() { ledger events.ndjson 'first(.ledger.tracks[] | select(.kind == "video")) | .lost | add'; }

hold clip.mkv --microphone "$microphone" --size 1280x720 --pre-roll 5s --for 7s
sleep 8
memory=$(awk '/VmHWM/ { print $2 }' /proc/$recorder/status)
begin
equal "a clip begins five seconds before it is asked for" 0 $code
equal "there is all of it" "" "$(differences | grep 'pre-roll')"
note "six seconds of 1280x720 waited in a process of $memory KiB"
check "in less than half the memory that they take raw" between "$memory" 1000 166000
equal "the camera is told as it delivers" YUYV "$(jq -r 'select(.event == "start") | .tracks[0].pixel_format' events.ndjson)"
check "the clip lasts seven seconds" between "$(duration clip.mkv)" 6.96 7.06
check "all pictures are in it, or counted" between "$(($(frame_count clip.mkv) + $(lost)))" 209 211
equal "the ledger says how many are in it" "$(track events.ndjson video frames)" "$(frame_count clip.mkv)"
equal "the sound has its length, to the sample" 336000 "$(track events.ndjson audio frames)"
check "the file decodes" decodes clip.mkv

hold away.mkv --microphone none --size 640x360 --pre-roll 6s --for 8s --reattach=20s
sleep 5
unbind vivid vivid.0
sleep 1
bind vivid vivid.0
sleep 3
begin
equal "a camera that was away while its pictures waited is recorded to the end" 0 $code
check "what it missed is counted" between "$(lost)" 20 100
check "delivered and lost are eight seconds of pictures" between "$(($(frame_count away.mkv) + $(lost)))" 238 241
check "the file decodes" decodes away.mkv
