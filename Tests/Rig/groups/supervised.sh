# about: programs under "run" get frames by a grant alone; ways past the supervisor are closed
# time: virtual
# timeout: 200
# long-timeout: 400
# checks: 23
# long-checks: 34

load_vivid
load_aloop pcm_substreams=1
camera=$(device_id "$camera_node")
# Nothing but the gate holds anybody.
chmod 0666 "$camera_node" /dev/snd/* /dev/media*

# Whoever built the program can run it, too; one that root built must do for anybody.
user=$(stat -c %u "$(command -v capturegate)")
[ "$user" != 0 ] || user=$(id -u nobody)
mkdir -p "$rig/user/run"
chown -R "$user" "$rig/user"
chmod 700 "$rig/user/run"
as_user() {
    (cd "$rig/user" && exec setpriv --reuid "$user" --regid "$user" --clear-groups env HOME="$rig/user" \
        XDG_STATE_HOME="$rig/user/state" XDG_CONFIG_HOME="$rig/user/config" XDG_RUNTIME_DIR="$rig/user/run" "$@")
}
as_root() { env "$@"; }

python=$(python3 -c 'import sys; print(sys.executable)')
cat >"$rig/threads.py" <<'PY'
import sys, threading
got = []
def take():
    # Not "rb": what is opened to be read, and closed on exec, is refused unasked.
    with open(sys.argv[1], "r+b", buffering=0) as node:
        got.append(len(node.read(65536)))
threads = [threading.Thread(target=take), threading.Thread(target=sum, args=([1, 2],))]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sys.exit(0 if got and min(got) > 0 else 1)
PY

# client AS NAME: a program that takes a few frames, under supervision. What it says is in $rig/client.
client() {
    as=$1
    case $2 in
        v4l2-ctl) set -- v4l2-ctl -d "$camera_node" --stream-mmap --stream-count=3 --stream-to=/dev/null ;;
        ffmpeg) set -- ffmpeg -nostdin -v error -f v4l2 -i "$camera_node" -frames:v 3 -f null - ;;
        busybox) set -- busybox head -c 100000 "$camera_node" ;;
        python3) set -- "$python" "$rig/threads.py" "$camera_node" ;;
        arecord) set -- arecord -q -D hw:Loopback,1 -f dat -s 4800 /dev/null ;;
        arecord-mmap) set -- arecord -q --mmap -D hw:Loopback,1 -f dat -s 4800 /dev/null ;;
        arecord-plug) set -- arecord -q -D plughw:Loopback,1 -f S16_LE -r 16000 -c 1 -s 1600 /dev/null ;;
        capturegate) set -- capturegate record null: --camera "$camera" --microphone none --for 1s ;;
    esac
    outcome=0
    $as timeout -s KILL 60 capturegate run -- "$@" >"$rig/client.out" 2>"$rig/client" || outcome=$?
    { echo "$as $*: $outcome"; cat "$rig/client"; } >>/rigout/said
    return $outcome
}
# Every client runs as a user. Two run as root: the supervisor treats the processes of root in the same way.
clients_of() {
    if [ "$1" = as_root ] && [ -z "$CAPTUREGATE_LONG" ]; then
        echo v4l2-ctl arecord
    else
        echo v4l2-ctl ffmpeg busybox python3 arecord arecord-mmap arecord-plug
    fi
}
program_of() {
    case $1 in
        python3) echo "$python" ;;
        arecord*) command -v arecord ;;
        *) command -v "$1" ;;
    esac
}
refused() { ! client "$1" "$2" && [ "$outcome" -lt 124 ] && grep -q '^capturegate: .*may not use' "$rig/client"; }

for who in as_root as_user; do
    clients=$(clients_of $who)
    for name in $clients; do check "$who, without a grant $name is refused, and a line says why" refused $who "$name"; done
    for name in v4l2-ctl ffmpeg busybox python3; do
        $who capturegate grant camera --to "$(program_of $name)" --always >/dev/null
    done
    $who capturegate grant microphone --to "$(program_of arecord)" --always >/dev/null
    for name in $clients; do check "$who, with one $name gets what it asked for" client $who "$name"; done
done
equal "capturegate itself is refused" 77 "$(client as_root capturegate || echo "$outcome")"
capturegate grant camera --always >/dev/null
check "and with a grant it records" client as_root capturegate
capturegate revoke camera >/dev/null
check "playing needs no grant" capturegate run -- aplay -q -D hw:Loopback,0 -f dat -d 1 /dev/zero
check "nor does a mixer" capturegate run -- amixer -q -c Loopback contents

# -- the ways past

# The step `attacks` tries them by a hundred thousand races on a separate node, as root and as nobody.
races=${CAPTUREGATE_LONG:+2000}
races=${races:-100}
reach_all() { "$1" timeout 100 capturegate run -- "$judges/reach" --races $races "$camera_node" >"/rigout/reach-$1" 2>>/rigout/said || true; }
for who in as_user ${CAPTUREGATE_LONG:+as_root}; do
    reach_all $who
    note "$who: $(tail -n 1 /rigout/reach-$who)"
    equal "$who, no way past leads to the camera" "" "$(grep -E '^(leak|lost) ' /rigout/reach-$who)"
done
