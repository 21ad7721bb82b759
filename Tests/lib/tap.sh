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

# refute SENTENCE COMMAND...: passes if the command runs and fails. A command that is missing, is ended by a signal or by
# timeout(1) has judged nothing, so the check fails. To say that a file lacks some text, use `lacks`: grep fails as well if the
# file is missing.
refute() {
    tap_code=0
    tap_run "$@" || tap_code=$?
    echo "exit code $tap_code" >>"$tap_work/check.txt"
    if [ $tap_code -gt 0 ] && tap_judged $tap_code; then pass "$1"; else fail "$1" "$tap_work/check.txt"; fi
}

# lacks SENTENCE PATTERN FILE...: no line of these files matches an extended regular expression. A file that is missing or
# unreadable fails the check; an empty file passes it.
lacks() { tap_unmatched -E "$@"; }

# absent SENTENCE PATH...: none of these files exists. A pattern such as clip.* may stand unquoted.
absent() {
    tap_folder
    tap_sentence=$1
    shift
    : >"$tap_work/check.txt"
    for tap_path in "$@"; do
        [ ! -e "$tap_path" ] && [ ! -L "$tap_path" ] || echo "exists: $tap_path" >>"$tap_work/check.txt"
    done
    if [ $# -gt 0 ] && [ ! -s "$tap_work/check.txt" ]; then pass "$tap_sentence"; else fail "$tap_sentence" "$tap_work/check.txt"; fi
}

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

# unsaid SENTENCE PATTERN: the opposite of `said`.
unsaid() {
    tap_folder
    tap_unmatched -iE "$1" "$2" "$tap_work/said.txt"
}

# adopt PROGRAM ARGUMENT...: the checks of a program that speaks TAP as well become this script's own. It has run to its end
# where it has written its summary; one more check fails where it has not.
adopt() {
    tap_folder
    rm -f "$tap_work/adopted"
    mkfifo "$tap_work/adopted"
    "$@" >"$tap_work/adopted" &
    tap_child=$! tap_over= tap_code=0 tap_before=$tap_failed
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
    # A crash after the summary is a failure, too.
    [ $tap_code = 0 ] || [ $tap_failed -gt $tap_before ] || fail "$(basename "$1") ends with exit code 0, not $tap_code"
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

# tap_judged CODE: a command that ended with this code has run to its end. The shell uses 126 and 127 for a command that it
# can't run, and 128 plus the signal's number for one that a signal ended; timeout(1) and env(1) use 124 and 125.
tap_judged() { [ "$1" -lt 124 ] || [ "$1" = 128 ] || [ "$1" -gt 192 ]; }

# tap_unmatched OPTIONS SENTENCE PATTERN FILE...: grep's exit code is 1 if all files were read and no line matches.
tap_unmatched() {
    tap_folder
    tap_options=$1 tap_sentence=$2 tap_pattern=$3 tap_code=0
    shift 3
    if [ $# -gt 0 ]; then grep "$tap_options" -- "$tap_pattern" "$@" >"$tap_work/check.txt" 2>&1 || tap_code=$?; fi
    if [ $tap_code = 1 ]; then pass "$tap_sentence"; else fail "$tap_sentence" "$tap_work/check.txt"; fi
}

# tap_run SENTENCE COMMAND...
tap_run() {
    tap_folder
    shift
    "$@" >"$tap_work/check.txt" 2>&1
}
