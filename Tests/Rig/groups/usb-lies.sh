# about: a USB camera that lies, falters or falls silent gives a playable clip, and each picture is accounted for
# time: virtual
# timeout: 120
# checks: 44

modprobe vhci_hcd
modprobe uvcvideo
modprobe snd-usb-audio
grant_all
mkdir pictures
ffmpeg -nostdin -v error -f lavfi -i testsrc=size=320x240:rate=30 -frames:v 30 -pix_fmt yuvj422p -q:v 4 \
    -huffman default pictures/%d.jpg

# plug SERIAL [OPTION...]: a camera with those habits. What it says it sent is in `sent`.
plug() {
    serial=$1
    shift
    "$judges/usbcam" --serial "$serial" --pictures pictures --log sent "$@" 2>>usbcam.txt &
    plugged=$!
    usb_path=/sys/devices/platform/vhci_hcd.0/usb1/1-1
    wait_for 20 has_come && udevadm settle
    camera=$(device_id "/dev/$(basename "$(ls -d "$usb_path"/*/video4linux/video* | head -n 1)")")
}
has_come() { ls "$usb_path"/*/video4linux/video* && ls "$usb_path"/*/sound/card*/pcmC*c; }
has_gone() { ! ls "$usb_path"/*/video4linux/video*; }
unplug() {
    kill $plugged
    wait $plugged || true
    wait_for 20 has_gone && udevadm settle
}

# taken FILE [OPTION...]: three seconds of what the camera sends.
taken() {
    file=$1
    shift
    rm -f sent
    capturegate record "$file" --json --camera "$camera" --microphone none --size 320x240 --fps 30 --for 3s "$@" >events.ndjson
}
count() { ledger events.ndjson ".ledger.tracks[0].$1"; }
# told KIND: how many of that kind the camera sent of those that the clip asks for.
told() { head -n "$(count asked)" sent | grep -c " $1\$" || true; }

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
refute "and no file" ls none.mkv
unplug

plug LIES7 --lie truncated:9:7
exits "where a later one is, with 74 as well" 74 taken ended.mkv --pixel-format MJPG --on-loss fail
check "the clip has what came before" between "$(frame_count ended.mkv)" 1 7
check "and decodes" decodes ended.mkv
equal "one picture is lost" 1 "$(count lost.corrupt)"
unplug

plug LIES3 --lie truncated:10:4 --lie flagged:10:6
exits "raw pictures that are short or flagged as damaged are no obstacle" 0 taken raw.mkv --pixel-format YUYV
check "the clip decodes" decodes raw.mkv
equal "each of them is missing and counted" $(($(told truncated) + $(told flagged))) \
    "$(ledger events.ndjson '.ledger.tracks[0].lost | .device + .corrupt + .short')"
check "which were some" [ "$(told flagged)" -ge 8 ]
equal "the others are in the clip" "$(told good)" "$(frame_count raw.mkv)"
check "delivered and lost are three seconds of pictures" between \
    "$(ledger events.ndjson '.ledger.tracks[0] | .delivered + ([.lost[]] | add)')" 89 91
unplug

plug LIES4 --stall-at 45
exits "a camera that falls silent is started again, once, and goes on" 0 taken restarted.mkv --pixel-format YUYV
check "the clip decodes" decodes restarted.mkv
check "it is as long as asked" between "$(duration restarted.mkv)" 2.96 3.04
check "what was missed is not in it" between "$(frame_count restarted.mkv)" 60 80
unplug

plug LIES5 --stall-at 45 --stays-silent
begin=$(nanoseconds)
exits "one that stays silent ends the recording with 69" 69 taken stalled.mkv --pixel-format YUYV
check "soon" [ $((($(nanoseconds) - begin) / 1000000)) -lt 6000 ]
equal "it says why" stalled "$(ledger events.ndjson .reason)"
equal "the clip has what came before" 45 "$(frame_count stalled.mkv)"
check "and decodes" decodes stalled.mkv
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
