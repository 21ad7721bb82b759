# about: a USB camera's own H.264 and H.265 is stored as it comes: each picture, at its time, whatever is wrong with some
# time: virtual
# timeout: 220
# checks: 70

. "$here/usb-camera.sh"

load_usb
grant_all

# Five seconds of what the camera codes, with a key frame each second, in pictures that begin with a delimiter.
footage() { # FILE ENCODER PARAMETERS
    ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=320x240:rate=30 -frames:v 150 -pix_fmt yuv420p -c:v "lib$2" \
        -preset ultrafast "-$2-params" "aud=1:repeat-headers=1:keyint=30:min-keyint=30:scenecut=0:bframes=0$3" \
        -f "${1#*.}" "$1"
}
footage own.h264 x264 ""
footage own.hevc x265 ":open-gop=0:log-level=none:pools=1"

# taken FILE [OPTION...]: two seconds of the camera's own stream.
taken() {
    file=$1
    shift
    captured "$file" --microphone "${hears:-none}" --pixel-format "${code:-h264}" --for 2s "$@"
}

# pictures FILE: a checksum of each, as it is decoded.
pictures() { ffmpeg -nostdin -v fatal -i "$1" -map 0:v:0 -fps_mode passthrough -f framemd5 - | sed -n 's/^[^#].*, *//p'; }
pictures own.h264 >served.h264
pictures own.hevc >served.hevc
# same FILE FIRST [SERVED]: the pictures are those that the camera served, from that one on, and so many as the ledger says.
same() {
    pictures "$1" >recorded
    tail -n "+$(($2 + 1))" "${3:-served.h264}" | head -n "$(count delivered)" | diff - recorded
}
# keys FILE: numbers of the packets that are key frames.
keys() {
    probe -select_streams v -show_entries packet=flags -of csv=p=0 "$1" | grep . | grep -n ^K | cut -d : -f 1 | tr '\n' ' '
}
# timed FILE LEAST-MICROSECONDS: each picture stands where the driver's stamp has it.
timed() {
    probe -select_streams v -show_entries packet=pts_time -of csv=p=0 "$1" | grep . | tr -d , >clip.times
    awk '$2 == "took" { print $7 }' seen | tail -n "+$((${first:-0} + 1))" | head -n "$(grep -c . clip.times)" >driver.times
    paste clip.times driver.times | awk -v most="$2" '
        NR == 1 { clip = $1; driver = $2 }
        { off = ($1 - clip) * 1e6 - ($2 - driver); if (off < -most || off > most) bad++ }
        END { exit NR < 50 || bad > 0 }'
}

plug STREAM1 --stream own.h264
check "the driver has the format" sh -c "v4l2-ctl -d $camera_node --list-formats | grep -q \"'H264' (H.264, compressed)\""
check "devices tells of it" sh -c "capturegate devices '$camera' | grep -q 'H264.*320x240\\|320x240.*H264'"

for ending in mkv mp4; do
    exits "the camera's own H.264 is recorded to a .$ending" 0 taken "own.$ending"
    equal "as it is" h264 "$(stream "own.$ending" video codec_name)"
    check "all of it" between "$(count delivered)" 59 61
    equal "with nothing lost" 0 "$(count 'lost | add')"
    check "each picture is the one that was served" same "own.$ending" 0
    refute "and not the one behind it" same "own.$ending" 1
    equal "the first is a key frame, and so is each thirtieth" "1 31 " "$(keys "own.$ending" | sed 's/61 $//')"
    check "each stands where the driver's stamp has it" timed "own.$ending" "$([ $ending = mkv ] && echo 1000 || echo 30)"
    check "the clip decodes without a complaint" decodes "own.$ending"
done
equal "the .mp4 says avc1" avc1 "$(stream own.mp4 video codec_tag_string)"

hears=$microphone
exits "with sound beside it" 0 taken both.mp4 --audio-codec aac
hears=
check "frame by frame" between "$(count delivered)" 59 61
equal "which begin with a key frame" "1 31 " "$(keys both.mp4 | sed 's/61 $//')"
# The camera's key frame is kept until the microphone delivers: the next one may be seconds away.
check "the sound begins as soon as the microphone delivers" \
    between "$(ledger events.ndjson '.ledger.tracks[1].start_offset_ns')" 0 200000000
check "and both are two seconds long" between "$(stream both.mp4 audio duration)" 1.85 2.05

exits "segments are cut at key frames alone" 0 taken part.mkv --segment 700ms
equal "so each has one second" "part-0001.mkv part-0002.mkv " "$(ls part-*.mkv | head -n 2 | tr '\n' ' ')"
equal "of thirty frames" "30 30" "$(for part in 1 2; do frame_count part-000$part.mkv; done | xargs)"
for part in 1 2; do pictures part-000$part.mkv; done >recorded
check "and no frame is lost between them" sh -c 'head -n 60 served.h264 | diff - recorded'

: >events.ndjson
capturegate record memory.mkv --json --camera "$camera" --microphone none --pixel-format h264 --pre-roll 1500ms --for 3s \
    >events.ndjson 2>said &
recorder=$!
wait_for 20 grep -q '"event":"waiting"' events.ndjson
sleep 4
kill -USR1 $recorder
check "a pre-roll is kept" finish 20 $recorder
equal "from a key frame on" "1 31 61 " "$(keys memory.mkv | sed 's/91 $//')"
check "and its pictures decode without a complaint" decodes memory.mkv

: >events.ndjson
capturegate record paused.mkv --json --camera "$camera" --microphone "$microphone" --pixel-format h264 --for 3s \
    >events.ndjson 2>>said &
recorder=$!
wait_for 20 recording events.ndjson
sleep 1.2
kill -USR2 $recorder
sleep 0.5
kill -USR2 $recorder
check "a pause is cut out" finish 20 $recorder
check "and the pictures decode without a complaint" decodes paused.mkv
check "those from its end to the next key frame are lost" between "$(count lost.key_frame)" 1 29
equal "and no other" "$(count lost.key_frame)" "$(count 'lost | add')"
equal "the ledger adds up" "$(count asked)" "$(($(count delivered) + $(count 'lost | add')))"
equal "and so does the file" "$(count delivered)" "$(frame_count paused.mkv)"
equal "whose sound is whole, with silence until the microphone delivered" 144000 \
    "$(ledger events.ndjson '.ledger.tracks[1] | .delivered + .filled')"

for words in "a.y4m" "a.webm" "a.mkv --video-codec vp9" "a.mkv --tee a.y4m" "a.mkv --video-bitrate 1M"; do
    # shellcheck disable=SC2086 # some words
    exits "what would have to decode it is refused: $words" 64 capturegate record $words --camera "$camera" --microphone none \
        --pixel-format h264 --for 1s
done
said "with what to do" 'Remove --video-bitrate'
exits "so is a still picture" 64 capturegate snapshot a.png --camera "$camera" --pixel-format h264
absent "and no file is left" a.*
capturegate record usual.mkv --json --camera "$camera" --microphone none --for 1s >events.ndjson
equal "where nothing is said, raw pictures as large are taken" YUYV \
    "$(jq -r 'select(.event == "start") | .tracks[0].pixel_format' events.ndjson)"

: >events.ndjson
capturegate record killed.mp4 --json --camera "$camera" --microphone none --pixel-format h264 >events.ndjson 2>>said &
recorder=$!
wait_for 20 recording events.ndjson
sleep 2.5
kill -KILL $recorder
killed=0
wait $recorder || killed=$?
equal "a recording is killed" 137 "$killed"
exits "a recording that was killed is recovered" 0 capturegate recover killed.mp4.partial
pictures killed.mp4 >recorded
check "it has all but the last second" between "$(wc -l <recorded)" 45 80
check "picture by picture" sh -c 'head -n "$(wc -l <recorded)" served.h264 | diff - recorded'
unplug

plug STREAM2 --stream own.h264 --from 7
exits "a stream that begins in mid-course is recorded" 0 taken late.mkv
check "from its first key frame on" same late.mkv 30
first=23
check "at the driver's times" timed late.mkv 1000
first=0
equal "what came before is no part of the clip" "$(count asked)" "$(count delivered)"
unplug

plug STREAM3 --stream own.h264 --lie broken:40:5 --lie no-end:40:15 --lie truncated:40:25
exits "pictures that are none are no obstacle" 0 taken damaged.mkv --on-loss mark
equal "they are counted as damaged" $(($(told broken) + $(told no-end) + $(told truncated))) "$(count lost.corrupt)"
check "which were some" [ "$(count lost.corrupt)" -ge 5 ]
equal "all others are in the clip" "$(($(count asked) - $(count lost.corrupt)))" "$(frame_count damaged.mkv)"
pictures damaged.mkv >recorded
check "and whole again from the next key frame on" sh -c \
    'sed -n 31,35p served.h264 | while read -r sum; do grep -qx "$sum" recorded || exit 1; done'
unplug

plug STREAM4 --stream own.h264 --lie flipped:9:4
exits "nor are changed bytes" 0 taken flipped.mkv
equal "and the ledger adds up" "$(count asked)" "$(($(count delivered) + $(count 'lost | add')))"
unplug

plug STREAM5 --stream own.hevc --hevc
code=hevc
for ending in mkv mp4; do
    exits "the camera's own H.265 is recorded to a .$ending" 0 taken "own265.$ending"
    equal "as it is" hevc "$(stream "own265.$ending" video codec_name)"
    check "each picture is the one that was served" same "own265.$ending" 0 served.hevc
done
unplug
