# shellcheck shell=bash
# For checks of real time: a program that runs before all other work, and the times at which the machine itself stood still. A
# busy machine then changes no result, and what it did not run at all is known.
#
#   . ../lib/standstill.sh
#   watch_standstills "$folder"
#   trap end_standstills EXIT
#   "${first[@]}" capturegate record …

# Begins a command that runs before other work, if this user may ask for that; root may.
first=()
! chrt --rr 1 true 2>/dev/null || first=(chrt --rr 1)

# watch_standstills FOLDER: writes a line "BEGIN END" for each time into $standstills; see ../checks/standstill.c.
watch_standstills() {
    standstills=$1/standstills
    gcc -std=gnu11 -O2 -Wall -Wextra -Werror -pthread -o "$1/standstill" "$(dirname "${BASH_SOURCE[0]}")/../checks/standstill.c"
    : >"$standstills"
    "$1/standstill" "$standstills" >/dev/null &
    witness=$!
    disown
}
end_standstills() { [ -z "${witness:-}" ] || kill "$witness" 2>/dev/null || true; }

# stood_still MILLISECONDS: the machine has stood still for at least this long at once.
stood_still() { awk -v least="$1" '$2 - $1 >= least * 1e6 { stood = 1 } END { exit !stood }' "$standstills"; }
