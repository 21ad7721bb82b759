# What groups of the bench rig say beside guest.sh: each check passes on a good device, and fails for the right measure on its
# twin, which is the same device with a fault. Sourced by those groups, which write the plan's devices into `devices.yaml` first.

# sampled COUNT: keys of a check that tries modes: a sample of them by the group's seed, or all of them in the long run.
sampled() {
    echo "sample: $([ -n "$CAPTUREGATE_LONG" ] && echo 0 || echo "$1")
    seed: $seed"
}

# made CHECK [YAML...]: makes one check by a plan of its own. Its result is in result.json, the exit code in $code. Each further
# word is a line of YAML among the check's keys.
made() {
    name=$1
    shift
    {
        printf 'version: 1\nname: rig\nprofile: bench\ndevices:\n'
        sed 's/^/  /' devices.yaml
        printf 'checks:\n  - check: %s\n' "$name"
        case $name in
            sync.*) echo '    devices: [camera, microphone]' ;;
            sound.*) echo '    device: microphone' ;;
            host.*) ;;
            *) echo '    device: camera' ;;
        esac
        for line in "$@"; do echo "    $line"; done
    } >plan.yaml
    rm -rf out
    code=0
    # shellcheck disable=SC2086 # some options, or none
    capturegate rig run plan.yaml --out out ${rig_options:-} >said 2>&1 || code=$?
    jq '.results[-1]' out/report.json >result.json || echo '{}' >result.json
}

# Numbers of the result with their units.
measured() { jq -r '[.measures[] | "\(.name) \(.value // "-") \(.unit)"] | join(", ")' result.json; }

# Measures that are outside of their limits, a line each.
failing() {
    jq -r '.measures[] | select(.value != null and .limit != null) |
        select((.limit.least // -1e99) > .value or (.limit.most // 1e99) < .value) | .name' result.json
}

# good CHECK [YAML...]: a check that passes, with a number for each of its measures.
good() {
    made "$@"
    note "$1, good: $(measured)"
    check "$1 passes on a good device" is_good
}
is_good() {
    [ $code = 0 ] && jq -e '(.verdict | IN("pass", "marginal", "done")) and all(.measures[]; .value != null)' result.json ||
        { cat said && jq -c 'del(.series)' result.json && false; }
}

# twin CHECK MEASURE [YAML...]: the same check fails by that measure, and with exit code 1.
twin() {
    wanted=$2
    made_of "$@"
    note "$1, twin: $(measured)"
    check "$1 fails on its twin by $2" is_found
}
made_of() {
    name=$1
    shift 2
    made "$name" "$@"
}
is_found() {
    [ $code = 1 ] && jq -e '.verdict == "fail"' result.json && failing | grep -qx "$wanted" ||
        { cat said && jq -c 'del(.series)' result.json && false; }
}

# accepted CHECK [YAML...]: makes its golden file.
accepted() {
    rig_options=--accept
    made "$@"
    rig_options=
    check "$1 writes its golden file" [ -n "$(ls golden/"$1".* 2>/dev/null)" ]
}

# Least and largest number of each measure over all repeats.
ranges() {
    jq -r '[.results[].measures[]] | group_by(.name) |
        map("\(.[0].name) \(map(.value) | min) to \(map(.value) | max) \(.[0].unit)") | join(", ")' out/report.json
}

# steady CHECK [YAML...]: in the long run, the check passes fifty times in a row.
steady() {
    [ -n "${CAPTUREGATE_LONG:-}" ] || return 0
    made "$@" 'repeat: 50'
    note "$1, fifty times: $(ranges)"
    check "$1 passes fifty times in a row" is_steady
}
is_steady() {
    jq -r '.results[] | select(.verdict | IN("pass", "marginal", "done") | not) | del(.series) | tojson' out/report.json
    [ $code = 0 ] && jq -e '.results | length == 50' out/report.json
}

# busy: a program that has the processor for 10 ms, again and again, before all that captures. In the background, as $busy,
# until it is killed.
busy() {
    chrt -f 99 "$judges/busy" 10 100 &
    busy=$!
}
