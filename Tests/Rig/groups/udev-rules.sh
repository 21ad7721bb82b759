# about: the udev rules give capture nodes to their group and names to bench devices
# time: virtual
# timeout: 90
# checks: 20

groupadd --system capturegate 2>/dev/null || true
cp "$package"/udev-rules/*.rules /etc/udev/rules.d/
check "udev goes by the rules" reload_rules
load_vivid node_types=0x101
load_aloop

# node_of NAME: the video node that the driver registered under this name.
node_of() { echo "/dev/$(basename "$(dirname "$(grep -lx "$1" /sys/class/video4linux/video*/name)")")"; }
camera_node=$(node_of vivid-000-vid-cap)
output_node=$(node_of vivid-000-vid-out)
media_node=$(echo /dev/media*)
playback_node=${microphone_node%c}p

owned() { stat -c '%G %a' "$1"; }
has_seat_access() { udevadm info -q property -n "$1" | grep -q '^CURRENT_TAGS=.*:uaccess:'; }

for node in "$camera_node" "$media_node" "$microphone_node"; do
    equal "$node belongs to the group" 'capturegate 660' "$(owned "$node")"
    refute "no login at the seat opens $node" has_seat_access "$node"
done
equal "the video output keeps its group" 'video 660' "$(owned "$output_node")"
equal "playback keeps its group" 'audio 660' "$(owned "$playback_node")"
check "playback keeps its access at the seat" has_seat_access "$playback_node"

equal "the bench camera has its stable name" "$camera_node" "$(readlink -f /dev/bench/camera/platform-vivid.0)"
equal "so has the bench microphone" "$microphone_node" "$(readlink -f /dev/bench/microphone/platform-snd_aloop.0-1)"

udevadm test "$(udevadm info -q path -n "$camera_node")" >tested 2>&1
check "udevadm test reads both files" [ "$(grep -c 'Reading rules file: /etc/udev/rules.d/.*capturegate' tested)" = 2 ]
lacks "it complains of neither" 'capturegate.*(nvalid|gnoring|nknown|ailed)' tested
lacks "it would let nobody in by seat" "run: 'uaccess'" tested

# Who was let in before the rules came is shut out by the trigger that the instructions ask for.
has_access_list() { getfacl --omit-header --absolute-names "$1" | grep -q '^user:[^:]'; }
setfacl -m u:nobody:rw "$camera_node"
check "an access list can stand on the node" has_access_list "$camera_node"
udevadm trigger --settle --subsystem-match=video4linux
refute "a trigger takes it away" has_access_list "$camera_node"

rm /etc/udev/rules.d/*capturegate*
check "udev goes by those that are left" reload_rules
unbind vivid vivid.0
bind vivid vivid.0
udevadm settle
camera_node=$(node_of vivid-000-vid-cap)
equal "without the rules the camera is the video group's again" 'video 660' "$(owned "$camera_node")"
check "and open to who sits at the machine" has_seat_access "$camera_node"
