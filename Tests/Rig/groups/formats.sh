# about: every uncompressed format that is read or that libv4l2 converts gives the pictures that v4l2-ctl stores
# time: virtual
# timeout: 90
# long-timeout: 240
# checks: 66
# long-checks: 142

load_still_vivid
grant_all
camera=$(device_id "$camera_node")

# store CODE: one picture as v4l2-ctl gets it, and one second as we record it.
store() {
    v4l2-ctl -d "$camera_node" --set-fmt-video="width=320,height=180,pixelformat=$1" --stream-mmap --stream-count=1 \
        --stream-to="$2.raw" >/dev/null 2>&1
    exits "$1 is recorded" 0 capturegate record "$2.y4m" --force --camera "$camera" --microphone none --size 320x180 --fps 30 \
        --pixel-format "$(echo "$1" | tr -d ' ')" --strict --for 100ms
}

# The pairs to compare, for one run of ffmpeg: it reads what v4l2-ctl stored by a code of its own.
inputs= filters= count=0
# pair NAME STORED FORMAT FILTER LEAST-PSNR
pair() {
    inputs="$inputs -i $1.y4m -f rawvideo -pixel_format $3 -video_size 320x180 -i $2.raw"
    into=$(case $(head -n 1 "$1.y4m") in *C444*) echo yuv444p ;; *C422*) echo yuv422p ;; *Cmono*) echo gray ;; *) echo yuv420p ;; esac)
    filters="$filters[$((2 * count + 1))]${4}scale=out_color_matrix=bt601:out_range=tv:flags=accurate_rnd+full_chroma_int,format=$into[r$count];[$((2 * count))]format=$into[s$count];[s$count][r$count]psnr=stats_file=$1.psnr[o$count];"
    echo "$1 $5" >>pairs.txt
    count=$((count + 1))
}

judge() {
    maps=
    at=0
    while [ $at -lt $count ]; do maps="$maps -map [o$at] -frames:v 1 -f null -" at=$((at + 1)); done
    # shellcheck disable=SC2086
    ffmpeg -nostdin -v error $inputs -filter_complex "${filters%;}" $maps 2>ffmpeg.txt || cat ffmpeg.txt
    while read -r name least; do
        psnr=$(sed -nE '1s/.* psnr_avg:([0-9.a-z]+).*/\1/p' "$name.psnr")
        note "$name: $psnr dB"
        check "$name: at least $least dB" sh -c "[ '$psnr' = inf ] || { [ $least != inf ] && awk 'BEGIN { exit !($psnr >= $least) }'; }"
    done <pairs.txt
    : >pairs.txt
    inputs= filters= count=0
}

# one CODE FORMAT FILTER LEAST [STORED]: STORED is another format's picture of the same chart, where ffmpeg can't read
# this one.
one() {
    name=$(echo "$1" | tr -d ' ')
    store "$1" "$name"
    pair "$name" "${5:-$name}" "$2" "$3" "$4"
}

# The least PSNR where one of the two rounds, and in a mosaic, whose edges between the bars are made of neighbours.
rounded=45 mosaic=30 hues=40

# each COUNT: of the formats on standard input so many, by the seed, or all of them in the long run. A line each: what `one`
# takes, with _ for a space and - for no filter.
each() {
    chosen "$1" >some
    while read -r code format filter least stored <&3; do
        one "$(echo "$code" | tr _ ' ')" "$format" "${filter#-}" "$least" "$stored"
    done 3<some
}

note "seed $seed"
# What others are compared with. Read by ourselves: order changes, never value.
one YUYV yuyv422 "" inf
one UYVY uyvy422 "" inf
one NV24 nv24 "" inf
one RGB3 rgb24 "" inf
# From BGR4 on by libv4lconvert. HSV by ourselves; of hues there are few.
each 11 <<END
YVYU yvyu422 - inf
VYUY uyvy422 swapuv, inf
422P yuv422p - inf
YU12 yuv420p - inf
YV12 yuv420p swapuv, inf
NV12 nv12 - inf
NV21 nv21 - inf
NV16 yuyv422 - inf YUYV
NV61 yuyv422 - inf YUYV
NV42 nv42 - inf
GREY gray - inf
Y10_ gray10le - $rounded
Y16_ gray16le - $rounded
Y16_-BE gray16be - $rounded
BGR3 bgr24 - inf
BGR4 bgr0 - inf
XR24 bgr0 - inf
RGB4 0rgb - inf
BA24 0rgb - inf
BA81 rgb24 - $mosaic RGB3
GBRG rgb24 - $mosaic RGB3
GRBG rgb24 - $mosaic RGB3
RGGB rgb24 - $mosaic RGB3
BG10 rgb24 - $mosaic RGB3
GB16 rgb24 - $mosaic RGB3
HSV3 rgb24 - $hues RGB3
HSV4 rgb24 - $hues RGB3
END
judge

# Words of bits, against a picture of the same chart whose colours have eight. A code of each order; its other names are
# FrameConverterTests'. A line each: CODE LEAST STORED FORMAT.
chosen 9 >some <<END
XB24 inf RGB3 rgb24
RX24 inf RGB3 rgb24
RGB1 20 RGB3 rgb24
R444 28 RGB3 rgb24
RX12 28 RGB3 rgb24
XB12 28 RGB3 rgb24
BX12 28 RGB3 rgb24
RGBO 34 RGB3 rgb24
RX15 34 RGB3 rgb24
XB15 34 RGB3 rgb24
BX15 34 RGB3 rgb24
RGBQ 34 RGB3 rgb24
XR15-BE 34 RGB3 rgb24
RGBP 36 RGB3 rgb24
RGBR 36 RGB3 rgb24
BGRH 36 RGB3 rgb24
YUV4 inf NV24 nv24
VUYA inf NV24 nv24
YUVA inf NV24 nv24
Y444 20 NV24 nv24
YUVO 28 NV24 nv24
YUVP 28 NV24 nv24
BG12 $mosaic RGB3 rgb24
RG12 $mosaic RGB3 rgb24
END
while read -r code least stored format <&3; do
    exits "$code is recorded" 0 capturegate record "$code.y4m" --force --camera "$camera" --microphone none \
        --size 320x180 --fps 30 --pixel-format "$code" --strict --for 100ms
    pair "$code" "$stored" "$format" "" "$least"
done 3<some
judge

# A judge that cannot say no proves nothing: the next colour order is another picture.
pair YUYV UYVY yuyv422 "" inf
rm YUYV.psnr
# shellcheck disable=SC2086 # some words
ffmpeg -nostdin -v error $inputs -filter_complex "${filters%;}" -map '[o0]' -frames:v 1 -f null -
lacks "another order of bytes is noticed" 'psnr_avg:inf' YUYV.psnr
: >pairs.txt
inputs= filters= count=0

exits "as Motion-JPEG, a mosaic is recorded" 0 capturegate record bayer.mkv --camera "$camera" --microphone none \
    --size 320x180 --pixel-format RGGB --strict --for 200ms
said "and the conversion is reported" "captured as RGGB and converted"
check "which decodes" decodes bayer.mkv
v4l2-ctl -d "$camera_node" --set-fmt-video=width=320,height=180,pixelformat=AYUV --stream-mmap --stream-count=1 \
    --stream-to=AYUV.raw >/dev/null 2>&1
exits "it is recorded as it comes, too" 0 capturegate record a.raw --camera "$camera" --microphone none \
    --size 320x180 --pixel-format AYUV --strict --for 200ms
check "byte for byte" cmp -n 230400 a.raw AYUV.raw

rmmod vivid
load_still_vivid multiplanar=2
camera=$(device_id "$camera_node")
each 5 <<END
YUYV yuyv422 - inf
NM12 nv12 - inf
NM21 nv21 - inf
NM16 yuyv422 - inf YUYV
NM61 yuyv422 - inf YUYV
YM12 yuv420p - inf
YM21 yuv420p swapuv, inf
YM16 yuv422p - inf
YM61 yuv422p swapuv, inf
YM24 yuv444p - inf
YM42 yuv444p swapuv, inf
RGBP rgb24 - 36 RGB3
END
judge
exits "planes of memory become Motion-JPEG" 0 capturegate record planes.mkv --camera "$camera" --microphone none \
    --size 320x180 --pixel-format YM24 --strict --for 200ms
check "which decodes" decodes planes.mkv
