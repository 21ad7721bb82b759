# about: a USB camera that lies, falters or falls silent gives a playable clip, and each picture is accounted for
# time: virtual
# timeout: 300
# checks: 103

. "$here/usb-camera.sh"

load_usb
grant_all

# taken FILE [OPTION...]: three seconds of what the camera sends.
taken() {
    file=$1
    shift
    captured "$file" --microphone none --size 320x240 --fps "${fps:-30}" --for "${time:-3s}" "$@"
}
# The camera writes a picture's number into its first eight bytes.
numbers() {
    ffmpeg -nostdin -v error -i "$1" -c copy -f rawvideo - | od -An -v -tu8 -w$((320 * 240 * 2)) | awk '{ print $1 }'
}

plug LIES1 --without-tables
exits "a camera without Huffman tables is recorded" 0 taken bare.mkv --pixel-format MJPG
check "the clip decodes" decodes bare.mkv
check "all of it is there" between "$(count delivered)" 89 91
equal "each picture was mended" "$(count asked)" "$(count repaired)"
equal "and is one of the camera's" "$(ffmpeg -nostdin -v error -i pictures/1.jpg -f md5 -)" \
    "$(ffmpeg -nostdin -v error -i bare.mkv -frames:v 1 -f md5 -)"
unplug

plug LIES2 --lie broken:1000:0 --lie no-end:9:3 --lie junk:9:5 --lie truncated:9:7
exits "a broken first picture, half ones, ones without end and with junk behind are recorded" 0 \
    taken lies.mkv --pixel-format MJPG
check "the clip decodes" decodes lies.mkv
equal "the broken and the half ones are skipped" $(($(told broken) + $(told truncated))) "$(count lost.corrupt)"
check "which were some" [ "$(told truncated)" -ge 9 ]
equal "the others are mended" $(($(told no-end) + $(told junk))) "$(count repaired)"
check "which were some" [ "$(told no-end)" -ge 9 ]
equal "all that were good or mended are in the clip" "$(($(count asked) - $(count lost.corrupt)))" "$(frame_count lies.mkv)"
check "delivered and lost are three seconds of pictures" between \
    "$(ledger events.ndjson '.ledger.tracks[0] | .delivered + ([.lost[]] | add)')" 89 91

exits "they can be marked" 0 taken marked.mkv --pixel-format MJPG --on-loss mark
check "each loss has a mark" [ "$(ledger events.ndjson '[.ledger.tracks[0].marks[].frames] | add')" = "$(count lost.corrupt)" ]
equal "and each mark a chapter" "$(ledger events.ndjson '.ledger.tracks[0].marks | length')" \
    "$(probe -show_chapters -of csv=p=0 marked.mkv | grep -c .)"
check "which were some" [ "$(count lost.corrupt)" -ge 9 ]
check "the clip decodes" decodes marked.mkv
exits "or end the clip: where the first picture is broken, there is none" 74 taken none.mkv --pixel-format MJPG \
    --on-loss fail
absent "and no file" none.mkv
unplug

plug LIES7 --lie truncated:9:7
exits "where a later one is, with 74 as well" 74 taken ended.mkv --pixel-format MJPG --on-loss fail
check "the clip has what came before" between "$(frame_count ended.mkv)" 1 7
check "and decodes" decodes ended.mkv
equal "one picture is lost" 1 "$(count lost.corrupt)"
unplug

# Bytes changed on the way: what is broken in tables and headers is found without decoding.
plug LIES11 --lie flipped:1:0
time=5s
exits "pictures with changed bytes are no obstacle" 0 taken flipped.mkv --pixel-format MJPG
time=3s
note "of $(count asked) there are $(count delivered)"
equal "those that are not in the clip are counted as corrupt" "$(count 'lost | add')" "$(count lost.corrupt)"
check "which were some" [ "$(count lost.corrupt)" -ge 25 ]
check "and by far not all" [ "$(count delivered)" -ge 37 ]
equal "a decoder opens each that is" "$(count delivered)" \
    "$(ffmpeg -nostdin -v quiet -i flipped.mkv -fps_mode passthrough -f framecrc - | grep -vc '^#')"
unplug

# What each kind is counted as is told by the number alone: by `device` where the kernel handed nothing on.
plug LIES3 --lie truncated:10:4 --lie flagged:10:6 --lie empty:10:8
exits "raw pictures that are short, flagged as damaged or empty are no obstacle" 0 \
    taken raw.mkv --pixel-format YUYV --video-codec raw
check "the clip decodes" decodes raw.mkv
equal "the driver keeps them all, so each is missing" $(($(told truncated) + $(told flagged) + $(told empty))) \
    "$(count lost.device)"
equal "which is all that is" "$(count lost.device)" "$(count 'lost | add')"
check "and are some" [ "$(told flagged)" -ge 8 ]
head -n "$(count asked)" sent | sed -n 's/ good$//p' >good.txt
numbers raw.mkv >clip.txt
check "the clip has each good picture, the ones next to those too, and no other" diff good.txt clip.txt
check "delivered and lost are three seconds of pictures" between \
    "$(ledger events.ndjson '.ledger.tracks[0] | .delivered + ([.lost[]] | add)')" 89 91
unplug

# A driver may hand on what is damaged: uvcvideo does with this, as it does without in later kernels. Still not what is
# empty, and what is short has the flag, so those two are made of what it hands on. The numbers of that end in 2 and 6.
echo 1 >/sys/module/uvcvideo/parameters/nodrop
ending_in() { seq 0 $(($(count asked) - 1)) | grep -c "$1\$"; }
plug LIES9 --lie truncated:20:4 --lie flagged:20:15 --lie empty:20:18
driver=$judges/lessened.so
exits "nor are they where the driver hands them on" 0 taken handed.mkv --pixel-format YUYV --video-codec raw
driver=
check "the clip decodes" decodes handed.mkv
equal "those with the error flag are counted as damaged" $(($(told truncated) + $(told flagged))) \
    "$(count lost.corrupt)"
equal "those without a byte as empty" "$(ending_in 2)" "$(count lost.empty)"
equal "those with half of the bytes as short" "$(ending_in 6)" "$(count lost.short)"
equal "those that the driver kept as missing" "$(told empty)" "$(count lost.device)"
equal "and none as anything else" "$(count 'lost | .corrupt + .empty + .short + .device')" "$(count 'lost | add')"
check "each of the four was there" [ "$(count 'lost | [.corrupt, .empty, .short, .device] | min')" -ge 4 ]
head -n "$(count asked)" sent | sed -n 's/ good$//p' | grep -v '[26]$' >good.txt
numbers handed.mkv >clip.txt
check "the clip has each whole picture, the ones next to those too, and no other" diff good.txt clip.txt
unplug
echo 0 >/sys/module/uvcvideo/parameters/nodrop

# What a driver says of a buffer is not believed.
plug LIES10
driver=$judges/overstated.so
exits "pictures that claim to be larger than their buffer are no obstacle" 0 \
    taken overstated.mkv --pixel-format MJPG
equal "they are counted as damaged" $(($(ending_in 4) + $(ending_in 8))) "$(count lost.corrupt)"
check "which were some" [ "$(ending_in 4)" -ge 8 ]
check "the clip decodes" decodes overstated.mkv
equal "and has all others" $(($(count asked) - $(count lost.corrupt))) "$(frame_count overstated.mkv)"
export OVERSTATED_INDEX=30
exits "one that claims to be in a buffer that there is not ends the clip" 74 taken nowhere.mkv --pixel-format MJPG
unset OVERSTATED_INDEX
said "it says which call was wrong" VIDIOC_DQBUF
check "and what came before decodes" decodes nowhere.mkv
driver=
unplug

# Of `seen`: how often the stream began, and the milliseconds from a last picture to the stream's second beginning
# or its end.
begun() { grep -c ' on$' seen; }
silence_until() {
    awk -v what="$1" '$2 == "took" { last = $1; next } $2 == "on" { begun++ }
        $2 == what && begun == 2 { printf "%d\n", ($1 - last) / 1000000; exit }' seen
}
# within MILLISECONDS FILE: of the time that was asked for.
within() { duration "$2" | awk -v most="$1" -v time="${time%s}" '{ exit !(($1 - time) ^ 2 <= (most / 1000) ^ 2) }'; }
# stalls PICTURES-A-SECOND LIMIT: a camera that falls silent after a second and a half, five checks. The limit is in
# milliseconds; up to a quarter more may go by until it is looked at.
stalls() {
    fps=$1 limit=$2
    exits "a camera of $fps pictures a second that falls silent is started again and goes on" 0 \
        taken "restarted$fps.mkv" --pixel-format YUYV
    equal "once" 2 "$(begun)"
    note "it was after $(silence_until on) ms"
    check "after $limit ms" between "$(silence_until on)" "$limit" $((limit * 5 / 4 + 20))
    check "the clip decodes" decodes "restarted$fps.mkv"
    check "it is as long as asked, within a picture" within "$((1000 / fps))" "restarted$fps.mkv"
}
# ends PICTURES-A-SECOND LIMIT: one that stays silent, six checks.
ends() {
    fps=$1 limit=$2
    exits "one of $fps pictures a second that stays silent ends the recording with 69" 69 \
        taken "stalled$fps.mkv" --pixel-format YUYV
    said "it says why, and what to do" 'Rig Camera .* stopped delivering'
    equal "so does the event" stalled "$(ledger events.ndjson .reason)"
    equal "it was started again once" 2 "$(begun)"
    note "it ended after $(silence_until off) ms"
    check "after twice $limit ms" between "$(silence_until off)" $((limit * 2)) $((limit * 5 / 2 + 40))
    check "and the clip decodes" decodes "stalled$fps.mkv"
}

plug LIES4 --stall-at 45
time=3s
stalls 30 500
check "what was missed is not in it" between "$(frame_count restarted30.mkv)" 60 80
equal "and is counted" "$(count asked)" "$(($(frame_count restarted30.mkv) + $(count 'lost | add')))"
unplug
plug LIES4 --stall-at 7
time=5s
stalls 5 1000
unplug

plug LIES5 --stall-at 45 --stays-silent
ends 30 500
equal "it has what came before" 45 "$(frame_count stalled30.mkv)"
unplug
plug LIES5 --stall-at 7 --stays-silent
ends 5 1000
equal "it has what came before" 7 "$(frame_count stalled5.mkv)"
unplug
fps=30 time=1s

# 640×480 at 30 pictures a second are 18.4 MB.
plug LIES8 --bandwidth 5000000
exits "a camera for which the bus has no room is not recorded" 69 taken wide.mkv --pixel-format YUYV --size 640x480
said "and that is what it is called" 'too little USB bandwidth for this format'
said "with a mode that would fit" 'such as [0-9]+x[0-9]+ [A-Z0-9]+ at [0-9.]+ fps'
absent "and no file is left" wide.*
exits "a smaller size does" 0 taken small.mkv --pixel-format YUYV
fps=5
exits "and so do fewer frames" 0 taken slow.mkv --pixel-format YUYV --size 640x480
fps=30 time=3s
unplug

plug LIES11 --lie same-id:10:5
exits "pictures that the driver drops without a gap in its numbers are no obstacle" 0 \
    taken unnumbered.mkv --pixel-format YUYV --video-codec raw
equal "each is missing by the stamps" "$(told same-id)" "$(count lost.device)"
check "which were some" [ "$(told same-id)" -ge 8 ]
equal "nothing else is" "$(count lost.device)" "$(count 'lost | add')"
unplug

plug LIES12
: >events.ndjson
(wait_for 20 recording events.ndjson && sleep 1 && v4l2-ctl -d "/dev/$(basename "$(ls -d "$usb_path"/*/video4linux/video* | head -n 1)")" -c privacy=1) &
shutter=$!
exits "a shutter that is closed in mid-clip ends nothing" 0 taken shut.mkv --pixel-format YUYV --on-loss mark
wait $shutter
equal "it is told" covered "$(jq -r 'select(.event == "signal") | .state' events.ndjson)"
check "and the pictures behind it are counted" between "$(count lost.covered)" 40 75
equal "in one mark" 1 "$(ledger events.ndjson '.ledger.tracks[0].marks | length')"
equal "those before it are delivered" "$(count asked)" "$(($(count delivered) + $(count lost.covered)))"
unplug

plug LIES13 --largest 2000000000
exits "a camera that claims pictures of 2 GB is refused" 69 taken huge.mkv --pixel-format MJPG
said "for what it is" 'far more memory per frame than its size needs'
absent "before a file is there" huge.*
exits "and its others are recorded" 0 taken usual.mkv --pixel-format YUYV
unplug

ambiguity() { capturegate devices --json | jq -r --arg id "$camera" 'first(.devices[] | select(.id == $id)) | .ambiguity // ""'; }
plug ''
check "a camera without a serial is told by its port, and says that it is ambiguous" [ -n "$(ambiguity)" ]
check "its id names the port" expr "$camera" : '.*usb.*'
nameless=$camera
unplug
plug ''
equal "plugged in again, it has the same id" "$nameless" "$camera"
unplug
plug LIES6
refute "a camera with a serial is another one" [ "$nameless" = "$camera" ]
equal "and is not ambiguous" "" "$(ambiguity)"
unplug
