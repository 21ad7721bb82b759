# about: pictures that the driver drops are counted, exactly, and a file of constant rate keeps its time
# time: virtual
# timeout: 100
# checks: 20

load_vivid
grant_all
camera=$(device_id "$camera_node")
v4l2-ctl -d "$camera_node" -c percentage_of_dropped_buffers=20

# What the kernel gave meanwhile is in FILE.seen, a line a picture.
lossy() {
    env "CAPTUREGATE_DEQUEUED=$rig/work/$1.seen" "LD_PRELOAD=$judges/dequeued.so" capturegate record "$1" --json \
        --camera "$camera" --microphone none --size 640x360 --fps 30 --for 10s >"$1.ndjson"
}
count() { ledger "$1.ndjson" ".ledger.tracks[0] | $2"; }

# witnessed FILE: how many of the clip's 300 pictures the kernel gave whole, and the sum of the gaps between their
# numbers. The driver numbers each picture that it makes, so the clip is the first number and the 299 after it: what was
# dequeued beyond is not in it, and a gap across its end is as far as that end.
witnessed() {
    awk '$2 == "took" {
            if (!count++) first = $3
            place = $3 - first
            whole += place < 300 && !$5 && $6 > 0
            gaps += $4
            if (place > 300) gaps -= place - 300 < $4 ? place - 300 : $4
        }
        END { print whole + 0, gaps + 0 }' "$1.seen"
}

# agree FILE: four checks that the ledger is what the kernel gave.
agree() {
    read -r whole gaps <<EOF
$(witnessed "$1")
EOF
    check "some were lost" [ "$gaps" -gt 20 ]
    equal "as many were delivered as the kernel gave" "$whole" "$(count "$1" .delivered)"
    equal "as many are lost as numbers are missing" "$gaps" "$(count "$1" .lost.device)"
    equal "all others of the 300 came" 300 $((whole + gaps))
}

exits "a camera that drops pictures is recorded at constant rate" 0 lossy clip.y4m
equal "the file has 300 frames all the same" 300 "$(frame_count clip.y4m)"
agree clip.y4m
equal "delivered and lost are what was asked for" 300 \
    "$(ledger clip.y4m.ndjson '.ledger.tracks[0] | .delivered + (.lost | add)')"
equal "each lost one is filled in" "$(count clip.y4m .lost.device)" "$(count clip.y4m .filled)"
check "it lasts ten seconds within a frame" between "$(duration clip.y4m)" 9.96 10.04

exits "and with its own times" 0 lossy clip.mkv
equal "the file has what was delivered" "$(count clip.mkv .delivered)" "$(frame_count clip.mkv)"
agree clip.mkv
equal "delivered and lost are what was asked for" 300 \
    "$(ledger clip.mkv.ndjson '.ledger.tracks[0] | .delivered + (.lost | add)')"
check "it lasts ten seconds within a frame" between "$(duration clip.mkv)" 9.96 10.04

# Both say so where nothing is dropped.
v4l2-ctl -d "$camera_node" -c percentage_of_dropped_buffers=0
exits "a camera that drops none is recorded" 0 lossy whole.mkv
equal "and nothing is missing" "300 0" "$(witnessed whole.mkv)"
equal "nor counted" "300 0" "$(count whole.mkv '"\(.delivered) \(.lost | add)"')"
