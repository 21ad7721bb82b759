# about: what a recorder stopped for a second has missed of the sound is told, silent and counted, to the sample
# time: virtual
# timeout: 120
# checks: 28

load_still_vivid
load_aloop
grant_all
find_devices
mkfifo told

# A judge that sees no hole proves nothing: 50 frames of silence where 100 are missing.
holed() {
    "$judges/numbered" play 500
    head -c 400 /dev/zero
    "$judges/numbered" play 1000 | tail -c 3200
}
equal "a hole in numbered sound is seen" '0 0 1 500/50 100 601 400' "$(holed | "$judges/numbered" read | paste -sd /)"

# Each line of `events` begins with the time at which it was told.
record() {
    : >events
    "$judges/monotonic" stamp <told >events &
    stamper=$!
    capturegate record clip.mkv --force --json --on-loss mark --camera "$camera" --microphone "$microphone" \
        --size 320x180 --fps 30 --rate 48000 --channels 2 --sample-format S32_LE --audio-codec pcm --for 6s >told &
    recorder=$!
    wait_for 20 recording events
}

stop_for_a_second() {
    kill -STOP $recorder
    sleep 1
    continued=$(nanoseconds)
    kill -CONT $recorder
}

# Sets $before, $silence, $missing and $after: frames of the clip, and of what was played, before, in and after the
# hole.
read_clip() {
    ffmpeg -nostdin -v error -i clip.mkv -map 0:a -f s32le - | "$judges/numbered" read >runs
    { read -r _ _ _ before; read -r silence missing _ after; } <runs
    note "$before frames, $silence of silence where $missing are missing, $after frames"
}

tell() { cut -d ' ' -f 2- events | jq -r "$1"; }
loss() { tell "select(.event == \"loss\" and .kind == \"audio\") | $1"; }
sound() { tell "select(.event == \"end\") | .ledger.tracks[] | select(.kind == \"audio\") | $1"; }
pictures() { tell "select(.event == \"end\") | .ledger.tracks[] | select(.kind == \"video\") | $1"; }

# Of sound, a recording reads periods of 100 ms: only the first whole one after the hole tells how long the hole was. It
# captures again 2 ms after it went on; what more it takes is the loopback's timer, which rings up to 20 ms late, and the
# telling itself. With the next period it would be 200 ms at least.
most_delay=150
told_in_time() {
    came=$(grep '"event":"loss","kind":"audio"' events | cut -d ' ' -f 1)
    delay=$(((came - continued) / 1000000))
    note "told $delay ms after it went on"
    [ "$delay" -ge 0 ] && [ "$delay" -le $most_delay ]
}

# round SECONDS: the stop comes so long after the start, at another place of a period each time.
round() {
    play_numbered 600000
    record
    sleep "$1"
    stop_for_a_second
    check "a recorder stopped after $1 s for a second ends well" finish 30 $recorder
    wait $stamper
    kill $player
    wait $player || true
    read_clip
    equal "there is one hole in the sound" 2 "$(wc -l <runs)"
    equal "silence is as long as what is missing" "$missing" "$silence"
    equal "so long is the loss that was told, at its place" "$missing $((before * 1000000 / 48))" \
        "$(loss '"\(.frames) \(.at_ns)"')"
    check "it was told with the first period after it" told_in_time
    equal "the ledger has what is there, what is missing and what is filled" "$((before + after)) $missing $missing 0" \
        "$(sound '"\(.delivered) \(.lost.xrun) \(.filled) \(.corrected)"')"
    equal "which is all that the device made" "288000 288000" \
        "$((before + missing + after)) $(sound '.asked')"
    equal "the picture's ledger adds up, too" 180 "$(pictures '.delivered + (.lost | add)')"
    check "pictures are missing for about a second" between "$(pictures '.lost | add')" 20 32
}

round 2.013
round 2.05
round 2.087
