# about: eight cameras and eight microphones in one process: nothing is lost
# time: virtual
# timeout: 120
# checks: 6

load_eight
equal "there are eight pairs of a camera and a microphone" 8 "$(wc -l <pairs)"
# shellcheck disable=SC2046
exits "all are recorded for three seconds, at once, by one process" 0 "$(beside ManyDevices)" 3 $(cat pairs)
grep '"tracks"' $rig/tmp/said.txt | jq -c '.tracks[]' >tracks
total() { jq -s "map(select(.kind == \"$1\") | $2) | add" tracks; }

equal "each track has a device of its own" 16 "$(jq -r .device tracks | sort -u | wc -l)"
equal "eight times 90 pictures were made and are there" "720 720" "$(total video .asked) $(total video .delivered)"
equal "eight times 144,000 frames of sound were made and are there" "1152000 1152000" \
    "$(total audio .asked) $(total audio .delivered)"
equal "nothing is lost, put in or taken out" 0 "$(jq -s 'map((.lost | add) + .xruns + .filled + .repaired) | add' tracks)"
