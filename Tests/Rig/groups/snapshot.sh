# about: a snapshot waits until the picture has settled, three seconds at most
# time: virtual
# timeout: 120
# checks: 11

load_still_vivid
grant_all
camera=$(device_id "$camera_node")

snapshot() { capturegate snapshot "$@" --json --camera "$camera" --size 320x180 >shot.json; }
shot() { jq -r ".$1" shot.json; }
# The mean of a picture's brightness, 0 to 255.
mean() { ffmpeg -nostdin -v error -i "$1" -vf format=gray,scale=1:1:flags=area -f rawvideo - | od -An -tu1 | tr -d ' '; }

v4l2-ctl -d "$camera_node" -c brightness=171
exits "a still picture is taken" 0 snapshot still.png
equal "it had settled" true "$(shot settled)"
check "after five pictures" between "$(shot waited_ns)" 100000000 300000000

# As a camera does that looks for its exposure: brighter picture by picture, for more than a second. Each step is in a
# picture, and five pictures in turn have at least three of these steps between them, which is more than 2 %.
v4l2-ctl -d "$camera_node" -c brightness=60
"$judges/brightness" "$camera_node" 63 171 3 40 >bright &
exits "of a picture that grows brighter one is taken, too" 0 snapshot bright.png
equal "it had settled as well" true "$(shot settled)"
wait
note "waited $(shot waited_ns) ns"
check "which is one of after that" [ "$(shot timestamp_ns)" -gt "$(cat bright)" ]
check "as bright as one that was still" between "$(($(mean bright.png) - $(mean still.png)))" -2 2

"$judges/brightness" "$camera_node" flicker 20 230 60 &
flicker=$!
exits "of a picture that never settles one is taken all the same" 0 snapshot flicker.png
kill $flicker
equal "which says so" false "$(shot settled)"
check "after three seconds" between "$(shot waited_ns)" 3000000000 3200000000
exits "without patience the first is taken" 0 snapshot first.png --settle 0
