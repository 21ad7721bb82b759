# about: the udev rules give capture nodes to their group and names to bench devices
# time: real
# timeout: 90
# checks: 17

groupadd --system capturegate 2>/dev/null || true
cp "$(dirname "$0")"/../../udev-rules/*.rules /etc/udev/rules.d/
udevadm control --reload
load_vivid node_types=0x101 n_devs=1
load_aloop
udevadm settle
output_node=/dev/$(grep -lx 'vivid-000-vid-out' /sys/class/video4linux/video*/name | head -n 1 | cut -d/ -f5)
camera_node=/dev/$(grep -lx 'vivid-000-vid-cap' /sys/class/video4linux/video*/name | head -n 1 | cut -d/ -f5)
media_node=$(ls /dev/media* | head -n 1)
playback_node=${microphone_node%c}p

owned() { stat -c '%G %a' "$1"; }
current_tags() { udevadm info -q property -n "$1" | sed -n 's/^CURRENT_TAGS=//p'; }

for node in "$camera_node" "$media_node" "$microphone_node"; do
    equal "$node belongs to the group" 'capturegate 660' "$(owned "$node")"
    refute "no login at the seat opens $node" sh -c "echo '$(current_tags "$node")' | grep -q uaccess"
    refute "and no access list was set on it" sh -c "getfacl -cp '$node' | grep -E '^user:.+:'"
done
equal "the video output keeps its group" 'video 660' "$(owned "$output_node")"
equal "playback keeps its group" 'audio 660' "$(owned "$playback_node")"
check "playback keeps its access at the seat" sh -c "echo '$(current_tags "$playback_node")' | grep -q uaccess"

equal "the bench camera has its stable name" "$camera_node" "$(readlink -f /dev/bench/camera/platform-vivid.0)"
equal "so has the bench microphone" "$microphone_node" "$(readlink -f /dev/bench/microphone/platform-snd_aloop.0-1)"
udevadm test "$(udevadm info -q path -n "$camera_node")" >tested 2>&1
check "udevadm test reads the rules without a complaint" sh -c '! grep -E "(capturegate|bench).*(ignor|invalid|error|unknown)" tested'

rm /etc/udev/rules.d/*capturegate*
udevadm control --reload
unbind vivid vivid.0
bind vivid vivid.0
udevadm settle
check "without the rules a camera is the video group's again" sh -c "stat -c %G /dev/video* | grep -qx video"
refute "and nothing belongs to the group any more" sh -c "stat -c %G /dev/video* | grep -qx capturegate"
