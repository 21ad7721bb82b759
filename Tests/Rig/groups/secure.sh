# about: "secure" closes the nodes of a fresh system to programs that do not ask, and "secure --undo" opens them again
# time: virtual
# timeout: 90
# checks: 12

userdel capturegate 2>/dev/null || true
groupdel capturegate 2>/dev/null || true
load_vivid
load_aloop
owned() { stat -c '%G %a' "$1"; }
before="$(owned "$camera_node"), $(owned "$microphone_node")"
chmod 777 $rig
streams() { # as nobody of the groups that could open the nodes before
    timeout 20 setpriv --reuid 65534 --regid 65534 --groups video,audio \
        v4l2-ctl -d "$camera_node" --stream-mmap --stream-count=1 --stream-to=/dev/null
}

check "before, a program of group video streams without asking" streams
capturegate secure --dry-run --from "$package" >planned
check "a dry run says each step" grep -q '^would: Install /etc/udev/rules.d/72-capturegate.rules$' planned
refute "and makes no user" getent passwd capturegate
refute "nobody else may" setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=$rig capturegate secure --from "$package"
check "root secures the system" capturegate secure --from "$package"
equal "nodes belong to the group" "capturegate 660, capturegate 660" "$(owned "$camera_node"), $(owned "$microphone_node")"
refute "the program streams no more" streams
check "status says so" sh -c 'capturegate status | grep -q "only root and that group.s members can open them"'
check "twice does nothing more" sh -c "capturegate secure --from '$package' | grep -qx 'Nothing to change.'"
check "it is taken back" capturegate secure --undo
equal "and the nodes are as before" "$before" "$(owned "$camera_node"), $(owned "$microphone_node")"
check "and stream" streams
