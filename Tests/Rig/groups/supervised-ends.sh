# about: what runs under "run" gets its last frame within 100 ms of a permission's end, and starts nothing again
# time: virtual
# timeout: 200
# long-timeout: 900
# checks: 15

load_vivid
load_aloop pcm_substreams=1

clings=$judges/clings
# In virtual time, nothing but the supervisor's own waiting can make the end late.
rounds=${CAPTUREGATE_LONG:+200}
rounds=${rounds:-15}
streaming() { grep -q streaming clung; }

# Writes a line "MILLISECONDS AFTER ATTEMPTS" to `ends-NAME`: the time from the end of a permission to the client's last frame.
settle() { # NAME MOMENT
    name=$1 moment=$2
    set -- $(tail -n 1 clung)
    [ $# = 5 ] || { note "$name: the client was ended"; return 1; }
    awk -v last="$1" -v moment="$moment" -v rest="$3 $4" \
        'BEGIN { printf "%.3f %s\n", (last - moment) / 1e6, rest }' >>"ends-$name"
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
    sort -n "ends-$1" | awk '{ ms[NR] = $1; after += $2; tries += $3 } END {
        printf "min %.1f, median %.1f, p95 %.1f, max %.1f ms to the last frame (%d rounds); %d frames in %d later attempts\n",
            ms[1], ms[int((NR + 1) / 2)], ms[int(NR * 0.95 + 0.5)], ms[NR], NR, after, tries }'
}
in_time() { awk '$1 > 100 || $1 < -500 { wrong = 1 } END { exit wrong || NR == 0 }' "ends-$1"; }
no_frames() { awk '{ after += $2; tries += $3 } END { exit !(after == 0 && tries > 0) }' "ends-$1"; }

cd /rigout || exit
revoking() { capturegate revoke camera --to "$clings" --json | jq .committed_ns; }
round=0
while [ $round -lt $rounds ]; do
    capturegate grant camera --to "$clings" --always >/dev/null
    attempts=12
    # The first client tries for longer: each of its six ways twenty times.
    [ $round != 0 ] || attempts=${CAPTUREGATE_LONG:+1000}
    attempts=${attempts:-120}
    ended revoked $attempts revoking || break
    round=$((round + 1))
done
equal "all revocations were made" $rounds "$(wc -l <ends-revoked)"
note "revoked: $(figures revoked)"
check "the slowest took at most 100 ms" in_time revoked
check "no attempt to start again got a frame" no_frames revoked

killing() { capturegate camera off --json | jq .committed_ns; }
for round in 1 2 3; do
    capturegate grant camera --to "$clings" --always >/dev/null
    ended killed 20 killing || break
    capturegate camera on >/dev/null
done
note "killed: $(figures killed)"
check "so does the kill switch" in_time killed
check "and nothing starts again" no_frames killed

capturegate revoke camera --to "$clings" >/dev/null
# Sound, by when arecord wrote last into its file.
hear() { # OPTION
    capturegate grant microphone --to "$(command -v arecord)" --always >/dev/null
    # In memory: a file below /rigout has the times of the machine outside.
    heard=$rig/tmp/heard
    rm -f "$heard"
    capturegate run -- arecord -q $1 -D hw:Loopback,1 -f dat --period-size=480 --buffer-size=4800 -t raw "$heard" 2>>/rigout/said &
    run=$!
    wait_for 20 test -s "$heard"
    moment=$(capturegate revoke microphone --to "$(command -v arecord)" --json | jq .committed_ns)
    finish 20 $run || true
    last=$(($(date -r "$heard" +%s%N) - $(date +%s%N) + $(nanoseconds)))
    awk -v last="$last" -v moment="$moment" 'BEGIN { printf "%.3f 0 1\n", (last - moment) / 1e6 }' >>ends-heard
}
for round in 1 2; do hear "" && hear --mmap; done
equal "four recordings of sound were revoked" 4 "$(wc -l <ends-heard)"
note "sound: $(figures heard)"
check "the slowest took at most 100 ms" in_time heard

# In a store of its own: the log then begins with the grant.
run_out() {
    export XDG_STATE_HOME=$rig/timed
    span=$(capturegate grant camera --to "$clings" --for 4s --json | jq .decision.until_ns)
    ended expired 20 sleeping_until "$(capturegate log --json | jq --arg until "$span" \
        'first(.entries[]).event.at | .boot_nanoseconds + ($until | tonumber) - .wall_nanoseconds')"
}
# Returns a second after the grant has run out; the moment is in the log.
sleeping_until() { sleep 5; echo "$1"; }
(run_out)
note "run out: $(figures expired)"
check "so does the end of its time" in_time expired
check "and nothing starts again" no_frames expired

# 1 where it gets the camera.
getting='"$1" run -- "$2" --plain "$3" >>/rigout/said 2>&1; echo $?'
equal "a grant for a session holds in it" 1 "$(setsid -w sh -c "\"\$1\" grant camera --to \"\$2\" --session >/dev/null; $getting" \
    sh capturegate "$judges/reach" "$camera_node")"
equal "and in no other" 0 "$(setsid -w sh -c "$getting" sh capturegate "$judges/reach" "$camera_node")"

# A client that reads can't be stopped: it is ended.
capturegate grant camera --to /usr/bin/busybox --always >/dev/null
capturegate run -- busybox dd if="$camera_node" of="$rig/tmp/read" bs=65536 2>>/rigout/said &
run=$!
wait_for 20 test -s $rig/tmp/read
capturegate revoke camera --to /usr/bin/busybox >/dev/null
code=0
finish 10 $run || code=$?
equal "a program that reads is ended" 137 $code
rm -f $rig/tmp/read

capturegate log >/rigout/log
check "the log tells of starts" grep -q 'start .*camera' /rigout/log
check "and of streams taken back" grep -q 'the stream was revoked' /rigout/log
check "and it is whole" capturegate log --verify
