# about: a sound card whose clock is 500 ppm slow, and a camera's: picture and sound stay together
# time: virtual
# timeout: 240
# long-timeout: 1500
# checks: 29

# Half an hour in the long run.
seconds=36
[ -z "${CAPTUREGATE_LONG:-}" ] || seconds=1800

load_still_vivid
# Its pictures are then stamped as webcams stamp theirs, when they begin.
v4l2-ctl -d "$camera_node" -c timestamp_source=1
load_aloop
grant_all
camera=$(device_id "$camera_node")
microphone=$(device_id "$microphone_node")
playing=/proc/asound/Loopback/pcm0p/sub0/status

# The loopback's clock, the player's as well as the recorder's: 100000 / 100050 of its rate is 499.75 ppm less. That is
# exact while it is recorded alone; while a player runs, its two sides round against each other, and it is up to 60 ppm
# faster than said.
shift_rate() {
    for device in 0 1; do
        amixer -q -c Loopback cset "iface=PCM,name='PCM Rate Shift 100000',device=$device" "$1"
    done
}

# Clicks each so many frames of the player's clock, whole periods, and a flash of the camera with each click.
every=36480
clap() {
    "$judges/click-track" $(($1 + 10)) $every |
        aplay -q -D hw:Loopback,0 -t raw -f S16_LE -r 48000 -c 2 --period-size=960 --buffer-size=9600 &
    player=$!
    wait_for 10 grep -q RUNNING $playing
    "$judges/clapper" "$camera_node" $playing $every &
    clapper=$!
}

hush() {
    kill $player $clapper 2>/dev/null || true
    wait $player $clapper 2>/dev/null || true
    v4l2-ctl -d "$camera_node" -c brightness=0
}

# film FILE SECONDS OPTION...: becomes a recording of what there is to hear and see, with the clock of choice.
film() {
    file=$1 time=$2
    shift 2
    exec capturegate record "$file" --json --camera "$camera" --microphone "$microphone" --size 320x180 --fps 30 \
        --rate 48000 --channels 2 --sample-format S16_LE --for "${time}s" "$@" >"$file.ndjson"
}
filmed() { (film "$@"); }

# judged FILE SPACING: "clicks worst flashes first last least most".
judged() { "$here/clap-offset" --spacing "$2" "$1"; }

# pace FILE: milliseconds from picture to picture, in the mean.
pace() {
    probe -select_streams v -of csv=p=0 -show_entries packet=pts_time "$1" |
        awk -F , '{ if (!count++) first = $1; last = $1 } END { printf "%.4f", (last - first) * 1000 / (count - 1) }'
}

count() { ledger "${1%.ndjson}.ndjson" ".ledger.tracks[] | select(.kind == \"$2\") | .$3"; }

# heard SECONDS: how fast the sound card's clock is against the system's, which rules.
heard() {
    capturegate record heard.wav --force --json --camera none --microphone "$microphone" --rate 48000 \
        --sync clock --for "${1}s" >heard.ndjson
    count heard.ndjson audio drift_ppm
}

shift_rate 99950
fast=$(heard 12)
check "a clock that is fast by 500.25 ppm is measured within 10 ppm" between "$fast" 490.25 510.25
shift_rate 100050
slow=$(heard 12)
check "and one that is slow by 499.75 ppm" between "$slow" -509.75 -489.75
note "measured: $fast and $slow ppm, ± $(count heard.ndjson audio drift_uncertainty_ppm)"
check "known to be so" between "$(count heard.ndjson audio drift_uncertainty_ppm)" 0 50
equal "the file has its length to the sample" $((12 * 48000)) "$(stream heard.wav audio duration_ts)"

clap $seconds
exits "picture and sound are recorded" 0 filmed clip.mkv $seconds
hush
note "clocks: $(ledger clip.mkv.ndjson '[.ledger.tracks[] | {kind, drift_ppm, drift_uncertainty_ppm, corrected}]' | tr -d '\n ')"
equal "no picture and no sample is lost" '0 0 0' \
    "$(count clip.mkv video lost.device) $(count clip.mkv video lost.ring) $(count clip.mkv audio lost.xrun)"
check "the sound's drift is measured" between "$(count clip.mkv audio drift_ppm)" -510 -430
check "the camera's, which has none, likewise" between "$(count clip.mkv video drift_ppm)" -10 10
equal "the sound has its length to the sample" $((seconds * 48000)) "$(track clip.mkv.ndjson audio frames)"
equal "which is what the device gave and what was put in" $((seconds * 48000)) \
    "$(ledger clip.mkv.ndjson '.ledger.tracks[1] | .delivered + .filled + .corrected')"
check "the clip lasts as long as asked" between "$(duration clip.mkv)" $((seconds - 1)).966 $seconds.034

set -- $(judged clip.mkv 0.76037)
note "claps: $1 clicks; $3 flashes after their clicks, $4 ms at the start and $5 ms at the end in the mean; $6 to $7 ms"
played=$((seconds * 100000 / 76037))
check "the clicks are there" between "$1" $((played - 3)) $((played + 1))
check "the flashes are there" between "$3" $((played - 3)) $((played + 1))
# A flash is in the picture after it: up to 33.3 ms later, and half of that in the mean.
check "at the start sound and picture are together within 5 ms" between "$4" 11.7 21.7
check "at the end they still are" between "$5" 11.7 21.7
check "no flash is more than 5 ms too early for its click" between "$6" -5 38.3
check "and none too late" between "$7" -5 38.3

# A second in which nobody reads: what is missing is silence, and what follows is in its place again.
clap 50
film paused.mkv 12 &
recorder=$!
wait_for 20 recording paused.mkv.ndjson
sleep 3
kill -STOP $recorder
sleep 1
kill -CONT $recorder
check "a recording that was stopped for a second ends well" wait $recorder
note "stopped: $(ledger paused.mkv.ndjson '[.ledger.tracks[] | {lost, xruns, filled, corrected}]' | tr -d '\n ')"
equal "its sound has its length to the sample" $((12 * 48000)) "$(track paused.mkv.ndjson audio frames)"
check "what is lost of it is filled in" [ "$(count paused.mkv audio lost.xrun)" -gt 24000 ]
set -- $(judged paused.mkv 0.76037)
note "claps: $1 clicks; $3 flashes, $4 ms after their clicks at the start and $5 ms at the end; $6 to $7 ms"
check "most of the flashes are there" between "$3" 11 16
check "none is more than 10 ms too early for its click" between "$6" -10 43.3
check "and none too late" between "$7" -10 43.3

exits "with no clock that rules" 0 filmed free.mkv 6 --sync none
set -- $(judged free.mkv 0.76)
note "claps: $*"
check "the clicks are as the device gave them" between "$2" 0 0.03
equal "nothing is corrected" 0 "$(count free.mkv audio corrected)"

exits "with the sound's clock" 0 filmed sound.mkv 12 --sync sound
hush
set -- $(judged sound.mkv 0.76)
note "claps: $*"
check "the clicks are as the device gave them, too" between "$2" 0 0.03
note "a picture each $(pace sound.mkv) ms"
# 33.3333 ms by the camera's clock.
check "and the pictures come sooner" between "$(pace sound.mkv)" 33.31 33.326
