# about: colours are what the driver meant, whatever its matrix and range, in every kind of file
# time: virtual
# timeout: 150
# long-timeout: 900
# checks: 36
# long-checks: 900

load_still_vivid
grant_all
camera=$(device_id "$camera_node")
size=320x180

# meant: sets $matrix and $range by what v4l2-ctl says that the driver's format maps to.
meant() {
    v4l2-ctl -d "$camera_node" --get-fmt-video >format.txt
    case $(sed -n 's,.*YCbCr/HSV Encoding *: ,,p' format.txt) in
        *Constant*) matrix=2020c ;;
        *2020*) matrix=2020 ;;
        *240M*) matrix=240M ;;
        *709*) matrix=709 ;;
        *) matrix=601 ;;
    esac
    case $(sed -n 's/.*Quantization *: //p' format.txt) in *Full*) range=full ;; *) range=limited ;; esac
    # It maps xvYCC's to what is said; there is one range alone.
    ! grep -q 'Encoding.*xvYCC' format.txt || range=limited
}

# seen FILE...: what ffmpeg makes of the first picture of each, by what the file says itself. One run for all: its start
# costs more than the work.
seen() {
    number=0 inputs= outputs=
    for file in "$@"; do
        inputs="$inputs -i $file"
        outputs="$outputs -map $number:v -frames:v 1 -vf scale=out_range=full:flags=accurate_rnd+full_chroma_int"
        outputs="$outputs -pix_fmt rgb24 -f rawvideo $file.rgb"
        rm -f "$file.rgb"
        number=$((number + 1))
    done
    # shellcheck disable=SC2086
    ffmpeg -nostdin -v error $inputs $outputs || true
}

# alike FILE...: a check each.
alike() {
    seen "$@"
    for file in "$@"; do
        check "$file is what was meant" "$judges/same-colours" raw "$code" 320 180 "$matrix" "$range" "$file.rgb"
        note "$file: $(cat $rig/tmp/check.txt)"
    done
}

# shown CODE COLORSPACE ENCODING RANGE: of one meaning, the files of a recording and a snapshot: four checks.
shown() {
    code=$1
    v4l2-ctl -d "$camera_node" -c "colorspace=$2,y_cbcr_encoding=$3,quantization=$4"
    v4l2-ctl -d "$camera_node" --set-fmt-video="width=320,height=180,pixelformat=$code" --stream-mmap --stream-count=1 \
        --stream-to=raw >/dev/null 2>&1
    meant
    exits "$code, colour space $2, encoding $3, range $4: $matrix, $range" 0 capturegate record a.mkv --force \
        --tee a.y4m --camera "$camera" --microphone none --size $size --pixel-format "$code" --strict --json --for 70ms
    grep "^{" $rig/tmp/said.txt >events
    capturegate snapshot a.png --force --settle 0 --camera "$camera" --size $size --pixel-format "$code" >/dev/null
    alike a.mkv a.y4m a.png
}

# stored FILE [OPTION...]: the same once more.
stored() {
    file=$1
    shift
    capturegate record "$file" --force "$@" --camera "$camera" --microphone none --size $size --pixel-format YUYV \
        --for 70ms >/dev/null 2>&1
}

# 709, all values, which is worst where it is taken for anything else.
shown YUYV 1 0 1
equal "its matrix and range are told" "bt709 bt709 full" \
    "$(jq -r 'select(.event == "start") | .tracks[0].colorimetry | "\(.primaries) \(.matrix) \(.range)"' events)"
equal "as they are of the camera" "bt709 bt709 full" "$(capturegate devices --json | jq -r --arg id "$camera" \
    '.devices[] | select(.id == $id) | .colorimetry | "\(.primaries) \(.matrix) \(.range)"')"
stored raw.mkv --video-codec raw
stored a.mjpeg
capturegate snapshot a.jpg --force --settle 0 --camera "$camera" --size $size --pixel-format YUYV >/dev/null
alike raw.mkv a.mjpeg a.jpg
# A judge that cannot say no proves nothing.
refute "another matrix is told from it" "$judges/same-colours" raw YUYV 320 180 601 full a.png.rgb
refute "another range, too" "$judges/same-colours" raw YUYV 320 180 709 limited a.png.rgb

# 601 of all values; 2020 and 240M; xvYCC, which has no full range; 2020's constant luminance; RGB of limited range.
shown YUYV 2 0 1
shown YUYV 4 0 0
shown YUYV 6 0 0
shown YUYV 3 4 1
shown YUYV 4 7 0
stored raw.mkv --video-codec raw
equal "constant luminance is said of what is uncompressed" "bt2020c bt709 bt2020 tv" \
    "$(facts raw.mkv | jq -r '.streams[0] | "\(.color_space) \(.color_transfer) \(.color_primaries) \(.color_range)"')"
shown RGB3 2 0 2

# All that the driver can be told; it has no encoding 5.
[ -z "$CAPTUREGATE_LONG" ] || for space in 0 1 2 3 4 5 6 7 8; do
    for encoding in 0 1 2 3 4 6 7 8; do
        for range in 0 1 2; do shown YUYV $space $encoding $range; done
    done
done
