# about: a camera pulled out in mid-stream again and again: the recording goes on each time and keeps nothing of before
# time: virtual
# timeout: 100
# long-timeout: 240
# checks: 13

modprobe vhci_hcd
modprobe uvcvideo
modprobe snd-usb-audio
grant_all
pullouts=${CAPTUREGATE_LONG:+15}
pullouts=${pullouts:-9}

# plug NUMBER: what the camera has sent since is in sent.NUMBER.
plug() {
    "$judges/usbcam" --serial PULLED --log "sent.$1" 2>>usbcam.txt &
    plugged=$!
}
usb_path=/sys/devices/platform/vhci_hcd.0/usb1/1-1
has_come() { ls "$usb_path"/*/video4linux/video* && ls "$usb_path"/*/sound/card*/pcmC*c; }
has_gone() { ! ls "$usb_path"/*/video4linux/video* && ! ls "$usb_path"/*/sound/card*; }
# In mid-stream: a third of a second of pictures is on its way.
is_streaming() { [ -s "sent.$1" ] && [ "$(wc -l <"sent.$1")" -ge 10 ]; }
pull() {
    kill $plugged
    wait $plugged || true
    wait_for 20 has_gone
}

# Of the recording process: what it has open and mapped, sorted, and how many threads it has. Nodes have other numbers
# after each return, so those are left out.
descriptors() { find "/proc/$recorder/fd" -type l -printf '%l\n' | sed -E 's/[0-9]+/N/g' | sort; }
mappings() { grep -oE '/dev/(video|snd).*' "/proc/$recorder/maps" | sed -E 's/[0-9]+/N/g' | sort; }
look_at_threads() { set -- "/proc/$recorder/task/"* && threads=$#; }
holds_nothing() { ! descriptors | grep -qE '/dev/(video|snd/pcm)' && [ -z "$(mappings)" ]; }

plug 0
wait_for 20 has_come && udevadm settle
camera_node=/dev/$(basename "$(ls -d "$usb_path"/*/video4linux/video* | head -n 1)")
microphone_node=/dev/snd/$(basename "$(ls -d "$usb_path"/*/sound/card*/pcmC*c)")
find_devices
as_on_terminal capturegate record clip.mkv --json --camera "$camera" --microphone "$microphone" --size 320x240 \
    --fps 30 --pixel-format YUYV --reattach=60s >events.ndjson 2>said &
recorder=$!
wait_for 20 recording events.ndjson
check "it is recorded" wait_for 20 is_streaming 0
descriptors >descriptors.before
mappings >mappings.before
check "with the camera's buffers mapped" [ "$(grep -c video mappings.before)" -ge 3 ]

number=0 held=0 most_threads=0
while [ $number -lt $pullouts ]; do
    pull
    wait_for 20 holds_nothing || held=$((held + 1))
    number=$((number + 1))
    plug $number
    wait_for 20 is_streaming $number || break
    look_at_threads
    [ $number -gt 5 ] || most_threads=$((threads > most_threads ? threads : most_threads))
done
equal "pulled out in mid-stream and plugged in again, it goes on each time" $pullouts $number
equal "while it is away nothing of it is open or mapped" 0 $held
# The camera sends pictures again; the microphone may take a moment more.
as_before() {
    descriptors >descriptors.after
    mappings >mappings.after
    cmp -s descriptors.before descriptors.after && cmp -s mappings.before mappings.after
}
wait_for 20 as_before || true
note "descriptors $(wc -l <descriptors.before), then $(wc -l <descriptors.after)"
note "mappings $(wc -l <mappings.before), then $(wc -l <mappings.after)"
note "threads $most_threads in the first five, $threads in the end"
check "what is open is what was open before the first" diff descriptors.before descriptors.after
check "so is what is mapped" diff mappings.before mappings.after
# A pool's idle threads come and go, so that there may be fewer; but it makes no more than are busy at one time, which
# five returns show how many that is. One left by each later one would be four.
check "and no thread is left" [ "$threads" -le "$most_threads" ]

kill -INT $recorder
code=0
finish 20 $recorder || code=$?
equal "Ctrl-C ends it well" 0 $code
check "the clip decodes" decodes clip.mkv
equal "each picture that was delivered is in it" "$(track events.ndjson video frames)" "$(frame_count clip.mkv)"
equal "what was missed of the sound is silence" "$(ledger events.ndjson '.ledger.tracks[1].lost | add')" \
    "$(ledger events.ndjson '.ledger.tracks[1].filled')"
# Its microphone may not have been back yet.
apart=$(ledger events.ndjson '[.ledger.tracks[].last_ns] | max - min | . / 1000000 | floor')
note "sound and picture end $apart ms apart"
check "the sound ends with the picture" [ "$apart" -le 150 ]
dmesg >messages
lacks "without a complaint of the kernel" 'BUG|WARNING|Oops' messages
