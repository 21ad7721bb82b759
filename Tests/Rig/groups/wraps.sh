# about: a driver's picture numbers and time stamps pass the end of their range: no loss, and times that rise
# time: virtual
# timeout: 100
# checks: 22

load_vivid
grant_all
camera=$(device_id "$camera_node")

# What the kernel gave meanwhile is in `seen`, a line a picture.
recorded() {
    rm -f seen
    env "CAPTUREGATE_DEQUEUED=$rig/work/seen" "LD_PRELOAD=$judges/dequeued.so" capturegate record clip.mkv --force \
        --json --camera "$camera" --microphone none --size 320x180 --fps 30 --for 20s >events.ndjson
}

# crossed COLUMN LEAST: within the recording, the driver's own value falls, or passes this one.
crossed() {
    awk -v column="$1" -v limit="$2" '$2 == "took" {
            falls += count++ && $column < last
            passes += count > 1 && last < limit && $column >= limit
            last = $column
        }
        END { exit !(falls + passes == 1) }' seen
}

rises() {
    probe -select_streams v -show_entries packet=pts_time -of csv=p=0 clip.mkv >times
    [ "$(wc -l <times)" = 600 ] && awk 'NR > 1 && $1 <= last { exit 1 } { last = $1 }' times
}
# The driver's own stamps are early or late by some milliseconds, those that stand for wrong ones are not.
even() {
    awk '{ away = $1 - (NR - 1) / 30 } away < -0.016 || away > 0.016 { print NR, $1; bad = 1 } END { exit bad }' times
}

# over WHAT CONTROLS COLUMN LIMIT: seven checks.
over() {
    v4l2-ctl -d "$camera_node" -c wrap_sequence_number=0,wrap_timestamp=0
    v4l2-ctl -d "$camera_node" -c "$2"
    exits "20 s are recorded, across the end of $1" 0 recorded
    check "it was passed once meanwhile" crossed "$3" "$4"
    equal "the kernel left none out" 0 "$(awk '$2 == "took" { n += $4 } END { print n + 0 }' seen)"
    counts=$(ledger events.ndjson '.ledger.tracks[0] | "\(.delivered) \(.lost | add)"')
    equal "and no loss is counted" "600 0" "$counts"
    check "the file's 600 presentation times rise strictly" rises
    check "and each is where it belongs, within half a picture's time" even
    check "it lasts 20 s" between "$(duration clip.mkv)" 19.96 20.04
}

over "the picture numbers" wrap_sequence_number=1 3 4294967296
over "time stamps of 64 bits" wrap_timestamp=1 7 9223372036854775.807
# 2^31 seconds.
over "time stamps of 32 bits" wrap_timestamp=2 7 2147483648000000
check "the last one decodes" decodes clip.mkv
