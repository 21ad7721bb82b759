# about: the sample plans run on the drivers of the rig, as they do on hardware: half of their checks by a seed, all when long
# time: virtual
# timeout: 250
# long-timeout: 7200
# checks: 14

# A bench as the plans' README has it: what they switch is behind RIG_SWITCHES, what they play is for RIG_SPEAKER. The programs
# know a camera by its controls alone, so that vivid and a USB camera have the same.
cp -r "$package/Samples/rig-plans" plans
# Of repeats one, and no capture longer than the 5 s of most: more proves nothing of the plan.
[ -n "$CAPTUREGATE_LONG" ] || sed -i 's/repeat: 3/repeat: 1/; s/for: [136]0 s/for: 5 s/' plans/*.yaml
mkdir switches
RIG_SWITCHES=$rig/work/switches RIG_SPEAKER=hw:Loopback,0,0 speaker=/proc/asound/Loopback/pcm0p/sub0/status
export RIG_SWITCHES RIG_SPEAKER RIG_CAMERA judges speaker rig
grant_all

# switches NAME: the program of that name, from standard input.
switches() { { echo '#!/bin/sh' && cat; } >"switches/$1" && chmod +x "switches/$1"; }

switches light <<'PROGRAM'
exec v4l2-ctl -d "$RIG_CAMERA" -c "brightness=$([ "$1" = on ] && echo 128 || echo 0)"
PROGRAM
# vivid has no shutter: its picture is made black.
switches shutter <<'PROGRAM'
[ "$1" = on ] && is_closed=0 || is_closed=1
v4l2-ctl -d "$RIG_CAMERA" -c "privacy=$is_closed" 2>/dev/null ||
    exec v4l2-ctl -d "$RIG_CAMERA" -c "brightness=$((128 - 128 * is_closed)),contrast=$((128 - 128 * is_closed))"
PROGRAM
# A clap a second: a click in the loudspeaker, and a flash for the camera.
switches clapper <<'PROGRAM'
if [ "$1" = off ]; then
    group=$(cat "$rig/tmp/claps")
    kill -- "-$group"
    while kill -0 "-$group" 2>/dev/null; do sleep 0.1; done
    exec v4l2-ctl -d "$RIG_CAMERA" -c brightness=128
fi
v4l2-ctl -d "$RIG_CAMERA" -c brightness=0
setsid sh -c 'echo $$ >"$rig/tmp/claps"
    "$judges/click-track" 60 48000 |
        aplay -q -D "$RIG_SPEAKER" -t raw -f S16_LE -r 48000 -c 2 --period-size=480 --buffer-size=4800 &
    until grep -qs RUNNING "$speaker"; do sleep 0.01; done
    exec "$judges/clapper" "$RIG_CAMERA" "$speaker" 48000 steady' </dev/null >/dev/null 2>&1 &
until grep -qs RUNNING "$speaker"; do sleep 0.01; done
PROGRAM

# plan_passes NAME LEFT-OUT [SKIPPED]: three checks: of the checks of a plan, except those whose names match the expression
# LEFT-OUT, half are made; with CAPTUREGATE_LONG all of them are made. All are good but SKIPPED, which is skipped; and the exit
# code says so. The groups bench-* make each check on good devices.
plan_passes() {
    left_out=${CAPTUREGATE_LONG:+no check}
    capturegate rig check --json "plans/$1.yaml" >checks.json
    jq -r --arg left "${left_out:-$2}" '.plans[0].checks[] | select(test($left) | not)' checks.json >all
    chosen $((($(wc -l <all) + 1) / 2)) <all >names
    # shellcheck disable=SC2046 # names have no spaces
    exits "$1 runs, and what it tells is good" 0 \
        capturegate rig run "plans/$1.yaml" --out "reports/$1" $(sort -u names | sed 's/^/--only /')
    cp $rig/tmp/said.txt "/rigout/$1.txt"
    # Outside of the rig after the run: each writing there would keep the capture waiting.
    mkdir -p /rigout/reports && cp -r "reports/$1" /rigout/reports/
    equal "$1: its checks are made" "$(sort names)" "$(jq -r '.results[].name' "reports/$1/report.json" | sort)"
    equal "$1: all are good but those that the devices have nothing for" "$(grep -xF "${3:-none}" names | sed 's/$/: skip/')" \
        "$(jq -r '.results[] | select(.verdict | IN("pass", "marginal", "done") | not) | "\(.name): \(.verdict)"' \
            "reports/$1/report.json")"
}

# accepts NAME: a check: the golden files of a plan are made.
accepts() {
    exits "$1: golden files are made" 0 capturegate rig run "plans/$1.yaml" --accept --only camera.capabilities \
        --only camera.compliance --only camera.pixels --only camera.sharpness ${CAPTUREGATE_LONG:+--only camera.modes}
}

note "seed $seed"
load_eight
plan_passes eight-cameras '^(camera\.soak|sync\.drift)'
modprobe -r vivid snd-aloop

# Squares that move by two points a frame: no picture is that before, and all of them are known after thirty.
load_aloop
load_vivid
RIG_CAMERA=$camera_node
v4l2-ctl -d "$camera_node" -c test_pattern=10,osd_text_mode=2,horizontal_movement=4
accepts vivid-and-aloop
# What takes long here is made by the groups bench-camera and bench-sound. The loopback has no gain.
plan_passes vivid-and-aloop '^(camera\.(modes|cycles|soak)|sound\.modes|sync\.(drift|soak))' sound.level.microphone

# What the loudspeaker plays, the microphone of the USB camera hears. Its chart stands still.
modprobe -r vivid
load_usb
echo 'pcm.!default { type plug slave.pcm "hw:Loopback,0,0" }' >"$HOME/.asoundrc"
mkfifo air
exec 9<>air
arecord -q -D hw:Loopback,1 -t raw -f S16_LE -r 48000 -c 2 --period-size=240 --buffer-size=9600 >air 2>/dev/null &
ear=$!
"$judges/usbcam" --serial RIG0001 --pictures pictures --scene --hears air 2>usbcam.txt &
usbcam=$!
wait_for 20 sh -c 'ls /dev/v4l/by-id/*RIG0001*-index0 /dev/snd/by-id/*RIG0001*'
udevadm settle
RIG_CAMERA=$(echo /dev/v4l/by-id/*RIG0001*-index0)
# The bus is a program here, which a busy machine keeps from being on time: bench-sound judges times.
plan_passes usb-microphone '^sound\.(rate|duration|steps|xruns)'
accepts uvc-webcam
# bench-usb pulls it out, and usb-cycles starts it again and again.
plan_passes uvc-webcam '^(camera\.soak|sync\.drift|camera\.loss|camera\.cycles|camera\.hotplug)'
kill $ear $usbcam
