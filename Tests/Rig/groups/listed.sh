# about: of a camera, the formats, sizes and rates of v4l2-ctl --list-formats-ext are listed, all and no others
# time: virtual
# timeout: 120
# checks: 13

# A line each: CODE SIZE, and CODE SIZE RATE for each rate of a single size. A range of sizes is LEAST-MOST/STEP/STEP.
by_v4l2_ctl() {
    v4l2-ctl -d "$camera_node" --list-formats-ext | awk '
        /^\t\[[0-9]+\]: / { split($0, part, "\047"); code = part[2]; gsub(" ", "", code) }
        /Size: Discrete/ { size = $3; print code, size }
        /Size: (Stepwise|Continuous)/ { size = $3 "-" $5 "/" ($8 ? $8 : "1/1"); print code, size }
        /Interval: Discrete/ { sub(/[(]/, "", $4); print code, size, $4 }
        /Interval: (Stepwise|Continuous)/ { print code, size, $0 }' | sort
}

# A rate as v4l2-ctl writes it: 25/2 is 12.500.
decimal() { awk 'NF == 3 { split($3, rate, "/"); $3 = sprintf("%.3f", rate[1] / (rate[2] ? rate[2] : 1)) } { print }'; }

# The same of what we list; rates of a range of sizes, which v4l2-ctl does not ask for here, are left out.
by_us() {
    capturegate devices --json | jq -r --arg id "$camera" '
        .devices[] | select(.id == $id) | .formats[] | (.pixel_format | gsub(" "; "")) as $code |
        "\(.width)x\(.height)" as $size |
        if .smaller then
            (.smaller | "\($code) \(.width)x\(.height)-\($size)/\(.width_step)/\(.height_step)")
        else
            "\($code) \($size)", "\($code) \($size) \(.frame_rates[])"
        end' | decimal | sort
}

# same WHAT LEAST: two checks of the camera at $camera_node.
same() {
    camera=$(device_id "$camera_node")
    by_v4l2_ctl >theirs
    by_us >ours
    note "$1: $(wc -l <theirs) lines by v4l2-ctl, $(wc -l <ours) by us"
    check "v4l2-ctl lists the formats of $1" [ "$(wc -l <theirs)" -ge "$2" ]
    check "the same, and no others, are listed" diff theirs ours
}

# rates SIZE: of a range of sizes, those of the largest.
rates() {
    capturegate devices --json | jq -r --arg id "$camera" '
        .devices[] | select(.id == $id) | .formats[] | select(.pixel_format == "YUYV") | .frame_rates[]' >ours
    v4l2-ctl -d "$camera_node" --list-frameintervals "width=${1%x*},height=${1#*x},pixelformat=YUYV" |
        sed -n 's/.*(\([0-9]*\)\.000 fps).*/\1/p' >theirs
    check "v4l2-ctl says a rate of the largest size" [ -s theirs ]
    check "which is the one that is listed" diff theirs ours
}

load_vivid
same "a webcam" 1000
# A judge that cannot say no proves nothing.
sed -i '500d' ours
refute "a line too few is seen" diff theirs ours
rmmod vivid

load_vivid multiplanar=2
same "a webcam whose pictures have planes of memory of their own" 1000
rmmod vivid

load_vivid input_types=1
same "a television receiver" 40
rmmod vivid

load_vivid input_types=3
v4l2-ctl -d "$camera_node" --set-dv-bt-timings \
    "width=1920,height=1080,interlaced=0,polarities=3,pixelclock=148500000,hfp=88,hs=44,hbp=148,vfp=4,vs=5,vbp=36"
same "an HDMI input, which scales" 40
rates 16384x8640
rmmod vivid

modprobe vhci_hcd
modprobe uvcvideo
"$judges/usbcam" --port 0 --serial RIG0001 2>usbcam.txt &
first_node() { basename "$(echo /sys/devices/platform/vhci_hcd.0/usb1/1-1/*/video4linux/* | cut -d ' ' -f 1)"; }
answers() { v4l2-ctl -d "/dev/$(first_node)" --info; }
wait_for 20 answers
udevadm settle
camera_node=/dev/$(first_node)
same "a USB camera" 9
