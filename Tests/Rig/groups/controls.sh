# about: controls are those of v4l2-ctl and amixer; what they do not take is refused before the driver
# time: virtual
# timeout: 120
# checks: 35

load_vivid
modprobe snd-dummy
modprobe vhci_hcd
modprobe uvcvideo
modprobe snd-usb-audio
udevadm settle
camera=$(device_id "$camera_node")

exits "without a yes nothing is listed" 77 capturegate controls "$camera"
exits "and nothing is set" 77 capturegate controls "$camera" brightness=1
equal "the camera is as it was" 'brightness: 128' "$(v4l2-ctl -d "$camera_node" -C brightness)"
capturegate grant camera --level still --always
capturegate grant microphone --level meter --always

# What v4l2-ctl lists, a line a control: name, kind, ranges, value; and a line a menu's item. Texts, values of many parts,
# 64 bits, which jq rounds, and what the device changes by itself are left out of the comparison.
theirs() {
    v4l2-ctl -d "$1" --list-ctrls-menus 2>/dev/null | sed -nE \
        -e 's/^ +([a-z0-9_]+) 0x[0-9a-f]+ \(([a-z0-9]+)\) *: (min=.*|default=.*|max=.*)$/\1 \2 \3/p' \
        -e 's/^\t+([0-9]+): (.*)$/  \1 \2/p' |
        awk '$1 == "gain" { sub(/ value=.*/, "") } /dims=/ || $2 == "str" || $2 == "int64" { next } 1' |
        sed -E 's/ flags=.*//; s/(value=-?[0-9]+) \(.*/\1/; s/ \(0x[0-9a-f]+\)$//'
}
# The same of capturegate, in v4l2-ctl's words.
ours() {
    capturegate controls "$1" --json | jq -r '
        {"integer": "int", "boolean": "bool", "menu": "menu", "integer menu": "intmenu", "bitmask": "bitmask"} as $kinds
        | def hexadecimal: if . == 0 then "" else ((. / 16 | floor | hexadecimal) + "0123456789abcdef"[. % 16:. % 16 + 1]) end;
        .controls[] | select($kinds[.kind])
        | (if .name == "gain" then "" else " value=\(if .value >= 2147483648 and .kind == "bitmask" then .value - 4294967296 else .value end)" end) as $value
        | "\(.name) \($kinds[.kind]) " + (
            if .kind == "boolean" then "default=\(.default)"
            elif .kind == "bitmask" then "max=0x\(.maximum | hexadecimal) default=0x\(.default | hexadecimal)"
            elif .items != [] then "min=\(.minimum) max=\(.maximum) default=\(.default)"
            else "min=\(.minimum) max=\(.maximum) step=\(.step) default=\(.default)" end) + $value,
          (.items[] | "  \(.number) \(.name)")'
}
theirs "$camera_node" >theirs.txt
ours "$camera" >ours.txt
check "v4l2-ctl lists more than forty controls" [ "$(grep -c '^[a-z]' theirs.txt)" -gt 40 ]
check "each is listed alike, with range, step, default, value and menu" diff theirs.txt ours.txt

# Every number, switch and menu is set to its least and its greatest value, and v4l2-ctl reads it.
set_to() {
    capturegate controls "$camera" --json | jq -r --arg to "$1" '.controls[]
        | select((.kind | IN("integer", "boolean", "menu", "integer menu")) and (.flags | index("read-only") | not)
            and .name != "gain" and .name != "gain_automatic")
        | if .items != [] then "\(.name)=\(if $to == "least" then .items[0].number else .items[-1].number end)"
          else "\(.name)=\(if $to == "least" then .minimum else .maximum end)" end'
}
agrees() { # FILE of NAME=VALUE lines
    v4l2-ctl -d "$camera_node" -C "$(cut -d = -f 1 "$1" | paste -sd ,)" | sed -E 's/^([a-z0-9_]+): (-?[0-9]+).*/\1=\2/' >got.txt
    sort "$1" >asked.txt
    sort got.txt | diff asked.txt -
}
for end in least greatest; do
    set_to $end >$end.txt
    # shellcheck disable=SC2046
    exits "every control is set to its $end value" 0 capturegate controls "$camera" $(cat $end.txt) --strict
    check "and v4l2-ctl reads each" agrees $end.txt
done
exits "all are set to their defaults" 0 capturegate controls "$camera" --reset
theirs "$camera_node" | grep -v '^gain' >theirs.txt
check "which v4l2-ctl reads" sh -c "sed -nE 's/.*default=(-?[0-9]+) value=(-?[0-9]+)\$/\1 \2/p' theirs.txt |
    awk '\$1 != \$2 { exit 1 } END { exit NR < 40 }'"

exits "64 bits are set" 0 capturegate controls "$camera" integer_64_bits=-9223372036854775808 --strict
check "and read back" sh -c "v4l2-ctl -d $camera_node -C integer_64_bits | grep -q -- -9223372036854775808"
exits "a text is set" 0 capturegate controls "$camera" string=abc string --strict
said "and read back" "string: 'abc'"
exits "a bitmask is set" 0 capturegate controls "$camera" bitmask=0x80000010 --strict
exits "a menu's item is set by its name" 0 capturegate controls "$camera" "test_pattern=gray ramp"
equal "which v4l2-ctl reads as its number" 'test_pattern: 20' "$(v4l2-ctl -d "$camera_node" -C test_pattern | cut -d ' ' -f 1,2)"

exits "a value outside the range is refused" 64 capturegate controls "$camera" contrast=7 brightness=256
said "with the range" 'brightness .*0 to 255'
equal "and nothing before it was set" 'contrast: 128' "$(v4l2-ctl -d "$camera_node" -C contrast)"
exits "an item that the menu has not is refused" 64 capturegate controls "$camera" menu=2
said "with those it has" '1 \(Menu Item 1\), 3'
exits "what the automatic holds is refused" 69 capturegate controls "$camera" gain_automatic=on gain=50
said "with what to set first" 'gain_automatic=0 first'
exits "with the automatic off it is set" 0 capturegate controls "$camera" gain_automatic=off gain=50 --strict
exits "what can only be read is refused" 64 capturegate controls "$camera" read_only_integer_32_bits=1

v4l2-ctl -d "$camera_node" --stream-mmap --stream-to=/dev/null >/dev/null 2>&1 &
streaming=$!
wait_for 10 sh -c "capturegate devices --json | jq -e --arg id '$camera' 'first(.devices[] | select(.id == \$id)) | .available | not'"
exits "while another program captures, a control is set all the same" 0 capturegate controls "$camera" saturation=33 --strict
kill $streaming
wait $streaming || true

"$judges/usbcam" --port 0 --serial RIG0001 2>usbcam.log &
usbcam=$!
usb=/sys/devices/platform/vhci_hcd.0/usb1/1-1
wait_for 20 sh -c "ls $usb/*/video4linux/video*" && udevadm settle
usb_node=/dev/$(basename "$(echo $usb/*/video4linux/video* | cut -d ' ' -f 1)")
usb_camera=$(device_id "$usb_node")
theirs "$usb_node" >theirs.txt
check "a USB camera's controls are listed as v4l2-ctl does" sh -c "[ -s theirs.txt ]"
ours "$usb_camera" >ours.txt
check "each alike" diff theirs.txt ours.txt
exits "one is set" 0 capturegate controls "$usb_camera" brightness=100% --strict
kill $usbcam
wait $usbcam || true

dummy=$(device_id "pcmC$(readlink /proc/asound/Dummy | tr -dc 0-9)D0c")
exits "a volume is set in decibels" 0 capturegate controls "$dummy" mic_volume=-15dB mic_capture_switch=on --strict
check "as amixer reads it" sh -c "amixer -c Dummy cget iface=MIXER,name='Mic Volume' | grep -q ': values=50,50' &&
    amixer -c Dummy cget iface=MIXER,name='Mic Capture Switch' | grep -q ': values=on,on'"
exits "a volume beyond the scale is refused" 64 capturegate controls "$dummy" mic_volume=6dB
said "with the scale" '45dB to 0dB'
