# about: a recorder that is stopped for a second while a camera delivers: what came and what is missing is what was made
# time: virtual
# timeout: 60
# checks: 18

load_vivid
grant_all
camera=$(device_id "$camera_node")

# stopped OUT: five seconds, one of them stopped. What the kernel gave is in `seen`, a line a picture.
stopped() {
    rm -f seen
    : >events.ndjson
    env "CAPTUREGATE_DEQUEUED=$rig/work/seen" "LD_PRELOAD=$judges/dequeued.so" capturegate record "$1" --json \
        --camera "$camera" --microphone none --size 640x360 --fps 30 --for 5s >events.ndjson &
    recorder=$!
    wait_for 20 recording events.ndjson
    sleep 2
    kill -STOP $recorder
    sleep 1
    kill -CONT $recorder
    finish 20 $recorder
}
count() { ledger events.ndjson ".ledger.tracks[0] | $1"; }

# witnessed MADE: how many of the first MADE pictures the kernel gave whole, and the sum of the gaps between their
# numbers. vivid numbers its pictures by the clock, those too that it skips as all its buffers are full.
witnessed() {
    awk -v made="$1" '$2 == "took" {
            if (!count++) first = $3
            place = $3 - first
            whole += place < made && !$5 && $6 > 0
            gaps += $4
            if (place > made) gaps -= place - made < $4 ? place - made : $4
        }
        END { print whole + 0, gaps + 0 }' seen
}

# agree OUT: nine checks.
agree() {
    exits "a recording to $1 outlives a second in which it was stopped" 0 stopped "$1"
    made=$(count .asked)
    read -r whole gaps <<EOF
$(witnessed "$made")
EOF
    note "$whole came, $gaps are missing of $made: $(count '.lost | tojson')"
    check "150 pictures were made in its time" between "$made" 149 151
    check "some are missing" [ "$gaps" -gt 10 ]
    equal "what came and what is missing is what was made" "$made" $((whole + gaps))
    equal "as many are lost as numbers are missing" "$gaps" "$(count .lost.device)"
    here=$(count '.lost | .ring + .encoder')
    equal "what came was delivered, or lost on the way and counted" "$whole" $(($(count .delivered) + here))
    equal "nothing else is counted" $((gaps + here)) "$(count '.lost | add')"
    equal "the file has what was delivered and filled in" "$(count '.delivered + .filled')" "$(frame_count "$1")"
    check "it lasts its five seconds within a frame" between "$(duration "$1")" 4.96 5.04
}

agree clip.mkv
agree clip.y4m
