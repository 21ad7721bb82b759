# about: node permissions and busy devices are told with their remedies
# time: virtual
# timeout: 120
# checks: 31

load_vivid
load_aloop pcm_substreams=1
find_devices
chmod 0600 "$camera_node" "$microphone_node" /dev/media*

# Root opens everything: only somebody else can find a door closed. Whoever built the program can run it, too,
# wherever it and its libraries lie; a program that root built must do for anybody.
user=$(stat -c %u "$(command -v capturegate)")
[ "$user" != 0 ] || user=$(id -u nobody)
mkdir -p "$rig/user"
chown "$user" "$rig/user"
as_user() {
    (cd "$rig/user" && setpriv --reuid "$user" --regid "$user" --clear-groups env HOME="$rig/user" \
        XDG_STATE_HOME="$rig/user/state" XDG_CONFIG_HOME="$rig/user/config" XDG_RUNTIME_DIR="$rig/user" "$@")
}

refute "another user cannot open the camera" as_user dd if="$camera_node" of=/dev/null bs=1 count=0
as_user capturegate grant camera --always
as_user capturegate grant microphone --always
exits "a camera node closed to this user is refused" 77 \
    as_user capturegate record clip.mkv --camera "$camera" --microphone none --for 1s
said "the remedy is said" 'group|log in|permission'
exits "a microphone node likewise" 77 \
    as_user capturegate record clip.wav --camera none --microphone "$microphone" --for 1s
said "the remedy is said there too" 'group|log in|permission'

grant_all
v4l2-ctl -d "$camera_node" --stream-mmap --stream-to=/dev/null >"$rig/tmp/holder" 2>&1 &
holder=$!
# A second one that is quicker would take the camera from it.
wait_for 20 grep -q '<' "$rig/tmp/holder"
is_busy() { v4l2-ctl -d "$camera_node" --stream-mmap --stream-count=1 --stream-to=/dev/null 2>&1 | grep -qi busy; }
check "a second v4l2-ctl finds the camera busy" is_busy
exits "a camera that streams elsewhere is busy" 75 \
    capturegate record clip.mkv --camera "$camera" --microphone none --for 1s
said "the holder's process is named" "\\b$holder\\b"
said "and its command" 'v4l2-ctl'
kill $holder
wait $holder || true

# hold_camera BY..., hold_microphone BY...: in the background until `let_go`; sets $holder once it has the device.
hold_camera() {
    : >"$rig/tmp/holder"
    "$@" v4l2-ctl -d "$camera_node" --stream-mmap --stream-to=/dev/null >"$rig/tmp/holder" 2>&1 &
    wait_for 20 grep -q '<' "$rig/tmp/holder"
    holder=$(pgrep -x v4l2-ctl)
}
hold_microphone() {
    "$@" arecord -q -D hw:Loopback,1 -f dat /dev/null &
    wait_for 20 grep -q RUNNING /proc/asound/Loopback/pcm1c/sub0/status
    holder=$(pgrep -x arecord)
}
let_go() {
    kill "$holder"
    wait || true
}
film() { capturegate record clip.mkv --camera "$camera" --microphone none --for 1s; }
listen() { capturegate record clip.wav --camera none --microphone "$microphone" --for 1s; }

chmod 0666 "$camera_node" "$microphone_node" /dev/snd/control* /dev/media*
hold_microphone as_user
exits "a microphone that another user's arecord has is busy" 75 listen
said "the holder's process is named" "\\b$holder\\b"
said "and its command" arecord
let_go
hold_camera as_user
exits "a camera that another user's v4l2-ctl has is busy" 75 film
said "the holder's process is named" "\\b$holder\\b"
said "and its command" v4l2-ctl
let_go

# Nobody but root sees other users' processes now.
mount -o remount,hidepid=2 /proc
refute "another user sees no process of root" as_user ls -d /proc/1
hold_microphone env
exits "to that user, a microphone that root's arecord has is busy" 75 \
    as_user capturegate record clip.wav --camera none --microphone "$microphone" --for 1s
said "the holder is said to be hidden" "hidden|can't see"
hidden_holder() { ! grep -qE "\\b$holder\\b|arecord|v4l2-ctl" $rig/tmp/said.txt; }
check "and nothing of it is told" hidden_holder
let_go
hold_camera env
exits "a camera that root's v4l2-ctl has likewise" 75 \
    as_user capturegate record clip.mkv --camera "$camera" --microphone none --for 1s
said "the holder is said to be hidden" "hidden|can't see"
check "and nothing of it is told" hidden_holder
mount -o remount,hidepid=0 /proc
let_go
equal "no file is left" "" "$(ls clip* "$rig"/user/clip* 2>/dev/null)"

# What the status says of the nodes is so of all of them.
groupadd --system capturegate 2>/dev/null || true
nodes="$camera_node ${microphone_node%D1c}D0c $microphone_node $(echo /dev/media*)"
closed() { chgrp capturegate $nodes && chmod 0660 $nodes && chown root $nodes; }
closed
status() { capturegate status >$rig/tmp/said.txt 2>&1; }
status
said "nodes of the group alone are told as closed" "only root and that group's members"
chmod 0666 "$microphone_node"
status
said "one that everybody can open is named" "$microphone_node .*everybody by its mode 0666"
unsaid "and nothing is reported as closed" 'only root'
closed
setfacl -m u:1234:rw "$camera_node"
status
said "so is one with an access list" "$camera_node .*user 1234 by its access list"
setfacl -b "$camera_node"
closed
chown 1234 "$camera_node"
status
said "and one with an owner" "$camera_node .*its owner 1234"
closed
chgrp video "$camera_node"
status
said "and one of another group" "$camera_node .*group video"
closed
status
said "until they are closed again" "only root and that group's members"
chgrp root $nodes

strace -f -e trace=openat -o "$rig/tmp/opened" capturegate devices >/dev/null
equal "that nobody holds the camera is asked once, and known without a look at all processes" "1 0" \
    "$(awk '/module\/refcnt/ { asked++ } /\/proc\/[0-9]+\/fd/ { looks++ } END { print asked + 0, looks + 0 }' "$rig/tmp/opened")"
