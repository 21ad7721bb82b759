# about: a USB camera's exposure, focus and white balance are v4l2-ctl's; what their automatics hold is refused
# time: virtual
# timeout: 120
# checks: 39

modprobe vhci_hcd
modprobe uvcvideo
capturegate grant camera --level still --always

"$judges/usbcam" --serial CONTROLS 2>usbcam.txt &
usb_path=/sys/devices/platform/vhci_hcd.0/usb1/1-1
has_come() { ls "$usb_path"/*/video4linux/video*; }
wait_for 20 has_come && udevadm settle
camera_node=/dev/$(basename "$(ls -d "$usb_path"/*/video4linux/video* | head -n 1)")
camera=$(device_id "$camera_node")

# set_controls WORD...: what a person types behind the camera's name.
set_controls() { capturegate controls "$camera" "$@"; }
# theirs NAME: its value, as v4l2-ctl reads it.
theirs() { v4l2-ctl -d "$camera_node" -C "$1" | sed -E 's/^[^:]*: (-?[0-9]+).*/\1/'; }
# of FILTER: of the listing, a line a control.
of() { capturegate controls "$camera" --json | jq -r "[.controls[] | $1] | join(\"\n\")"; }

# v4l2-ctl's lines with columns alike, and capturegate's in its words.
listed() {
    v4l2-ctl -d "$camera_node" -l |
        sed -nE 's/^ +([a-z_]+) 0x[0-9a-f]+ \((int|bool|menu)\) *: ([^(]*[^( ]).*/\1 \2 \3/p'
}
ours() {
    of '"\(.name) \({integer: "int", boolean: "bool", menu: "menu"}[.kind])" + (if .kind == "boolean" then ""
        else " min=\(.minimum) max=\(.maximum)" end) + (if .kind == "integer" then " step=\(.step)" else "" end)
        + " default=\(.default) value=\(.value)" + (if .flags == [] then "" else " flags=\(.flags | join(", "))" end)'
}
# The menu's value has its name behind it and could have flags behind that; it has none.
listed >theirs.txt
ours >ours.txt
equal "the camera has ten controls" 10 "$(grep -c . theirs.txt)"
check "each is listed as v4l2-ctl does, with range, step, default, value, and whether an automatic holds it" \
    diff theirs.txt ours.txt
equal "the exposure's menu has the two modes of the camera and no other" "1 Manual Mode, 3 Aperture Priority Mode" \
    "$(of 'select(.name == "auto_exposure").items | map("\(.number) \(.name)") | join(", ")')"

# held NAME AUTOMATIC MANUAL VALUE: four checks.
held() {
    before=$(theirs "$1")
    exits "$1 is refused while its automatic is on" 69 set_controls "$1=$4"
    said "with the reason" "$1 is set by the device itself until $2 is $3"
    said "and what to set first" "Set $2=$3 first"
    equal "and the camera is as it was" "$before" "$(theirs "$1")"
}
held exposure_time_absolute auto_exposure 1 100
held focus_absolute focus_automatic_continuous 0 100
held white_balance_temperature white_balance_automatic 0 3000

exits "with the automatic off in the same command each is set" 0 set_controls --strict \
    "auto_exposure=manual mode" exposure_time_absolute=100 focus_automatic_continuous=off focus_absolute=100 \
    white_balance_automatic=off white_balance_temperature=3000
said "and read back" 'white_balance_temperature: 3000'
equal "v4l2-ctl reads the same" "1 100 0 100 0 3000" \
    "$(for name in auto_exposure exposure_time_absolute focus_automatic_continuous focus_absolute \
        white_balance_automatic white_balance_temperature; do theirs $name; done | paste -sd ' ')"
equal "none of them is called inactive" "" "$(of 'select(.flags != []) | .name')"

# Each number's ends, set by the one and read by the other.
numbers='select(.kind == "integer")'
of "$numbers | \"\(.name)=\(.minimum)\"" >least.txt
of "$numbers | \"\(.name)=\(.maximum)\"" >greatest.txt
read_back() { while IFS== read -r name value; do [ "$(theirs "$name")" = "$value" ] || return 1; done <"$1"; }
for end in least greatest; do
    # shellcheck disable=SC2046
    exits "each number is set to its $end value" 0 set_controls --strict $(cat $end.txt)
    check "which v4l2-ctl reads" read_back $end.txt
done
v4l2-ctl -d "$camera_node" -c exposure_time_absolute=77
equal "what v4l2-ctl sets is read" "exposure_time_absolute: 77" "$(set_controls exposure_time_absolute)"

exits "a longer exposure than there is is refused" 64 set_controls contrast=7 exposure_time_absolute=2048
said "with the range" 'exposure_time_absolute .*it takes 3 to 2047'
equal "and nothing before it was set" 64 "$(theirs contrast)"
exits "a temperature between two steps is refused" 64 set_controls white_balance_temperature=2805
said "with those beside it" '2800 to 6500 in steps of 10; next to it are 2800 and 2810'
exits "a mode that the camera has not is refused" 64 set_controls auto_exposure=2
said "with those it has" '1 \(Manual Mode\) or 3 \(Aperture Priority Mode\)'

# Whatever holds a value or not: v4l2-ctl reads each, and its default.
all_default() {
    listed >theirs.txt
    [ "$(sed -nE 's/.*default=([0-9]+) value=([0-9]+).*$/\1 \2/p' theirs.txt | awk '$1 == $2' | wc -l)" = 10 ]
}
exits "all go back to their defaults" 0 set_controls --reset --strict
check "which v4l2-ctl reads of all ten, also of those that an automatic holds again" all_default
equal "three of them are" 3 "$(grep -c flags=inactive theirs.txt)"

# Behind an automatic that is on, what was set by hand stays for the day that it is switched off.
by_hand=exposure_time_absolute=100,focus_absolute=100,white_balance_temperature=3000
set_behind() {
    v4l2-ctl -d "$camera_node" -c auto_exposure=1,focus_automatic_continuous=0,white_balance_automatic=0
    v4l2-ctl -d "$camera_node" -c $by_hand
    v4l2-ctl -d "$camera_node" -c auto_exposure=3,focus_automatic_continuous=1,white_balance_automatic=1
}
set_behind
equal "values stay behind automatics that are on" 3 "$(listed | grep -c 'value=\(100\|3000\) flags=inactive')"
exits "they go back to their defaults as well" 0 set_controls --reset
check "which v4l2-ctl reads of all ten" all_default
set_behind
exits "one of them alone does" 0 set_controls --reset focus_absolute
equal "without the others, and with its automatic on again" "1 0 100" \
    "$(for name in focus_automatic_continuous focus_absolute exposure_time_absolute; do theirs $name; done | paste -sd ' ')"
