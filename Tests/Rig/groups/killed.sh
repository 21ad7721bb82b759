# about: a recording that is killed at any moment loses at most a second, and what is left plays
# time: virtual
# timeout: 120
# long-timeout: 300
# checks: 4

load_vivid
load_aloop
grant_all
find_devices

# From the first frame on, seconds: two for each kind of file, 48 in the long run.
count=${CAPTUREGATE_LONG:+48}
note "seed $seed"
moments=$(awk -v seed="$seed" -v count="${count:-16}" 'BEGIN {
    srand(seed)
    for (i = 0; i < count; i++) printf "%.3f\n", 0.05 + rand() * 3
}')

# begin NUMBER: one of eight kinds of file, in turn.
begin() {
    case $(($1 % 8)) in
        0) name=$1.mkv options="--camera $camera --microphone $microphone --size 640x360" ;;
        1) name=$1.mkv options="--camera $camera --microphone none --size 640x360 --video-codec raw" ;;
        2) name=$1.mka options="--microphone $microphone --rate 8000" ;;
        3) name=$1.wav options="--microphone $microphone" ;;
        4) name=$1.flac options="--microphone $microphone" ;;
        5) name=$1.opus options="--microphone $microphone" ;;
        6) name=$1.mp4 options="--camera $camera --microphone $microphone --size 640x360" ;;
        7) name=$1.m4a options="--microphone $microphone" ;;
    esac
    : >events
    # shellcheck disable=SC2086 # $options is some words
    capturegate record "$name" --json $options >events 2>>said &
    recorder=$!
}

# From the first frame to the kill, seconds.
kill_after() { # SECONDS
    wait_for 20 recording events
    begun=$(nanoseconds)
    sleep "$1"
    lasted=$(($(nanoseconds) - begun))
    kill -KILL "$recorder"
    wait "$recorder" || true
}

plays() { ffmpeg -nostdin -v quiet -i "$1" -f null -; }

# How much is lost of it, a line. Of what was killed before the first quarter of a second was on the disk that is all.
judge() {
    if [ ! -s "$name.partial" ]; then
        echo "$lasted $name, empty" >>losses
        return
    fi
    echo "$name" >>begun
    ! plays "$name.partial" || echo "$name" >>plays
    capturegate recover "$name.partial" --json >recovered 2>>said || return 0
    echo "$name" >>finished
    jq -r --arg name "$name" --argjson lasted "$lasted" '"\($lasted - .duration_ns) \($name) of \($lasted)"' recovered >>losses
    rm "$name"
}

pause=0.01
number=0
for moment in $moments; do
    begin $number
    kill_after "$moment"
    judge
    number=$((number + 1))
done
sort -n losses >sorted
note "lost, ns, the most: $(tail -n 3 sorted | tr '\n' ';')"

equal "each partial file plays" "$(cat begun)" "$(cat plays)"
equal "and is finished" "$(cat begun)" "$(cat finished)"
check "none has lost more than a second" awk '$1 > 1e9 { exit 1 }' sorted
check "some had lost something: the recorder was killed, and did not end" awk '$1 > 1e8 { some = 1 } END { exit !some }' sorted
