# about: pictures that a V4L2 output shows to other programs
# time: virtual
# timeout: 120
# checks: 49

# An HDMI output and an HDMI input of one vivid, with a cable between them. Both run at 640x480 and 60 frames a second, each by
# its own clock of whole milliseconds. The camera here has 25 frames a second: each is on the cable for two frames of the output
# at least, so the input sees it. At 30, one that came a moment late was there for a single one, and could fall between two
# looks of the input.
modprobe vivid n_devs=1 node_types=0x101 num_inputs=1 input_types=3 num_outputs=1 output_types=1
udevadm settle
for node in /dev/video*; do
    if v4l2-ctl -d "$node" -D | grep -q 'Device Caps.*: 0x05200002'; then out=$node; else camera_node=$node; fi
done
v4l2-ctl -d "$camera_node" -c hdmi_000_0_is_connected_to=2,osd_text_mode=2
v4l2-ctl -d "$out" --set-dv-bt-timings index=0
v4l2-ctl -d "$camera_node" --set-dv-bt-timings index=0
size=614400

exits "the camera is asked for as ever: what shows it is no way around" 77 capturegate record "v4l2:$out" --camera test:bars --for 1s
grant_all

# shown NAME FORMAT COMMAND...: what a reader gets by the cable while the command sends; `NAME.said` is what that said.
shown() {
    name=$1 format=$2
    shift 2
    rm -f ./*.shown
    v4l2-ctl -d "$camera_node" --set-fmt-video="width=640,height=480,pixelformat=$format" >/dev/null
    as_on_terminal v4l2-ctl -d "$camera_node" --stream-mmap --stream-to="$name.shown" >"$name.reader" 2>&1 &
    reader=$!
    wait_for 10 [ -s "$name.shown" ]
    code=0
    "$@" >"$name.said" 2>&1 || code=$?
    # Long enough for the reader to write the last frame.
    sleep 0.2
    kill -INT $reader
    finish 30 $reader || true
    [ $code = 0 ] || tail -n 3 "$name.said"
    return $code
}
judge() { "$judges/shown-in" "$1" "$2" "$3"; }
part() { echo "$judged" | cut -d ' ' -f "$1"; }
send() { capturegate record "$@" --camera test:bars --size 640x480 --fps 25 --for 2s --json; }
# preloaded NAME=VALUE... FUNCTION ARGUMENT...: runs the function with preload/writes.c and these variables.
preloaded() (
    export LD_PRELOAD="$judges/writes.so"
    while [ "${1#*=}" != "$1" ]; do
        export "${1?}"
        shift
    done
    "$@"
)
counts='"\(.ledger.tracks[0].delivered) \([.ledger.tracks[0].lost[]] | add) \(.reason) \(.path)"'
tee_counts='.tees[0] | "\(.ledger.tracks[0].delivered) \([.ledger.tracks[0].lost[]] | add) \(.end) \(.path) \(.format)"'

# causes FILE: what a recording has lost, by cause, for the log: on a starved machine the test picture itself is late.
causes() { note "$1: $(ledger "$1" '[.ledger, (.tees[]?.ledger)] | map(.tracks[0].lost | with_entries(select(.value > 0))) | tojson')"; }

# -- beside a file, and alone

check "a recording is shown beside a file of the camera's own bytes" \
    shown tee YUYV send sent.raw --pixel-format YUYV --tee "v4l2:$out"
equal "the output is named; it took all 50 frames, and lost none" "50 0 complete v4l2:$out v4l2" "$(ledger tee.said "$tee_counts")"
judged=$(judge tee.shown sent.raw $size)
note "shown, missing, repeated, strange: $judged"
equal "a reader saw all of them in their order, bit for bit, and nothing else between" "50 0 0" "$(part 1) $(part 2) $(part 4)"
# A judge that can't say no proves nothing.
middle=$(($(stat -c %s tee.shown) / size / 2))
printf '\001' | dd of=tee.shown bs=1 seek=$((middle * size + 1000)) conv=notrunc status=none
equal "one changed value is noticed" 1 "$(judge tee.shown sent.raw $size | cut -d ' ' -f 4)"

check "a recording is shown alone" shown alone YUYV send "v4l2:$out"
causes tee.said
causes alone.said
equal "the output took all 50 frames, and lost none" "50 0 complete v4l2:$out" "$(ledger alone.said "$counts")"
judged=$(judge alone.shown sent.raw $size)
equal "a reader saw all of them" "50 0 0" "$(part 1) $(part 2) $(part 4)"
equal "there is no sound" video "$(ledger alone.said '[.ledger.tracks[].kind] | join(" ")')"
equal "no file came to be" "" "$(find . -name '*.partial' -o -name '*v4l2*')"

exits "segments are cut beside it" 0 send part.mkv --segment 1s --tee "v4l2:$out"
equal "it continues over the cut" "50 0 complete v4l2:$out v4l2" "$(grep '"event":"end"' $rig/tmp/said.txt | jq -r "$tee_counts")"
equal "and the files are two" "part-0001.mkv part-0002.mkv" "$(echo part*)"

check "planes of 4:2:0 are shown as they are" shown planes YU12 send planes.raw --pixel-format YU12 --tee "v4l2:$out"
judged=$(judge planes.shown planes.raw 460800)
equal "all of them, bit for bit" "50 0 0" "$(part 1) $(part 2) $(part 4)"
rm -f planes.raw planes.shown

# -- the time of the capture

preloaded STAMPS=stamps send "v4l2:$out" >stamps.said
equal "each of 50 buffers has a stamp" 50 "$(wc -l <stamps)"
check "that of its capture: 40 ms after the one before, to a microsecond, and not in the future" awk '
    NR > 1 && ($1 - last < 39999 || $1 - last > 40001) || $1 > $2 || $2 - $1 > 500000 { wrong = 1 }
    { last = $1 } END { exit wrong }' stamps

# -- by writing

for way in "" 1; do
    rm -f written
    exits "a driver that${way:+ does not stream, and so} is to be written to gets pictures" 0 \
        preloaded WRITTEN=written ${way:+STREAMLESS=1} send "v4l2:$out"
    judged=$(judge written sent.raw $size)
    equal "all 50, whole, each once" "50 0 0 0" "$judged"
done
exits "one that has no room for each third is not waited for" 0 preloaded WRITTEN=written FULL=3 send "v4l2:$out"
cp $rig/tmp/said.txt full.said
equal "the others are there, and what is lost is counted" "34 16 complete v4l2:$out" "$(grep '"event":"end"' full.said | jq -r "$counts")"
equal "as the output's" 16 "$(grep '"event":"end"' full.said | jq '.ledger.tracks[0].lost.encoder')"
judged=$(judge written sent.raw $size)
equal "in their order" "34 16" "$(part 1) $(part 2)"

# -- a camera's JPEG, which the output does not know

load_usb
"$judges/usbcam" --pictures pictures 2>usbcam.said &
camera=$!
has_camera() { usb_node=$(v4l2-ctl --list-devices | grep -A1 -i usb | grep -o '/dev/video[0-9]*' | head -n 1) && [ -n "$usb_node" ]; }
wait_for 20 has_camera
udevadm settle
exits "it is decoded" 0 env LD_PRELOAD="$judges/writes.so" WRITTEN=written capturegate record jpeg.mkv --tee "v4l2:$out" \
    --camera "$usb_node" --microphone none --pixel-format MJPG --size 320x240 --fps 30 --for 1s --json
equal "to all the pictures of the file" "$(frame_count jpeg.mkv)" $(($(stat -c %s written) / 115200))
ffmpeg -nostdin -v info -f rawvideo -s 320x240 -pix_fmt yuv420p -i written -i jpeg.mkv \
    -lavfi '[1:v]scale=out_range=tv,format=yuv420p[b];[0:v][b]psnr' -f null - 2>psnr.said
psnr=$(sed -n 's/.*average:\([0-9.a-z]*\).*/\1/p' psnr.said)
note "beside what ffmpeg decodes: $psnr dB"
check "as ffmpeg decodes it" between "${psnr%inf}" 35 100
kill $camera
wait $camera || true

# -- an output that is slower than the camera

v4l2-ctl -d "$out" --set-dv-bt-timings index=5
exits "an output of 30 pictures a second is sent 60 beside a file" 0 capturegate record slow.mkv --tee "v4l2:$out" \
    --camera test:bars --size 320x240 --fps 60 --for 2s --json
grep '"event":"end"' $rig/tmp/said.txt >slow.said
equal "the file has all" "120 0" "$(jq -r '.ledger.tracks[0] | "\(.delivered) \([.lost[]] | add)"' slow.said)"
lost=$(jq '.tees[0].ledger.tracks[0].lost.encoder' slow.said)
note "$lost pictures were left out"
check "the output has left out what it had no room for" between "$lost" 55 60
equal "and counted it: nothing is unaccounted for" 120 "$(jq --argjson lost "$lost" '.tees[0].ledger.tracks[0].delivered + $lost' slow.said)"
check "the file lasts two seconds" between "$(duration slow.mkv)" 1.96 2.04
v4l2-ctl -d "$out" --set-dv-bt-timings index=0

# -- Ctrl-C

as_on_terminal capturegate record "v4l2:$out" --camera test:bars --json >interrupted.said 2>&1 &
recorder=$!
wait_for 20 recording interrupted.said
kill -INT $recorder
check "Ctrl-C is a normal end" finish 20 $recorder
equal "and is named" interrupt "$(ledger interrupted.said .reason)"

# -- refusals, before anybody is asked

refused() { exits "$1" "$2" capturegate record "$3" --camera test:bars --size 640x480 --for 1s; }
refused "a camera's node takes nothing" 64 "v4l2:$camera_node"
said "what does is listed" "v4l2:$out"
refused "a node that is not there is told" 66 v4l2:/dev/video77
refused "a device that is no video node is not opened" 64 v4l2:/dev/null
chmod 600 "$out"
exits "a node that this user may not open is told" 77 setpriv --reuid=65534 --clear-groups env HOME=/tmp \
    "$(command -v capturegate)" record "v4l2:$out" --camera test:bars --for 1s
v4l2-ctl -d "$out" --stream-out-mmap --stream-count=6000 >busy.said 2>&1 &
holder=$!
wait_for 10 grep -q '>' busy.said
refused "a node that another program sends to is busy" 75 "v4l2:$out"
kill $holder
wait $holder || true
exits "a loopback that shows another program's pictures already is busy, too" 75 env LD_PRELOAD="$judges/writes.so" WRITTEN=written \
    TAKEN=1 capturegate record "v4l2:$out" --camera test:bars --for 1s
v4l2-ctl -d "$out" -c enable_output_cropping=0,enable_output_composing=0,enable_output_scaler=0
exits "a size that it does not take is refused, with the one that it does" 78 \
    capturegate record "v4l2:$out" --camera test:bars --size 320x240 --for 1s
said "with what to do" "does not support 320x240 YUYV.*640x480"

# -- an output that goes away: of vivid all nodes do, until nobody has one of them open

v4l2-ctl -d "$out" -c enable_output_scaler=1,enable_output_composing=1,enable_output_cropping=1
capturegate record "v4l2:$out" --camera test:bars --size 640x480 --fps 30 --json >alone-gone.said 2>&1 &
recorder=$!
wait_for 20 recording alone-gone.said
v4l2-ctl -d "$camera_node" -c disconnect=1 || true
code=0
finish 30 $recorder || code=$?
equal "where it is gone, a recording ends" "74 failure" "$code $(ledger alone-gone.said .reason)"
matches "and says so" "The output $out was removed" "$(cat alone-gone.said)"
wait_for 20 v4l2-ctl -d "$out" --get-fmt-video-out

capturegate record kept.mkv --tee "v4l2:$out" --camera test:bars --size 640x480 --fps 30 --for 3s --json >gone.said 2>&1 &
recorder=$!
wait_for 20 recording gone.said
v4l2-ctl -d "$camera_node" -c disconnect=1 || true
code=0
finish 30 $recorder || code=$?
equal "beside a file the exit code is its own" 69 $code
equal "the file has all 90 pictures" "90 0" "$(ledger gone.said '.ledger.tracks[0] | "\(.delivered) \([.lost[]] | add)"')"
causes gone.said
matches "the output's error is reported" "was removed" "$(ledger gone.said '.tees[0].error')"
