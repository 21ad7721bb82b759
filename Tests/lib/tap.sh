# shellcheck shell=sh
# What every shell check here says, in the Test Anything Protocol (testanything.org): a plan, one line a check, remarks, and
# at the end "N passed, M failed", which Tests/run shows. For POSIX shells: bash outside, dash in the rig's kernel.
#
#   . ../lib/tap.sh
#   plan 2
#   equal "one and one are two" 2 $((1 + 1))
#   check "the clip decodes" ffmpeg -v error -i clip.mkv -f null -
#   done_testing
#
# Each function below that begins with a SENTENCE makes one check. It returns 0 either way: a check that fails does not end
# the script, so that the others are made, too.
#
# Variables that a script may set before the first check:
#   tap_work   a folder for what commands say; by default one that `done_testing` removes
#   tap_copy   a file that gets every line, too
tap_number=0 tap_failed=0 tap_plan=''

# plan COUNT: how many checks the script makes. Fewer or more is then a failure: a check that is lost shows. Without it
# the plan is written at the end, and only a script that made no check fails.
plan() {
    tap_plan=$1
    tap_say "1..$1"
}

# note WORDS...: a figure or a remark that belongs beside the results.
note() { tap_say "# $*"; }

pass() {
    tap_number=$((tap_number + 1))
    tap_say "ok $tap_number - $1"
}

# fail SENTENCE [FILE]: the end of the file is shown beside it.
fail() {
    tap_number=$((tap_number + 1)) tap_failed=$((tap_failed + 1))
    tap_say "not ok $tap_number - $1"
    [ -z "${2:-}" ] || tail -n 20 "$2" | tap_remarks
}

# check SENTENCE COMMAND...: passes if the command does; what it says is shown where it fails.
check() { if tap_run "$@"; then pass "$1"; else fail "$1" "$tap_work/check.txt"; fi; }

# refute SENTENCE COMMAND...: passes if the command fails.
refute() { if tap_run "$@"; then fail "$1" "$tap_work/check.txt"; else pass "$1"; fi; }

# equal SENTENCE EXPECTED GOT
equal() {
    if [ "$2" = "$3" ]; then pass "$1"; else tap_differ "$@"; fi
}

# matches SENTENCE PATTERN GOT: an extended regular expression, of which some part of what was got is an example.
matches() {
    if grep -qE -- "$2" <<TAP
$3
TAP
    then pass "$1"; else tap_differ "$@"; fi
}

# exits SENTENCE CODE COMMAND...: what the command said is left in $tap_work/said.txt.
exits() {
    tap_folder
    tap_sentence=$1 tap_expected=$2 tap_code=0
    shift 2
    "$@" >"$tap_work/said.txt" 2>&1 || tap_code=$?
    echo "expected exit code $tap_expected, got $tap_code" >>"$tap_work/said.txt"
    if [ "$tap_code" = "$tap_expected" ]; then pass "$tap_sentence"; else fail "$tap_sentence" "$tap_work/said.txt"; fi
}

# said SENTENCE PATTERN: what the command of the last `exits` said matches, in any case.
said() {
    if grep -qiE -- "$2" "$tap_work/said.txt"; then pass "$1"; else fail "$1" "$tap_work/said.txt"; fi
}

# adopt PROGRAM ARGUMENT...: the checks of a program that speaks TAP as well become this script's own. It has run to its end
# where it has written its summary; one more check fails where it has not.
adopt() {
    tap_folder
    rm -f "$tap_work/adopted"
    mkfifo "$tap_work/adopted"
    "$@" >"$tap_work/adopted" &
    tap_child=$! tap_over=
    while IFS= read -r tap_said; do
        case $tap_said in
            "ok "*) pass "${tap_said#* - }" ;;
            "not ok "*) fail "${tap_said#* - }" ;;
            "#"*) tap_say "$tap_said" ;;
            *" passed, "*" failed") tap_over=yes ;;
        esac
    done <"$tap_work/adopted"
    wait $tap_child || tap_code=$?
    [ -n "$tap_over" ] || fail "$(basename "$1") runs to its end"
}

# Ends a script: its result is that of all checks.
done_testing() {
    [ -z "${tap_own:-}" ] || rm -rf "$tap_own"
    if [ -z "$tap_plan" ]; then
        tap_say "1..$tap_number"
    elif [ "$tap_number" != "$tap_plan" ]; then
        fail "$tap_plan checks were planned, and $tap_number made"
    fi
    tap_say "$((tap_number - tap_failed)) passed, $tap_failed failed"
    [ "$tap_failed" -eq 0 ] && [ "$tap_number" -gt 0 ]
}

# -- the library's own

tap_say() {
    printf '%s\n' "$1"
    [ -z "${tap_copy:-}" ] || printf '%s\n' "$1" >>"$tap_copy"
}

# Whatever is read becomes remarks, lines of several in one among them.
tap_remarks() { while IFS= read -r tap_line || [ -n "$tap_line" ]; do tap_say "#     $tap_line"; done; }

tap_differ() {
    fail "$1"
    { printf 'expected: %s\n' "$2"; printf 'got:      %s\n' "$3"; } | tap_remarks
}

tap_folder() {
    [ -z "${tap_work:-}" ] || return 0
    tap_own=$(mktemp -d)
    tap_work=$tap_own
}

# tap_run SENTENCE COMMAND...
tap_run() {
    tap_folder
    shift
    "$@" >"$tap_work/check.txt" 2>&1
}
