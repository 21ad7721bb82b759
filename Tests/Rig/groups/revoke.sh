# about: of 100 revocations the slowest stops the last frame within 100 ms
# time: real
# timeout: 400
# checks: 5

load_vivid
camera=$(device_id "$camera_node")
rounds=100

# One round: a capture runs, another process takes the grant back. Leaves a line "MILLISECONDS STALLED CODE REASON": from
# commit to last frame without the milliseconds for which the machine stood still in between, and those. The end event carries the last frame's time, the revocation its commit's, both of CLOCK_MONOTONIC.
revoke_once() {
    code=0
    capturegate grant camera --always >/dev/null
    : >events.ndjson
    capturegate record null: --json --camera "$camera" --microphone none --size 640x360 --fps 30 \
        --for 60s >events.ndjson 2>>/rigout/said &
    recorder=$!
    wait_for 20 recording events.ndjson || return 1
    committed=$(capturegate revoke camera --json | jq .committed_ns)
    finish 20 $recorder || code=$?
    last=$(ledger events.ndjson .last_timestamp_ns)
    awk -v last="$last" -v committed="$committed" -v stalled="$(stalled "$committed" "$last")" \
        -v rest="$code $(ledger events.ndjson .reason)" \
        'BEGIN { printf "%.3f %.3f %s\n", (last - committed - stalled) / 1e6, stalled / 1e6, rest }' >>rounds
}

cd /rigout || exit
watch_stalls
round=0
while [ $round -lt $rounds ] && revoke_once; do round=$((round + 1)); done

equal "all rounds were made" $rounds "$(wc -l <rounds)"
equal "each ended with 77 and said why" $rounds "$(grep -c ' 77 revoked$' rounds)"
sort -n rounds | awk '{ ms[NR] = $1; all += $2; stalls += $2 > 0; if ($2 > most) most = $2 } END {
    printf "min %.1f, median %.1f, p95 %.1f, max %.1f ms from commit to last frame (%d rounds)",
        ms[1], ms[int((NR + 1) / 2)], ms[int(NR * 0.95 + 0.5)], ms[NR], NR
    printf ", besides the machine standing still for %.1f ms in %d of them, %.1f at most\n", all, stalls, most }' >figures
note "$(cat figures)"
check "the slowest took at most 100 ms" awk '$1 > 100 { late = 1 } END { exit late || NR == 0 }' rounds
# A camera of 30 frames a second: an older last frame would mean that nothing was captured when it was revoked.
check "each came while frames were flowing" awk '$1 < -500 { idle = 1 } END { exit idle || NR == 0 }' rounds
check "the audit log is whole" capturegate log --verify
