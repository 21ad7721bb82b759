# about: pictures that the driver drops are counted, exactly, and a file of constant rate keeps its time
# time: virtual
# timeout: 120
# checks: 9

load_vivid
grant_all
camera=$(device_id "$camera_node")
v4l2-ctl -d "$camera_node" -c percentage_of_dropped_buffers=20

lossy() { capturegate record "$1" --json --camera "$camera" --microphone none --size 640x360 --fps 30 --for 10s >"$1.ndjson"; }
count() { ledger "$1.ndjson" ".ledger.tracks[0].$2"; }

exits "a camera that drops pictures is recorded at constant rate" 0 lossy clip.y4m
equal "the file has 300 frames all the same" 300 "$(frame_count clip.y4m)"
check "some were lost" [ "$(count clip.y4m lost.device)" -gt 20 ]
equal "delivered and lost are what was asked for" 300 \
    "$(ledger clip.y4m.ndjson '.ledger.tracks[0] | .delivered + .lost.device + .lost.ring + .lost.encoder')"
equal "each lost one is filled in" "$(count clip.y4m lost.device)" "$(count clip.y4m filled)"

exits "and with its own times" 0 lossy clip.mkv
equal "the file has what was delivered" "$(count clip.mkv delivered)" "$(frame_count clip.mkv)"
equal "delivered and lost are what was asked for" 300 \
    "$(ledger clip.mkv.ndjson '.ledger.tracks[0] | .delivered + .lost.device + .lost.ring + .lost.encoder')"
check "it lasts ten seconds within a frame" between "$(duration clip.mkv)" 9.96 10.04
