# about: fields become whole pictures at the true rate, and their order and the shape of pixels are said
# time: virtual
# timeout: 150
# checks: 39

# One row and one column of another colour: a row in the wrong place is seen.
still() {
    v4l2-ctl -d "$camera_node" -c test_pattern=17,osd_text_mode=2,horizontal_movement=3,vertical_movement=3
}

# An S-Video input, which has no noise of its own, then a digital one.
load_vivid input_types=2
still
grant_all
camera=$(device_id "$camera_node")
# With 625 lines the first row is signalling of the standard's, and never stands still.
v4l2-ctl -d "$camera_node" -s ntsc >/dev/null
v4l2-ctl -d "$camera_node" --set-fmt-video=width=720,height=480,pixelformat=YUYV,field=interlaced \
    --stream-mmap --stream-count=2 --stream-to=whole.yuyv >/dev/null 2>&1

fields() { v4l2-ctl -d "$camera_node" --set-fmt-video="width=720,height=$2,pixelformat=YUYV,field=$1"; }
said_of() { facts "$1" | jq -r '.streams[0] | "\(.width)x\(.height) \(.r_frame_rate) \(.field_order) \(.sample_aspect_ratio)"'; }
lost() { ledger "$1" '[.ledger.tracks[].lost | add] | add'; }

# woven FIELD HEIGHT ORDER
woven() {
    fields "$1" "$2"
    exits "$1 is recorded" 0 capturegate record a.y4m --tee a.mkv --force --json --camera "$camera" --microphone none \
        --pixel-format YUYV --video-codec raw --for 1s
    grep "^{" $rig/tmp/said.txt >events
    equal "no picture is lost" "0 30" "$(lost events) $(track events video frames)"
    equal "Y4M says its order and shape" "720x480 30000/1001 $3 10:11" "$(said_of a.y4m)"
    equal "Matroska, too" "720x480 30000/1001 $3 10:11" "$(said_of a.mkv)"
    check "each is the whole picture" "$judges/same-picture" a.y4m whole.yuyv 30
}

woven interlaced 480 bb
woven interlaced_tb 480 tt
woven seq_tb 480 tt
woven seq_bt 480 bb
woven alternate 240 bb
equal "the start says so, too" "bottom 10:11" \
    "$(jq -r 'select(.event == "start") | .tracks[0] | "\(.field_order) \(.pixel_aspect)"' events)"
exits "a still of it is taken" 0 capturegate snapshot a.png --camera "$camera" --settle 0
equal "of the whole picture" 720x480 "$(facts a.png | jq -r '.streams[0] | "\(.width)x\(.height)"')"

# Fields get lost one by one; a picture is whole with both.
v4l2-ctl -d "$camera_node" -c percentage_of_dropped_buffers=10
exits "a receiver that loses fields is recorded" 0 env "CAPTUREGATE_DEQUEUED=$rig/work/seen" \
    "LD_PRELOAD=$judges/dequeued.so" capturegate record b.mkv --json --camera "$camera" --microphone none --for 4s
grep "^{" $rig/tmp/said.txt >events
v4l2-ctl -d "$camera_node" -c percentage_of_dropped_buffers=0
pairs=$(awk '$2 == "took" { count[$3]++ } END { for (number in count) whole += count[number] == 2; print whole }' seen)
delivered=$(track events video frames)
note "of 120 pictures $delivered are whole, $pairs by the kernel"
check "those with both fields are delivered" between "$delivered" $((pairs - 2)) "$pairs"
check "some are not" between "$delivered" 70 115
equal "with the others they are what was asked for" 120 $((delivered + $(lost events)))

# One field alone has rows of twice the height.
fields top 240
exits "single fields are recorded" 0 capturegate record c.mkv --camera "$camera" --microphone none --for 200ms
equal "with their shape" "720x240 30000/1001 progressive 5:11" "$(said_of c.mkv)"

fields interlaced 480
v4l2-ctl -d "$camera_node" -s pal >/dev/null
exits "625 lines are recorded" 0 capturegate record d.mkv --camera "$camera" --microphone none --for 200ms
equal "the top field first" "720x576 25/1 tt 59:54" "$(said_of d.mkv)"
rmmod vivid

load_vivid input_types=3
still
camera=$(device_id "$camera_node")
v4l2-ctl -d "$camera_node" --set-dv-bt-timings "width=1920,height=1080,interlaced=1,polarities=3,pixelclock=74250000,\
hfp=88,hs=44,hbp=148,vfp=2,vs=5,vbp=15,il_vfp=2,il_vs=5,il_vbp=16" >/dev/null
# Grey has a byte a pixel, and takes half of the time and of the memory.
exits "1080i is recorded" 0 capturegate record hd.mkv --video-codec raw --pixel-format GREY --json --camera "$camera" \
    --microphone none --for 1s
grep "^{" $rig/tmp/said.txt >events
equal "it is 1920x1080" "1920x1080 30/1 tt 1:1" "$(said_of hd.mkv)"
equal "at thirty a second, none lost" "30 0 30" "$(track events video frames) $(lost events) $(frame_count hd.mkv)"
