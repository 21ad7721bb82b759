#!/usr/bin/env bash
# Builds CaptureGate on a fresh Debian 12 machine that has Swift 6.3, and records a first clip of 5 seconds.
# It can be run again. usage: Samples/first-clip.sh [OUT.mkv]
set -euo pipefail
folder=$(cd "$(dirname "$0")/.." && pwd)
out=$(realpath -m "${1:-clip.mkv}")
cd "$folder"

say() { printf '==> %s\n' "$*"; }
die() { printf 'first-clip: %s\n' "$*" >&2; exit 69; }

command -v swift >/dev/null || die "there is no swift on PATH. Install Swift 6.3 from swift.org, then run this again."

say "Debian packages that the build needs"
Samples/install-packages Samples/packages

say "Building release (some minutes the first time)"
program=$(Samples/release-build --product capturegate)/capturegate

say "The devices of this machine"
"$program" devices

# The machine's choice of a real device, else the built-in one.
choose() { # capability, built-in
    local real
    real=$("$program" devices --json --capability "$1" | tr -d '\n' |
        sed -nE 's/.*"default":"([^"]+)".*/\1/p')
    printf '%s' "${real:-$2}"
}
camera=$(choose camera test:bars)
microphone=$(choose microphone test:tone)
[ "$camera" != test:bars ] || say "This machine has no camera: the video is the built-in test pattern (test:bars)."
[ "$microphone" != test:tone ] || say "This machine has no microphone: the audio is the built-in test tone (test:tone)."

# With a terminal the program asks; without one this script says yes for this one recording.
if ! { : </dev/tty; } 2>/dev/null; then
    say "No terminal to ask at: granting this one recording"
    "$program" grant camera --device "$camera" --once
    "$program" grant microphone --device "$microphone" --once
fi

say "Recording 5 seconds to $out"
force=()
[ ! -e "$out" ] || { say "$out is there from before and is replaced"; force=(--force); }
"$program" record "$out" --camera "$camera" --microphone "$microphone" --for 5s ${force[@]+"${force[@]}"}
say "Done: $out"
