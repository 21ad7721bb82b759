# about: PipeWire's programs get a broker's devices by a grant each, lose them with it, and strangers get nothing
# time: virtual
# timeout: 220
# checks: 27

load_still_vivid
load_aloop
find_devices
. "$here/broker.sh"

# By their names they record and play; they are these programs.
recorder=$(readlink -f "$(command -v pw-record)")
viewer=$(readlink -f "$(command -v gst-launch-1.0)")

# start_sound: a microphone that hears a tone of -23 dB, before the session manager could take the loopback's other end.
start_sound() {
    sox -n -t raw -b 16 -e signed-integer -r 48000 -c 2 - synth 300 sine 440 vol 0.1 |
        aplay -q -D hw:Loopback,0,0 -t raw -f S16_LE -r 48000 -c 2 &
    wait_for 10 grep -q RUNNING /proc/asound/Loopback/pcm0p/sub0/status
}

# A session of nobody's, with PipeWire's daemon and the session manager.
start_session() {
    # The session manager watches the login daemon's folders, and ends where there are none.
    mkdir -p /run/systemd/seats /run/systemd/sessions /run/systemd/users /run/systemd/machines
    become_nobody dbus-daemon --session --nofork --nopidfile --address="unix:path=$rig/user/run/bus" >/rigout/bus.txt 2>&1 &
    wait_for 10 test -S $rig/user/run/bus
    become_nobody pipewire >/rigout/pipewire.txt 2>&1 &
    wait_for 10 test -S $rig/user/run/pipewire-0
    become_nobody wireplumber >/rigout/wireplumber.txt 2>&1 &
    wait_for 10 has_manager
}
has_manager() { as_nobody pw-cli ls Client | grep -q '"WirePlumber'; }
start_helper() {
    become_nobody capturegate pipewire --json --camera "$camera" --microphone "$microphone" >>/rigout/told 2>>/rigout/helper.txt &
    helper=$!
    wait_for 20 has_nodes closed 2
}
# What session managers see; others see what is theirs.
cp "$(command -v pw-cli)" /usr/bin/pipewire-media-session
nodes() { { sleep 1 && echo ls Node && sleep 1 && echo quit; } | as_nobody pipewire-media-session | sed -n "s/.*node\\.name = \"capturegate\\.\($1.*\)\"/\1/p" | sort -u | grep -c . || true; }
has_nodes() { [ "$(nodes "$1")" = "$2" ]; }
told() { grep -c "\"event\":\"$1\".*$2" /rigout/told || true; }
has_told() { [ "$(told "$1" "$2")" -ge "$3" ]; }

# hear FILE SECONDS [PROGRAM [OPTION...]]: records the microphone as any program of PipeWire's.
hear() {
    file=$1 seconds=$2
    shift 2
    [ $# -gt 0 ] || set -- pw-record
    as_nobody timeout -s INT "$seconds" "$@" --rate 48000 --channels 2 "$file" >>/rigout/hear.txt 2>&1 || true
}
# see COUNT [SECONDS]: stores pictures as any program of PipeWire's; says how many came.
see() {
    rm -f $rig/user/seen.raw
    as_nobody timeout -s KILL "${2:-60}" gst-launch-1.0 -q pipewiresrc num-buffers="$1" ! video/x-raw,format=YUY2,width=640,height=360 ! \
        filesink location=seen.raw >>/rigout/see.txt 2>&1 || true
    echo $(($(stat -c %s $rig/user/seen.raw 2>/dev/null || echo 0) / (640 * 360 * 2)))
}
# amplitude FILE [EFFECT...]: root mean square of a part of a recording.
amplitude() {
    file=$rig/user/$1
    shift
    sox "$file" -n "$@" stat 2>&1 | sed -n 's/^RMS     amplitude: *//p'
}
is_tone() { between "$(amplitude "$@")" 0.069 0.072; }
silence=0.000000

start_sound
check "the system is secured" capturegate secure --from "$package"
check "the broker serves" start_broker
start_session
check "a closed node stands for each device" start_helper
as_nobody pw-cli ls Node >nodes
lacks "PipeWire itself has neither" 'v4l2|alsa_input' nodes
exits "who is asked by a command allows the recorder the microphone" 0 \
    person y capturegate grant microphone --to "$recorder" --device "$microphone" --always
exits "and the viewer the camera" 0 person y capturegate grant camera --to "$viewer" --device "$camera" --always

hear heard.wav 4
check "a program with a grant hears what the kernel's microphone does" is_tone heard.wav trim 2 1
check "and is told of by its own name" has_told began "$recorder" 1
equal "the broker's log has it as the program that captures" "$recorder" \
    "$(broker_log | jq -r 'last(.entries[] | select(.event.kind == "start")) | .event.subject.executable.path')"

mkdir $rig/user/stranger
cp "$recorder" $rig/user/stranger/pw-record
chmod -R a+rX $rig/user/stranger
hear stranger.wav 4 ./stranger/pw-record
check "a stranger records as long" between "$(soxi -D $rig/user/stranger.wav)" 2 4.5
equal "and silence" $silence "$(amplitude stranger.wav)"

equal "GStreamer gets thirty pictures" 30 "$(see 30)"
head -c 460800 $rig/user/seen.raw >first.raw
exits "a person allows our own program the camera" 0 person y capturegate grant camera --device "$camera" --always
exits "which records the same camera" 0 as_nobody capturegate record own.y4m --camera "$camera" --microphone none --size 640x360 --for 1s
ffmpeg -nostdin -v error -i $rig/user/own.y4m -frames:v 1 -pix_fmt yuyv422 -f rawvideo own.raw
equal "the pictures are the camera's, to the bit" "$(sha256sum <own.raw)" "$(sha256sum <first.raw)"

hear revoked.wav 20 &
hearing=$!
check "it records again" wait_for 10 has_told began "$recorder" 2
check "by a node of its own" wait_for 5 has_nodes 'microphone' 1
sleep 2
exits "a permission is taken back" 0 as_nobody capturegate revoke microphone --to "$recorder"
check "which the helper tells" wait_for 5 has_told ended '"revoked"' 1
check "and its node is gone" wait_for 10 has_nodes 'microphone' 0
finish 40 $hearing
check "until then it heard the microphone" is_tone revoked.wav trim 1 0.5
equal "and nothing any more" $silence "$(amplitude revoked.wav trim -2)"

seeing() { see 100000 20 >$rig/user/count; }
seeing &
viewing=$!
check "the viewer runs" wait_for 20 has_told began "$viewer" 2
kill -KILL $broker
check "a broker that is killed ends what is captured" wait_for 5 has_told ended "$viewer.*The capture broker" 1
finish 30 $viewing || true
check "it is started again" start_broker
equal "and GStreamer gets pictures again" 30 "$(see 30)"
kill -TERM $helper
wait $helper || true
equal "with the helper all nodes go" 0 "$(nodes '')"
