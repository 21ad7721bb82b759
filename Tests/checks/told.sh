# shellcheck shell=bash
# Counts what a check says: sourced by the scripts beside it.
passed=0
failed=0

equal() { # sentence, expected, got
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
        echo "ok: $1"
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n    expected: %s\n    got:      %s\n' "$1" "$2" "$3"
    fi
}

matches() { # sentence, pattern, got
    if grep -qE -- "$2" <<<"$3"; then
        passed=$((passed + 1))
        echo "ok: $1"
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n    expected: %s\n    got:      %s\n' "$1" "$2" "$3"
    fi
}

# Ends the script: nothing that ran is a failure too.
told() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
