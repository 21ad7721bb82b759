# about: programs under "run" get frames by a grant alone, and none when it ends; ways past the supervisor are closed
# time: real
# timeout: 400
# checks: 47

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
        gst) set -- gst-launch-1.0 -q v4l2src device="$camera_node" num-buffers=3 ! fakesink ;;
        capturegate) set -- capturegate record null: --camera "$camera" --microphone none --for 1s ;;
    esac
    outcome=0
    $as timeout -s KILL 60 capturegate run -- "$@" >"$rig/client.out" 2>"$rig/client" || outcome=$?
    { echo "$as $*: $outcome"; cat "$rig/client"; } >>/rigout/said
    return $outcome
}
clients="v4l2-ctl ffmpeg busybox python3 arecord arecord-mmap arecord-plug"
program_of() {
    case $1 in
        python3) echo "$python" ;;
        arecord*) command -v arecord ;;
        *) command -v "$1" ;;
    esac
}
refused() { ! client "$1" "$2" && [ "$outcome" -lt 124 ] && grep -q '^capturegate: .*may not use' "$rig/client"; }

for who in as_root as_user; do
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

# -- the end of a permission

watch_stalls
clings=$judges/clings
rounds=${CAPTUREGATE_LONG:+200}
rounds=${rounds:-50}
streaming() { grep -q streaming clung; }

# Leaves a line "MILLISECONDS STALLED AFTER ATTEMPTS" in `ends-NAME`, from the end of a permission to the client's last frame.
settle() { # NAME MOMENT
    name=$1 moment=$2
    set -- $(tail -n 1 clung)
    [ $# = 5 ] || { note "$name: the client was ended"; return 1; }
    awk -v last="$1" -v moment="$moment" -v stalled="$(stalled "$moment" "$1")" -v rest="$3 $4" \
        'BEGIN { printf "%.3f %.3f %s\n", (last - moment - stalled) / 1e6, stalled / 1e6, rest }' >>"ends-$name"
}

# ended NAME ATTEMPTS COMMAND...: one client that streams, until the command ends its permission and says when that was.
ended() {
    name=$1 attempts=$2
    shift 2
    : >clung
    capturegate run -- "$clings" "$camera_node" "$attempts" racing >clung 2>>/rigout/said &
    run=$!
    wait_for 20 streaming || return 1
    moment=$("$@") || return 1
    finish 60 $run || true
    settle "$name" "$moment"
}
figures() {
    sort -n "ends-$1" | awk '{ ms[NR] = $1; after += $3; tries += $4 } END {
        printf "min %.1f, median %.1f, p95 %.1f, max %.1f ms to the last frame (%d rounds); %d frames in %d later attempts\n",
            ms[1], ms[int((NR + 1) / 2)], ms[int(NR * 0.95 + 0.5)], ms[NR], NR, after, tries }'
}
in_time() { awk '$1 > 100 || $1 < -500 { wrong = 1 } END { exit wrong || NR == 0 }' "ends-$1"; }
no_frames() { awk '{ after += $3; tries += $4 } END { exit !(after == 0 && tries > 0) }' "ends-$1"; }

cd /rigout || exit
revoking() { capturegate revoke camera --to "$clings" --json | jq .committed_ns; }
round=0
while [ $round -lt $rounds ]; do
    capturegate grant camera --to "$clings" --always >/dev/null
    attempts=10
    # Once for long.
    [ $round != 0 ] || attempts=1000
    ended revoked $attempts revoking || break
    round=$((round + 1))
done
equal "all revocations were made" $rounds "$(wc -l <ends-revoked)"
note "revoked: $(figures revoked)"
check "the slowest took at most 100 ms" in_time revoked
check "no attempt to start again got a frame" no_frames revoked

killing() { capturegate kill camera --json | jq .committed_ns; }
for round in 1 2 3; do
    capturegate grant camera --to "$clings" --always >/dev/null
    ended killed 20 killing || break
    capturegate kill camera --off >/dev/null
done
note "killed: $(figures killed)"
check "so does the kill switch" in_time killed
check "and nothing starts again" no_frames killed

capturegate revoke camera --to "$clings" >/dev/null
# In a store of its own: the log then begins with the grant.
run_out() {
    export XDG_STATE_HOME=$rig/timed
    span=$(capturegate grant camera --to "$clings" --for 4s --json | jq .decision.until_ns)
    ended expired 20 sleeping_until "$(capturegate log --json | jq --arg until "$span" \
        'first(.entries[]).event.at | .bootNanoseconds + ($until | tonumber) - .wallNanoseconds')"
}
sleeping_until() { sleep 5; echo "$1"; }
(run_out)
note "run out: $(figures expired)"
check "so does the end of its time" in_time expired
check "and nothing starts again" no_frames expired

# The leader of the session ends once the client streams.
setsid -w sh -c 'capturegate grant camera --to "$1" --session >/dev/null
    capturegate run -- "$1" "$2" 20 racing >clung 2>>/rigout/said &
    until grep -q streaming clung; do sleep 0.02; done
    "$3" >left' sh "$clings" "$camera_node" "$judges/monotonic"
over() { [ "$(wc -l <clung)" -ge 2 ]; }
wait_for 20 over
settle session "$(cat left)"
note "session over: $(figures session)"
check "so does the end of the session" in_time session
check "and nothing starts again" no_frames session

# A client that reads can't be stopped: it is ended.
capturegate grant camera --to /usr/bin/busybox --always >/dev/null
capturegate run -- busybox dd if="$camera_node" of=/rigout/read bs=65536 2>>/rigout/said &
run=$!
wait_for 20 test -s /rigout/read
capturegate revoke camera --to /usr/bin/busybox >/dev/null
code=0
finish 10 $run || code=$?
equal "a program that reads is ended" 137 $code
rm -f /rigout/read

# -- the ways past

reach_all() { "$1" timeout 100 capturegate run -- "$judges/reach" --races 2000 "$camera_node" >"/rigout/reach-$1" 2>>/rigout/said || true; }
for who in as_root as_user; do
    reach_all $who
    note "$who: $(tail -n 1 /rigout/reach-$who)"
    equal "$who, no way past leads to the camera" "" "$(grep -E '^(leak|lost) ' /rigout/reach-$who)"
done

capturegate log >/rigout/log
check "the log tells of starts" grep -q 'start .*camera' /rigout/log
check "and of streams taken back" grep -q 'taken back' /rigout/log
check "and it is whole" capturegate log --verify
