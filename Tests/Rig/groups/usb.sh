# about: a USB camera with a microphone has one entry each, and its id follows its serial
# time: virtual
# timeout: 150
# checks: 24

modprobe vhci_hcd
modprobe uvcvideo
modprobe snd-usb-audio

# plug PORT SERIAL: an emulated webcam, ready when udev has named its microphone (its last part).
plug() {
    "$judges/usbcam" --port "$1" --serial "$2" 2>"usbcam.$1" &
    plugged=$!
    usb_path=/sys/devices/platform/vhci_hcd.0/usb1/1-$(($1 + 1))
    wait_for 20 has_come && udevadm settle
}
has_come() {
    ls "$usb_path"/*/video4linux/video* && ls "$usb_path"/*/sound/card*/pcmC*c &&
        udevadm info -q property "$(echo "$usb_path"/*/sound/card*)" | grep -q SOUND_INITIALIZED
}
unplug() {
    kill "$1"
    wait "$1" || true
    wait_for 20 has_gone && udevadm settle
}
has_gone() { ! ls "$usb_path"/*/video4linux/video*; }

nodes_of() { for node in "$usb_path"/$1; do echo "/dev/$2$(basename "$node")"; done; }
cameras() { capturegate devices --json | jq -r '.devices[] | select(.capability == "camera" and (.id | startswith("test:") | not)) | .id'; }
microphones() { capturegate devices --json | jq -r '.devices[] | select(.capability == "microphone" and (.id | startswith("test:") | not)) | .id'; }

plug 0 RIG0001
first=$plugged
check "the camera has a capture node and a metadata node" [ "$(nodes_of '*/video4linux/video*' '' | wc -l)" = 2 ]
camera_node=$(nodes_of '*/video4linux/video*' '' | head -n 1)
microphone_node=$(nodes_of '*/sound/card*/pcmC*c' snd/)
check "v4l2-ctl gets pictures from it" v4l2-ctl -d "$camera_node" --stream-mmap --stream-count=10 --stream-to=/dev/null
check "arecord gets sound from it" arecord -q -D hw:Camera -f S16_LE -r 48000 -c 2 -d 1 peer.wav
equal "one camera is listed" 1 "$(cameras | wc -l)"
equal "and one microphone" 1 "$(microphones | wc -l)"
find_devices
equal "the camera's entry is that of the capture node" "$(cameras)" "$camera"
check "its id holds its serial" expr "$camera" : '.*RIG0001'
refute "and no node's number" expr "$camera" : '.*video[0-9]'

grant_all
exits "a picture is recorded from it" 0 \
    capturegate record clip.mkv --camera "$camera" --microphone none --size 320x240 --fps 30 --for 2s
check "which decodes" decodes clip.mkv
exits "a sound is recorded from it" 0 capturegate record clip.wav --camera none --microphone "$microphone" --for 2s
check "which decodes" decodes clip.wav

v4l2-ctl -d "$camera_node" -c privacy=1
exits "a camera whose shutter is closed is not recorded" 69 \
    capturegate record dark.mkv --camera "$camera" --microphone none --for 2s
said "and the error says so" 'privacy shutter of .* is closed'
absent "and no file is left" dark.*
v4l2-ctl -d "$camera_node" -c privacy=0

# Something else takes the numbers while it is away.
unplug $first
equal "unplugged, no camera is listed" "" "$(cameras)"
load_vivid
load_aloop
plug 0 RIG0001
first=$plugged
camera_node=$(nodes_of '*/video4linux/video*' '' | head -n 1)
microphone_node=$(nodes_of '*/sound/card*/pcmC*c' snd/)
equal "plugged in again under another number, the camera has its id" "$camera" "$(device_id "$camera_node")"
equal "and the microphone has its own" "$microphone" "$(device_id "$microphone_node")"

plug 1 RIG0002
second=$plugged
other=$(device_id "$(nodes_of '*/video4linux/video*' '' | head -n 1)")
refute "a second camera has another id" [ "$camera" = "$other" ]
unplug $second

plug 1 RIG0001
second=$plugged
twin_node=$(nodes_of '*/video4linux/video*' '' | head -n 1)
twin=$(device_id "$twin_node")
alike=$(device_id "$camera_node")
refute "a camera with the same serial has another id all the same" [ "$alike" = "$twin" ]
check "and is called ambiguous" sh -c "capturegate devices --json |
    jq -e --arg id '$twin' 'first(.devices[] | select(.id == \$id)) | .ambiguity != null'"
unplug $second
equal "alone again, the first has its old id" "$camera" "$(device_id "$camera_node")"

capturegate record pulled.mkv --json --camera "$camera" --microphone "$microphone" --size 320x240 --fps 30 \
    --for 60s >events.ndjson 2>said &
recorder=$!
wait_for 20 recording events.ndjson
sleep 1
usb_path=/sys/devices/platform/vhci_hcd.0/usb1/1-1
unplug $first
code=0
finish 20 $recorder || code=$?
equal "pulled out while recording, it ends with 69" 69 $code
check "and the file decodes" decodes pulled.mkv
