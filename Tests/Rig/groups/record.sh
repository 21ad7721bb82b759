# about: five seconds of picture, of sound, of both
# time: virtual
# timeout: 150
# checks: 20

load_vivid
load_aloop
grant_all
find_devices

# What the rig itself delivers, by the field's own tools: if these fail, the rest says nothing.
check "v4l2-ctl gets 60 frames from the camera" \
    v4l2-ctl -d "$camera_node" --stream-mmap --stream-count=60 --stream-to=/dev/null
check "arecord gets a second from the microphone" arecord -q -D hw:Loopback,1 -f dat -d 1 peer.wav

exits "a picture of five seconds is recorded" 0 \
    capturegate record picture.mkv --camera "$camera" --microphone none --size 640x360 --fps 30 --for 5s
equal "it is MJPEG" mjpeg "$(stream picture.mkv video codec_name)"
equal "it is as large as asked" 640,360 "$(stream picture.mkv video width),$(stream picture.mkv video height)"
equal "it has all 150 frames" 150 "$(frame_count picture.mkv)"
check "it lasts five seconds" between "$(duration picture.mkv)" 4.96 5.04

exits "a sound of five seconds is recorded" 0 \
    capturegate record sound.wav --camera none --microphone "$microphone" --rate 48000 --for 5s
check "it is PCM" between "$(stream sound.wav audio bits_per_sample)" 16 32
check "it lasts five seconds" between "$(duration sound.wav)" 4.97 5.03

exits "both together are recorded" 0 \
    capturegate record both.mkv --camera "$camera" --microphone "$microphone" --size 640x360 --fps 30 --for 5s
check "both last five seconds" between "$(duration both.mkv)" 4.96 5.06
check "the picture has its 150 frames" between "$(frame_count both.mkv)" 149 151
check "the sound is PCM or FLAC" expr "$(stream both.mkv audio codec_name)" : 'pcm\|flac'
check "all of it decodes" decodes both.mkv

# ids NAME...: of the devices that the names mean, each once.
ids() { for name in "$@"; do capturegate devices "$name" --json | jq -r '.devices[].id'; done | sort -u; }
link=$(find /dev/v4l/by-path -lname "*/${camera_node##*/}" | head -n 1)
equal "a camera is known by its node, a link to that, and its name" "$camera" \
    "$(ids "$camera_node" "${camera_node##*/}" "$link" vivid-000)"
equal "a microphone by its node and ALSA's names" "$microphone" "$(ids "$microphone_node" "${microphone_node##*/}" \
    hw:Loopback,1 plughw:Loopback,1,0 hw:CARD=Loopback,DEV=1 plughw:DEV=1,CARD=Loopback)"
exits "a piece of an id means nothing" 66 capturegate record 0.mkv --camera 0 --for 1s

# As fast as wanted, and not what the last program has left in the driver.
v4l2-ctl -d "$camera_node" --set-fmt-video=width=320,height=180,pixelformat=UYVY
exits "without a word about its mode it is recorded" 0 capturegate record chosen.mkv --camera "$camera_node" --for 1s --json
equal "in the largest one that has 30 pictures a second" "1920x1080 YUYV 30" "$(capturegate record null: --camera video0 --for 100ms \
    --json | jq -r 'select(.event == "start") | .tracks[0] | "\(.width)x\(.height) \(.pixel_format) \(.frame_rate)"')"
