# about: a capture card without a signal, or with another one, is told so: listed, at the start, in mid-clip and at the end
# time: virtual
# timeout: 200
# checks: 102

# A card with a TV and an HDMI input, and a webcam.
modprobe vivid n_devs=2 node_types=0x1,0x1 num_inputs=2,1 input_types=0xd,0x0
udevadm settle
grant_all
node_of() { grep -lx "$1" /sys/class/video4linux/*/name | head -n 1 | xargs dirname | xargs basename; }
card_node=/dev/$(node_of vivid-000-vid-cap) webcam_node=/dev/$(node_of vivid-001-vid-cap)
card=$(device_id "$card_node")
set_card() { v4l2-ctl -d "$card_node" -c "$1"; }
# Of the current input, as `devices` lists it.
listed() {
    capturegate devices --capability camera --json |
        jq -r --arg id "$card" ".devices[] | select(.id == \$id) | .inputs[] | select(.current) | $1"
}
# taken FILE [OPTION...]: a second of the card, small frames, as they come.
taken() {
    file=$1
    shift
    rm -f "$file"
    capturegate record "$file" --json --camera "$card" --microphone none --video-codec raw --for 1s "$@" >events.ndjson
}
count() { ledger events.ndjson ".ledger.tracks[0] | $1"; }
told() { jq -r 'select(.event == "signal") | .state' events.ndjson | tr '\n' ' '; }

# The input is chosen by the program; what is small is quick.
exits "a TV input is chosen by a part of its name, and its standard" 0 taken tv.mkv --input tv --standard ntsc
equal "the card says so" 0 "$(v4l2-ctl -d "$card_node" --get-input | tr -dc '0-9:' | cut -d : -f 2 | cut -c 1)"
check "both" sh -c "v4l2-ctl -d $card_node --get-standard | grep -q NTSC"
equal "and the clip" 480 "$(stream tv.mkv video height)"
exits "another standard makes another picture" 0 taken pal.mkv --standard pal
equal "which is larger" 576 "$(stream pal.mkv video height)"
exits "an HDMI input is chosen by its number, and its timings" 0 taken hdmi.mkv --input 1 --timings 720x480p59.94
equal "the clip has that size" "720 480" "$(stream hdmi.mkv video width) $(stream hdmi.mkv video height)"
exits "an unknown input is refused" 78 taken no.mkv --input scart
said "with what there is" '0 \(TV 000-0\), 1 \(HDMI 000-0\)'
exits "so are timings that it does not take" 78 taken no.mkv --timings 123x45p6
said "with those that it does" '1920x1080p60'
exits "so is a standard on an input that has none" 78 taken no.mkv --standard pal
exits "so is an input of what is no card" 78 capturegate record no.mkv --camera test:bars --microphone none --input 1 --for 1s
exits "what makes no sense is wrong usage" 64 taken no.mkv --timings large
absent "and no file is left" no.*

# without STATE CONTROL=VALUE: a card without a signal from the first picture on, ten checks.
without() {
    state=$1
    set_card "$2"
    equal "$2: the list says that there is no signal" "$state" "$(listed .signal)"
    exits "$2: it is recorded all the same" 0 taken dark.mkv
    equal "$2: that is told" "$state " "$(told)"
    equal "$2: no picture counts as delivered" 0 "$(count .delivered)"
    check "$2: all of them are lost for want of a signal" [ "$(count .lost.no_signal)" = "$(count .asked)" ]
    equal "$2: they stand in the clip" "$(frame_count dark.mkv)" "$(count .filled)"
    exits "$2: a strict recording is refused" 78 taken strict.mkv --strict
    said "$2: with a sentence" 'vivid-000-vid-cap \[.*\] (has no signal|can.t lock on to its signal|has a signal that is out of range)'
    exits "$2: a snapshot is none" 69 capturegate snapshot dark.png --camera "$card" --settle 500ms
    absent "$2: and leaves nothing" dark.png strict.mkv
    set_card "${2%=*}=0"
}
# The control of what an HDMI input is connected to.
cable=$(v4l2-ctl -d "$card_node" -L | sed -n 's/^ *\(hdmi_[0-9_]*is_connected_to\) .*/\1/p')
without no_signal dv_timings_signal_mode=1
without no_lock dv_timings_signal_mode=2
without out_of_range dv_timings_signal_mode=3
without no_power "$cable=1"
v4l2-ctl -d "$card_node" -i 0
without no_signal standard_signal_mode=1
without no_lock standard_signal_mode=2

# later COMMAND...: in the background, a second after the recording that comes next has begun.
later() {
    : >events.ndjson
    (wait_for 20 recording events.ndjson && sleep 1 && "$@") &
    hand=$!
}
flicker() { set_card "$1" && sleep 1 && set_card "${1%=*}=0"; }

# vanishing STATE CONTROL=VALUE [OPTION...]: a card whose signal goes after a second of three, and is back after another.
vanishing() {
    control=$2
    shift 2
    later flicker "$control"
    code=0
    taken gone.mkv --for 3s "$@" 2>said || code=$?
    wait $hand
}
for fault in "no_signal standard_signal_mode=1" "no_lock standard_signal_mode=2"; do
    # shellcheck disable=SC2086 # two words
    vanishing $fault --on-loss mark
    equal "$fault: a signal that goes and comes ends nothing" 0 $code
    equal "$fault: both are told" "${fault%% *} present " "$(told)"
    check "$fault: a second of pictures is lost" between "$(count .lost.no_signal)" 20 36
    equal "$fault: and the others are not" "$(count .asked)" "$(($(count .delivered) + $(count '.lost.no_signal')))"
    equal "$fault: they have one mark" "$(count .lost.no_signal)" "$(count '[.marks[].frames] | add')"
done
vanishing no_signal standard_signal_mode=1 --strict
equal "a strict recording ends with 78 then" 78 $code
check "says why" grep -q 'had no signal for [0-9]* frames' said
check "and keeps the clip" decodes gone.mkv
vanishing no_signal standard_signal_mode=1 --on-loss fail
equal "where losses end the clip, it ends there" "74 loss" "$code $(ledger events.ndjson .reason)"
check "before the first of them" between "$(frame_count gone.mkv)" 20 32

v4l2-ctl -d "$card_node" -i 1
vanishing no_lock dv_timings_signal_mode=2
equal "so it is with HDMI" "0 no_lock present " "$code $(told)"
check "whose pictures are counted" between "$(count .lost.no_signal)" 30 75

# Another signal: 4 is the one of `dv_timings`.
later v4l2-ctl -d "$card_node" -c dv_timings=4 -c dv_timings_signal_mode=4
exits "a signal of another size ends the clip with 69" 69 taken other.mkv --for 5s
wait $hand
said "and both sizes" 'from 720x480 to 720x576p50'
equal "the event says why" signal "$(ledger events.ndjson .reason)"
check "the clip has what came before" decodes other.mkv
exits "a new one has the new size" 0 taken new.mkv
equal "to the row" 576 "$(stream new.mkv video height)"

# One camera of two that falls silent.
v4l2-ctl -d "$card_node" -c dv_timings_signal_mode=0
(sleep 1 && v4l2-ctl -d "$webcam_node" -c percentage_of_dropped_buffers=100) &
hand=$!
exits "a camera that falls silent beside another ends the clip with 69" 69 \
    capturegate record two.mkv --json --camera "$(device_id "$webcam_node")" --camera "$card" --microphone none \
    --size 320x180 --video-codec raw --for 10s
wait $hand
grep '^{' "$rig/tmp/said.txt" >events.ndjson
check "what it did not deliver until then is lost in its stall" between "$(count .lost.stall)" 20 45
check "its track was to be as long as the other's" between \
    "$(ledger events.ndjson '.duration_ns as $all | .ledger.tracks[0] | .asked / 30 - $all / 1e9')" -0.2 0.2
