# about: a sound card whose clock is 500 ppm slow or fast, and a camera's: picture and sound stay together
# time: virtual
# timeout: 600
# long-timeout: 3600
# checks: 62

# Three minutes each way, in the long run half an hour.
seconds=180
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
# faster than said: the kernel's own count tells then how fast it is.
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
    exec capturegate record "$file" --json --camera "$camera" --microphone "$microphone" --size 320x180 --fps "${fps:-30}" \
        --rate 48000 --channels 2 --sample-format S16_LE --for "${time}s" "$@" >"$file.ndjson"
}
filmed() { (film "$@"); }

# judged FILE SPACING: "clicks worst flashes first last least most".
judged() { "$here/clap-offset" --spacing "$2" "$1"; }

# judge FILE: sets $claps, how many there are; $least and $most of their offsets; and of the mean of 27 in a row
# $least_mean and $most_mean.
#
# A flash is in the picture after it: up to 33.3 ms later, by where in a picture's time it happened. A single clap can't
# tell more than that; 27 in a row happen at places that are spread evenly, so that their mean is 16.7 ms later. In a
# short clip there are too few for a mean.
judge() {
    "$here/clap-offset" "$1" >claps
    set -- $(awk -v few=27 '/ ms$/ {
            offset[++n] = $5; sum += $5 - (n > few ? offset[n - few] : 0); mean = sum / few
            if (n == 1 || $5 < least) least = $5
            if (n == 1 || $5 > most) most = $5
            if (n == few || n > few && mean < low) low = mean
            if (n == few || n > few && mean > high) high = mean
        }
        END { print n + 0, least + 0, most + 0, low + 0, high + 0 }' claps)
    claps=$1 least=$2 most=$3 least_mean=$4 most_mean=$5
    note "claps: $claps, $least to $most ms"
}

# stays_together FILE [LATEST]: at each single clap. Two checks.
stays_together() {
    judge "$1"
    check "no flash is more than 5 ms too early for its click" between "$least" -5 "${2:-38.3}"
    check "and none too late" between "$most" -5 "${2:-38.3}"
}

# pace FILE: milliseconds from picture to picture, in the mean.
pace() {
    probe -select_streams v -of csv=p=0 -show_entries packet=pts_time "$1" |
        awk -F , '{ if (!count++) first = $1; last = $1 } END { printf "%.4f", (last - first) * 1000 / (count - 1) }'
}

# Where the kernel has the microphone, each few seconds.
look_at_pointer() {
    while :; do
        grep -s -E '^(tstamp|hw_ptr)' /proc/asound/Loopback/pcm1c/sub0/status >>pointer || true
        sleep 3
    done
}

# By how many ppm the microphone is fast by the kernel's count: the slope of a straight line through what was seen.
seen_drift() {
    awk '/^tstamp/ { time = $3 }
        /^hw_ptr/ {
            if (!n++) { first = time; offset = $3 / 48000 - time }
            x = time - first; y = $3 / 48000 - time - offset
            sx += x; sy += y; sxx += x * x; sxy += x * y
        }
        END { printf "%.2f", 1e6 * (n * sxy - sx * sy) / (n * sxx - sx * sx) }' pointer
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

# together NAME LEAST MOST: a clip of what the card's clock is now, off by so many ppm.
together() {
    clip=$1.mkv
    clap $seconds
    rm -f pointer
    look_at_pointer &
    looker=$!
    exits "picture and $1 sound are recorded" 0 filmed "$clip" $seconds
    kill $looker
    hush
    seen=$(seen_drift) measured=$(count "$clip" audio drift_ppm)
    note "the kernel's count: $seen ppm; the clip's:" \
        "$(ledger "$clip.ndjson" '[.ledger.tracks[] | {kind, drift_ppm, corrected}]' | tr -d '\n ')"
    equal "no picture and no sample is lost" '0 0 0' \
        "$(count "$clip" video lost.device) $(count "$clip" video lost.ring) $(count "$clip" audio lost.xrun)"
    check "the sound's clock is off by about 500 ppm" between "$seen" "$2" "$3"
    check "that is measured within 5 ppm" between "$(awk -v a="$measured" -v b="$seen" 'BEGIN { print a - b }')" -5 5
    check "the camera's clock, which is not off, likewise" between "$(count "$clip" video drift_ppm)" -5 5
    equal "the sound has its length to the sample" $((seconds * 48000)) "$(track "$clip.ndjson" audio frames)"
    equal "which is what the device gave and what was put in" $((seconds * 48000)) \
        "$(ledger "$clip.ndjson" '.ledger.tracks[1] | .delivered + .filled + .corrected')"
    check "the clip lasts as long as asked" between "$(duration "$clip")" $((seconds - 1)).966 $seconds.034
    stays_together "$clip"
    note "27 in a row: $least_mean to $most_mean ms in the mean"
    check "of any 27 in a row the mean is no more than 5 ms too early" between "$least_mean" 11.7 21.7
    check "and none too late" between "$most_mean" 11.7 21.7
    # They come by the sound's clock: of a fast one there are more, a thousandth at most.
    check "the claps are there" between "$claps" $((seconds * 100 / 76 - 3)) $((seconds * 100 / 76 + 1 + seconds / 760))
    rm "$clip"
}

together slow -510 -430
shift_rate 99950
together fast 490 570

# A card of 48480 Hz that calls itself 48000: in its place after some seconds, and at the end.
shift_rate 99010
clap 36
exits "picture and sound that is fast by a hundredth are recorded" 0 filmed wrong.mkv 36
hush
note "drift $(count wrong.mkv audio drift_ppm) ppm, $(count wrong.mkv audio end_offset_ns) ns off at the end"
check "its drift is measured" between "$(count wrong.mkv audio drift_ppm)" 9800 10200
check "at its end it is within 5 ms" between "$(count wrong.mkv audio end_offset_ns)" -5000000 5000000
"$here/clap-offset" wrong.mkv | awk '/ ms$/ && $1 > 20' >claps
check "the claps are there" between "$(grep -c . claps)" 17 24
check "from 20 s on no flash is too early or too late for its click" awk '$5 < -5 || $5 > 38.3 { exit 1 }' claps
# One that is off by more than can be corrected.
shift_rate 95000
exits "sound that is fast by a twentieth is recorded" 0 filmed beyond.mkv 10
check "how far it is behind at the end is told" between "$(count beyond.mkv audio end_offset_ns)" 150000000 1000000000

shift_rate 100050

# Stamps of the end of a frame, as capture cards give them.
v4l2-ctl -d "$camera_node" -c timestamp_source=0
clap 22
exits "pictures that are stamped when they end are recorded" 0 filmed end30.mkv 8
stays_together end30.mkv
fps=60
exits "sixty a second, too" 0 filmed end60.mkv 8
fps=
hush
stays_together end60.mkv 21.7
v4l2-ctl -d "$camera_node" -c timestamp_source=1

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
stays_together paused.mkv
check "most of the claps are there" between "$claps" 11 16

# A clip begins where all its devices deliver, and its sound is cut to the sample at which the picture begins: that a
# card needs half a second more to start is nothing that could be heard.
late() { (export LD_PRELOAD="$judges/late.so" LATE_MICROSECONDS=500000 && film late.mkv 12); }
begun=$(nanoseconds)
late &
recorder=$!
wait_for 20 recording late.mkv.ndjson
check "a microphone that starts half a second late is waited for" [ $(($(nanoseconds) - begun)) -gt 500000000 ]
check "and recorded" wait $recorder
equal "neither sound nor picture is told to begin later than the clip" '[0,0]' \
    "$(ledger late.mkv.ndjson '[.ledger.tracks[].start_offset_ns]' | tr -d '\n ')"
equal "no silence had to be put in for that" "$((12 * 48000)) 0" \
    "$(track late.mkv.ndjson audio frames) $(count late.mkv audio filled)"
stays_together late.mkv
check "from the clip's first clap on" between "$(awk '/ ms$/ { print $1; exit }' claps)" 0 0.77

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
