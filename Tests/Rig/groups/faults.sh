# about: whatever call fails, recording a camera recovers or ends with an error that helps, and leaves nothing
# time: virtual
# timeout: 200
# checks: 2

load_vivid
sweep=$(dirname "$(command -v capturegate)")/../debug/FaultSweep
[ -x "$sweep" ] || { note "there is no $sweep: run 'swift build' first"; exit 1; }

swept() {
    "$sweep" "$@" >/rigout/sweep.txt 2>&1 && return
    grep -a '^not ok' /rigout/sweep.txt || tail -n 3 /rigout/sweep.txt
    return 1
}

check "each call that a recording makes fails once and for ever" \
    swept camera "$(device_id "$camera_node")" --depth 0 --milliseconds 60
faults=$(sed -n 's/^\([0-9]*\) faults,.*/\1/p' /rigout/sweep.txt)
note "$faults faults"
check "in more than 100 ways" [ "${faults:-0}" -gt 100 ]
