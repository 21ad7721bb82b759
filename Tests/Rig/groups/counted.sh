# about: 1,000 of 1,000 pictures at 640x360p30, 600 of 600 at 1080p60, all until Ctrl-C, by the kernel's own count
# time: virtual
# timeout: 120
# checks: 18

# witnessed OUT OPTION...: becomes a recorder; what the kernel gave meanwhile is in `seen`, a line a picture.
witnessed() {
    rm -f seen
    as_on_terminal env "CAPTUREGATE_DEQUEUED=$rig/work/seen" "LD_PRELOAD=$judges/dequeued.so" capturegate record "$@" \
        --json --camera "$camera" --microphone none >events.ndjson
}
# recorded OUT SIZE RATE TIME
recorded() (witnessed "$1" --size "$2" --fps "$3" --for "$4")
# took FILTER: by awk, over what was dequeued. $3 is the sequence, $4 how many are missing before it, $5 the error flag.
took() { awk '$2 == "took"' seen | awk "$1"; }
count() { ledger events.ndjson ".ledger.tracks[0] | $1"; }

# whole COUNT: four checks of the last recording.
whole() {
    check "at least that many were dequeued" [ "$(took 'END { print NR }')" -ge "$1" ]
    steps=$(took 'NR > 1 && $3 != last + 1 { n++ } { last = $3 } END { print n + 0 }')
    equal "each number is the one before it and one" 0 "$steps"
    equal "none is marked as damaged, none is empty" 0 "$(took '$5 != 0 || $6 == 0 { n++ } END { print n + 0 }')"
    equal "the ledger has all of them and no loss" "$1 $1 0" "$(count '"\(.asked) \(.delivered) \(.lost | add)"')"
}

load_vivid
grant_all
camera=$(device_id "$camera_node")
exits "a thousand pictures at 640x360p30 are recorded" 0 recorded clip.mkv 640x360 30 33320ms
whole 1000
equal "the file has a thousand" 1000 "$(frame_count clip.mkv)"
check "all of it decodes" decodes clip.mkv

# interrupted FOR: how many pictures the kernel gave until Ctrl-C, and in all; how many the ledger and the clip have.
interrupted() {
    rm -f clip.mkv events.ndjson
    witnessed clip.mkv --size 640x360 --fps 30 &
    recorder=$!
    wait_for 20 recording events.ndjson
    sleep "$1"
    killed=$(nanoseconds)
    kill -INT $recorder
    finish 20 $recorder
    echo "$(took "\$1 < $killed { n++ } END { print n, NR }") $(count '"\(.asked) \(.delivered)"') $(frame_count clip.mkv)"
}
# The recorder looks at the camera every 50 ms: two pictures may wait for it.
for after in 0.500 0.517 0.533; do
    numbers=$(interrupted $after)
    check "each picture until Ctrl-C after $after s is in the clip ($numbers)" \
        awk -v n="$numbers" 'BEGIN { split(n, c, " "); exit !(c[1] > 10 && c[1] <= c[5] && c[5] <= c[2] && c[3] == c[5] && c[4] == c[5]) }'
done

# A judge that cannot say no proves nothing: a camera that drops pictures.
v4l2-ctl -d "$camera_node" -c percentage_of_dropped_buffers=10
exits "a camera that drops pictures is recorded" 0 recorded null: 640x360 30 10s
check "and the count of numbers that are missing shows it" [ "$(took '{ n += $4 } END { print n + 0 }')" -gt 10 ]
rmmod vivid

# 60 pictures a second at 1920x1080 (CTA-861, VIC 16) come from vivid's HDMI input alone.
load_vivid input_types=3
v4l2-ctl -d "$camera_node" --set-dv-bt-timings \
    "width=1920,height=1080,interlaced=0,polarities=3,pixelclock=148500000,hfp=88,hs=44,hbp=148,vfp=4,vs=5,vbp=36"
camera=$(device_id "$camera_node")
exits "600 pictures at 1080p60 are captured" 0 recorded null: 1920x1080 60 10s
equal "they come as asked" '[]' "$(jq -c 'select(.event == "start") | .differences' events.ndjson)"
whole 600
