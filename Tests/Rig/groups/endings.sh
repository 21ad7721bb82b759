# about: interrupted, out of space, in the way: no file is lost or broken
# time: virtual
# timeout: 150
# checks: 14

load_vivid
load_aloop
grant_all
find_devices

# ended SIGNAL FILE: records into FILE until the signal, a second after the beginning.
ended() {
    code=0
    rm -f events.ndjson
    as_on_terminal capturegate record "$2" --json --camera "$camera" --microphone "$microphone" \
        --size 640x360 --fps 30 --for 60s >events.ndjson 2>said &
    recorder=$!
    wait_for 20 recording events.ndjson
    sleep 1
    kill "-$1" $recorder
    finish 20 $recorder || code=$?
}

for signal in INT TERM HUP; do
    ended $signal $signal.mkv
    equal "SIG$signal ends a recording with 0" 0 $code
    check "its file decodes to its end" decodes $signal.mkv
    check "and holds what was recorded" between "$(duration $signal.mkv)" 0.9 10
done

mkdir small
mount -t tmpfs -o size=4m tmpfs small
exits "a full disk ends a recording with 74" 74 \
    capturegate record small/clip.wav --camera none --microphone "$microphone" --rate 48000 --channels 2 --for 60s
said "one sentence says so" 'space|full'
check "what was recorded until then decodes" decodes small/clip.wav

echo precious >kept.wav
exits "an existing file is in the way" 73 \
    capturegate record kept.wav --camera none --microphone "$microphone" --for 1s
equal "and keeps what it holds" precious "$(cat kept.wav)"
