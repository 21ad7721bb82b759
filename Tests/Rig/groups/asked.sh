# about: what a driver changes is told as asked and got; --strict refuses it before anything is captured
# time: virtual
# timeout: 100
# checks: 38

load_vivid
load_aloop
grant_all
find_devices

# recorded OUT OPTION...: what the kernel was told meanwhile is in `seen`.
recorded() {
    rm -f seen
    env "CAPTUREGATE_DEQUEUED=$rig/work/seen" "LD_PRELOAD=$judges/dequeued.so" capturegate record "$@" --for 500ms
}

# refused TELLING OPTION...: three checks.
refused() {
    telling=$1
    shift
    exits "--strict refuses: $telling" 78 recorded new.mkv "$@" --strict
    said "and says both" "$telling"
    absent "and no file is left" new.*
}

# taken TELLING OPTION...: three checks.
taken() {
    telling=$1
    shift
    exits "without --strict it is recorded" 0 recorded clip.mkv --force "$@"
    said "and told" "Note: $telling\$"
    recorded clip.mkv --force --json "$@" >events.ndjson
    equal "to programs too" "$telling" "$(jq -r 'select(.event == "start") | .differences | join("; ")' events.ndjson)"
}

streams() { grep -q ' on$' seen; }

picture="--camera $camera --microphone none"
sound="--camera none --microphone $microphone"
got() { v4l2-ctl -d "$camera_node" --get-fmt-video --get-parm | tr -d ' '; }

# shellcheck disable=SC2086 # $picture and $sound are some words
{
    refused "size 640x360 instead of 641x361" $picture --size 641x361
    lacks "no stream was started for it" ' on$' seen
    taken "size 640x360 instead of 641x361" $picture --size 641x361
    check "a stream that is started is seen" streams
    check "the driver says the same size" expr "$(got)" : '.*Width/Height:640/360'
    equal "and the file has it" 640,360 "$(stream clip.mkv video width),$(stream clip.mkv video height)"

    refused "40 fps instead of 33" $picture --size 640x360 --fps 33
    lacks "no stream was started for it" ' on$' seen
    taken "40 fps instead of 33" $picture --size 640x360 --fps 33
    check "the driver says the same rate" expr "$(got)" : '.*Framespersecond:40\.000'
    equal "and the file has its pictures" 20 "$(frame_count clip.mkv)"

    refused "pixel format YUYV instead of MJPG" $picture --pixel-format MJPG
    lacks "no stream was started for it" ' on$' seen
    taken "pixel format YUYV instead of MJPG" $picture --pixel-format MJPG
    check "the driver says the same" expr "$(got)" : ".*PixelFormat:'YUYV'"

    refused "sample rate 8000 Hz instead of 7000 Hz" $sound --rate 7000
    taken "audio is captured at 8000 Hz and converted to 7000 Hz" $sound --rate 7000
    equal "and the file has it" 7000 "$(stream clip.mkv audio sample_rate)"

    exits "all that is changed is told at once" 78 recorded new.mkv $picture --size 1000x1000 --fps 75 --strict
    said "in one line" 'size 1280x720 instead of 1000x1000; 60 fps instead of 75\.'
    exits "--strict takes what is as asked" 0 \
        recorded clip.mkv --force $picture --size 640x360 --fps 30 --pixel-format YUYV --strict
    unsaid "and notes nothing" 'note:'
}
