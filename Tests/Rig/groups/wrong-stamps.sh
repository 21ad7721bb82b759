# about: of a driver with time stamps of another age that drops pictures, each has the time that its number says
# time: virtual
# timeout: 120
# checks: 12

load_vivid
grant_all
camera=$(device_id "$camera_node")
# All stamps of the first 16 seconds are 292 years ahead, all later ones as far behind.
v4l2-ctl -d "$camera_node" -c wrap_timestamp=1,percentage_of_dropped_buffers=20

# recorded OUT: what the kernel gave meanwhile is in `seen`, a line a picture.
recorded() {
    rm -f seen
    env "CAPTUREGATE_DEQUEUED=$rig/work/seen" "LD_PRELOAD=$judges/dequeued.so" capturegate record "$1" --json \
        --camera "$camera" --microphone none --size 320x180 --fps 30 --for 20s >events.ndjson
}
count() { ledger events.ndjson ".ledger.tracks[0] | $1"; }

# How many of the first 600 numbers came.
came() { awk '$2 == "took" { if (!count++) first = $3; whole += $3 - first < 600 } END { print whole }' seen; }

# counted: four checks of the last recording.
counted() {
    whole=$(came)
    check "pictures were lost" [ "$whole" -lt 560 ]
    equal "600 pictures are twenty seconds" 600 "$(count .asked)"
    equal "all that came are delivered" "$whole" "$(count .delivered)"
    equal "all others are lost" $((600 - whole)) "$(count .lost.device)"
}

# Each picture of the file is where its number says, within half a picture's time.
timely() {
    probe -select_streams v -show_entries packet=pts_time -of csv=p=0 clip.mkv >times
    awk '$2 == "took" { if (!count++) first = $3; print ($3 - first) / 30 }' seen | head -n "$(wc -l <times)" >places
    paste times places |
        awk '{ away = $1 - $2 } away < -0.016 || away > 0.016 { print; bad = 1 } END { exit bad || !NR }'
}

exits "it is recorded with its own times" 0 recorded clip.mkv
counted
check "each picture is shown when it was taken" timely
exits "and at constant rate" 0 recorded clip.y4m
counted
equal "each lost one is filled in" "$(count .lost.device)" "$(count .filled)"
