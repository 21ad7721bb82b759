# about: when another process revokes a grant, a real camera delivers its last frame within 100 ms
# time: virtual
# timeout: 120
# long-timeout: 400
# checks: 5

load_vivid
camera=$(device_id "$camera_node")
# In virtual time, nothing but the program's own waiting can make it late. The step `revocations` measures the rest of the
# delay on the clock of the machine.
rounds=${CAPTUREGATE_LONG:+100}
rounds=${rounds:-20}

# One round: a capture runs, and another process revokes the grant. Writes a line "MILLISECONDS CODE REASON": the time from the
# commit to the last frame. The end event has the last frame's time, the revocation has its commit's, both CLOCK_MONOTONIC.
revoke_once() {
    code=0
    capturegate grant camera --always >/dev/null
    : >events.ndjson
    capturegate record null: --json --camera "$camera" --microphone none --size 640x360 --fps 30 \
        --for 60s >events.ndjson 2>>/rigout/said &
    recorder=$!
    wait_for 20 recording events.ndjson || return 1
    # Each round revokes at another moment between two frames.
    sleep "$(printf '0.%03d' $((round * 13 % 100)))"
    committed=$(capturegate revoke camera --json | jq .committed_ns)
    finish 20 $recorder || code=$?
    last=$(ledger events.ndjson .last_timestamp_ns)
    awk -v last="$last" -v committed="$committed" -v rest="$code $(ledger events.ndjson .reason)" \
        'BEGIN { printf "%.3f %s\n", (last - committed) / 1e6, rest }' >>rounds
}

cd /rigout || exit
round=0
while [ $round -lt $rounds ] && revoke_once; do round=$((round + 1)); done

equal "all rounds were made" $rounds "$(wc -l <rounds)"
equal "each ended with 77 and said why" $rounds "$(grep -c ' 77 revoked$' rounds)"
sort -n rounds | awk '{ ms[NR] = $1 } END {
    printf "min %.1f, median %.1f, p95 %.1f, max %.1f ms from commit to last frame (%d rounds)\n",
        ms[1], ms[int((NR + 1) / 2)], ms[int(NR * 0.95 + 0.5)], ms[NR], NR }' >figures
note "$(cat figures)"
check "the slowest took at most 100 ms" awk '$1 > 100 { late = 1 } END { exit late || NR == 0 }' rounds
# At 30 frames a second, an older last frame means that nothing was captured when the grant was revoked.
check "each came while frames were flowing" awk '$1 < -500 { idle = 1 } END { exit idle || NR == 0 }' rounds
check "the audit log is whole" capturegate log --verify
