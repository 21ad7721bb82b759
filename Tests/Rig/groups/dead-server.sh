# about: a sound server that dies in mid-recording: it falls silent, calls for nothing, or never answers again; one that sleeps
# time: virtual
# timeout: 120
# checks: 46

load_vivid
grant_all
camera=$(device_id "$camera_node")
use_paced
# How often `wait_for` looks: each look is a part of the delays that this group judges.
pause=0.02

# What a paced microphone gives in two seconds. At 8 kHz: libasound asks such a plugin for its position until two answers
# are equal, and a look at the clock takes longer here than a frame does at 48.
arecord -q -D paced -t raw -f S16_LE -r 8000 -c 2 --buffer-size=4000 --samples=16000 heard

# has_sound FILE SECONDS: from some moment on all that the microphone gave, so many seconds at least.
has_sound() {
    ffmpeg -nostdin -v error -y -i "$1" -map 0:a -f s16le got || return
    # Beside a camera the track of a microphone that fell silent goes on in silence to the clip's end.
    case $1 in *.mkv) perl -0777 -i -pe 's/\0+\z//; $_ .= "\0" x (-length($_) % 4)' got ;; esac
    tail -c "$(stat -c %s got)" heard | cmp - got &&
        [ "$(stat -c %s got)" -ge $(($2 * 32000)) ]
}

# die HOW TENTHS OUT [OPTION...]: records a microphone whose server dies after two seconds of sound. Sets $busy: microseconds of
# processor that the recorder used in this many tenths of a second from then on, from $dead to $watched; $alive: whether it
# continued that long; $code; and $took: milliseconds from then on to the end of the program.
die() {
    how=$1 tenths=$2 clip=$3
    shift 3
    rm -f "$clip"
    : >events
    metered capturegate record "$clip" --json --microphone "alsa:paced_with:DEAD_AFTER=16000$how" --rate 8000 --channels 2 \
        --audio-codec pcm --for 60s "$@" >events 2>said &
    recorder=$!
    wait_for 20 recording events
    began=$(nanoseconds)
    # The start was told after the first sound.
    sleep 1.9
    dead=$(nanoseconds) busy=$(used)
    sleep $((tenths / 10)).$((tenths % 10))
    busy=$(($(used) - busy)) watched=$(nanoseconds) alive=no
    [ -s said ] || alive=yes
    code=0
    finish 20 $recorder || code=$?
    took=$((($(nanoseconds) - began) / 1000000 - 2000))
    note "$((busy / 1000)) ms of a processor in $((tenths * 100)) ms; over $took ms after the last sound"
}

# judge SENTENCE MILLISECONDS SECONDS: seven checks.
judge() {
    equal "$1: the recording ends by itself, with 69" 69 $code
    equal "as stalled" stalled "$(ledger events .reason)"
    check "it names the device" grep -q "alsa:paced_with:DEAD_AFTER=16000$how\] stopped delivering" said
    check "and says what to do" grep -q "sound server" said
    check "it is over $2 ms after the last sound" [ "$took" -le "$2" ]
    check "the file decodes" decodes "$clip"
    check "and has all the sound that came, $3 s at least" has_sound "$clip" "$3"
}

# idle: two checks.
idle() {
    equal "meanwhile the recorder waited" yes $alive
    check "and used little of a processor" spared $busy "$dead" "$watched"
}

# Half a second, a restart, half a second, and up to a period of 100 ms before that.
die '' 3 silent.wav --camera none
judge "a server that falls silent" 1500 2
idle
die ,DEAD_CALLS=1 3 calling.wav --camera none
judge "one that calls for ever for nothing" 1500 2
idle
# A call that does not return is given up after five to six seconds.
die ,DEAD_HANGS=1 40 stopped.wav --camera none
judge "one that does not answer when it is started again" 7500 2
idle
die ,DEAD_CALLS=1,DEAD_HANGS=1 40 hanging.mkv --camera "$camera" --size 320x180 --fps 30
judge "one that does not answer in the middle of the sound, beside a camera" 7000 1
check "whose pictures go on to the end" between "$(duration hanging.mkv)" 6 9

# open_hanging: begins to record a microphone whose opening never returns.
open_hanging() {
    capturegate record opening.wav --camera none --microphone alsa:paced_with:OPEN_HANGS=1 --for 5s >/dev/null 2>said &
    recorder=$!
    began=$(nanoseconds)
}

# opened: waits for its end. Sets $code, and $took: milliseconds since $began.
opened() {
    code=0
    finish 20 $recorder || code=$?
    over=$(nanoseconds)
    took=$(((over - began) / 1000000))
    note "over after $took ms"
}

open_hanging
opened
equal "one that does not answer at the opening: it ends by itself, with 69" 69 $code
check "it says so" grep -q 'did not answer within 10 s' said
check "and what to do" grep -q "sound server" said
check "not before 10 s" [ $((over - began)) -ge 10000000000 ]
check "but soon after" [ $took -le 14000 ]
open_hanging
sleep 3
began=$(nanoseconds)
kill -TERM $recorder
opened
equal "stopped meanwhile, it ends with 77" 77 $code
check "at once" [ $took -le 1000 ]
check "it says that no file was made" grep -q 'No file was created' said
check "and none was" [ -z "$(ls opening.wav*)" ]

# gap: of a clip of a microphone that slept: frames before the gap, frames of silence in it, and frames that the microphone made
# meanwhile, by the sound after it.
gap() {
    python3 - <<'PYTHON'
def frames(path):
    data = open(path, "rb").read()
    return [data[i : i + 4] for i in range(0, len(data) // 4 * 4, 4)]

got, made = frames("got"), frames("heard")
start = next(i for i in range(len(got)) if got[i] != made[i])
end = next(i for i in range(start, len(got)) if any(got[i]))
after = next(i for i in range(start, len(made) - 50) if made[i : i + 50] == got[end : end + 50])
print(start, end - start, after - start)
PYTHON
}

exits "a microphone that sleeps for 200 ms is recorded on" 0 capturegate record slept.wav --camera none \
    --microphone alsa:paced_with:SLEEP_AFTER=8000 --rate 8000 --channels 2 --audio-codec pcm --for 1500ms
ffmpeg -nostdin -v error -y -i slept.wav -map 0:a -f s16le got
gap >slept || true
note "frames before, of silence, made meanwhile: $(cat slept)"
check "the gap in the clip is as long as the sleep, within a period of 10 ms" \
    awk '$1 >= 7600 && $3 >= 1600 && $2 - $3 <= 80 && $3 - $2 <= 80 { ok = 1 } END { exit !ok }' slept
