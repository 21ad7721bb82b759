# What a test group inside the rig kernel can say beside Tests/lib/tap.sh, whose checks it makes. Sourced by `guest` before
# the group; see README.md.

rig=/rig # a tmpfs: everything that a group writes
results=/rigout/results
judges=/rigout/judges

# A home of its own, so that no grant or setting of the machine counts.
make_home() {
    mkdir -p $rig
    mount -t tmpfs -o mode=755 tmpfs $rig
    mkdir -p $rig/home $rig/work $rig/tmp
    rm -rf /etc/capturegate
    HOME=$rig/home TMPDIR=$rig/tmp XDG_STATE_HOME=$rig/home/.local/state XDG_CONFIG_HOME=$rig/home/.config
    XDG_CACHE_HOME=$rig/home/.cache XDG_DATA_HOME=$rig/home/.local/share XDG_RUNTIME_DIR=/run/user/0
    mkdir -p $XDG_RUNTIME_DIR
    chmod 700 $XDG_RUNTIME_DIR
    export HOME TMPDIR XDG_STATE_HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
    cd $rig/work || exit 1
}

# -- time

nanoseconds() { "$judges/monotonic"; }

# spared BUSY FROM TO: in virtual time, this many microseconds are less than 5 % of a processor between two moments, in
# nanoseconds. A program that waits uses next to nothing; a program that asks again and again uses all of it.
spared() { [ $(($1 * 1000 * 20)) -lt $(($3 - $2)) ]; }

# Sets $now: hundredths of a second since the boot, without starting a program.
look_at_clock() {
    read -r now _ </proc/uptime
    now=${now%.*}${now#*.}
    # In virtual time a group begins within the first second, and the shell would read "019" as a wrong octal number.
    now=${now#0}
    now=${now#0}
}

# How long to wait between two looks: in virtual time that costs nothing, and the look does.
pause=0.02
! grep -q time-travel /proc/cmdline || pause=0.1

# wait_for SECONDS COMMAND...: until the command succeeds, never longer.
wait_for() {
    look_at_clock
    deadline=$((now + $1 * 100))
    shift
    until "$@" >/dev/null 2>&1; do
        look_at_clock
        [ "$now" -lt $deadline ] || { note "waited in vain for: $*"; return 1; }
        sleep $pause
    done
}

# A background command as a terminal would start it; the shell alone lets it ignore Ctrl-C.
as_on_terminal() { exec env --default-signal=INT,QUIT "$@"; }

# finish SECONDS PID: the exit code of a background command, which is killed if it takes longer.
finish() {
    ! "$judges/outlasts" "$2" "$1" || { note "killed process $2 after $1 s"; kill -KILL "$2"; }
    wait "$2"
}

# -- chance

# Decides what a group takes of many; a group that uses it prints it. RIG_SEED repeats an earlier choice.
seed=${RIG_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}

# chosen COUNT: from the lines of standard input this many, in their order, each as likely as the next. With CAPTUREGATE_LONG all.
chosen() {
    [ -z "$CAPTUREGATE_LONG" ] || { cat && return; }
    awk -v seed="$seed" -v wanted="$1" '
        { line[NR] = $0 }
        END {
            srand(seed)
            for (i = 1; i <= NR; i++)
                if (rand() * (NR - i + 1) < wanted - taken) { print line[i]; taken++ }
        }'
}

# -- the processor

# metered COMMAND...: in the background; `used` tells then what it and its like have used of a processor, in microseconds. The
# times of a process in /proc are hundredths of a second.
metered() {
    mkdir -p /sys/fs/cgroup/metered
    echo 0 >/sys/fs/cgroup/metered/cgroup.procs
    exec "$@"
}
used() { awk '$1 == "usage_usec" { print $2 }' /sys/fs/cgroup/metered/cpu.stat; }

# -- devices

# load_vivid [OPTION...]: one webcam, capture node only, unless options say otherwise.
load_vivid() {
    modprobe vivid n_devs=1 node_types=0x1 num_inputs=1 input_types=0 "$@"
    udevadm settle
    camera_node=/dev/$(basename "$(echo /sys/devices/platform/vivid.0/video4linux/video*)")
}

# A webcam with the picture of a still test chart: no text, no movement, the same in each frame.
load_still_vivid() {
    load_vivid "$@"
    v4l2-ctl -d "$camera_node" -c test_pattern=0,osd_text_mode=2,horizontal_movement=3,vertical_movement=3
}

# load_usb: the virtual host and the drivers of a USB camera, which $judges/usbcam is; thirty JPEGs in `pictures` for it to show.
load_usb() {
    modprobe vhci_hcd
    modprobe uvcvideo
    modprobe snd-usb-audio
    mkdir pictures
    ffmpeg -nostdin -v error -f lavfi -i testsrc=size=320x240:rate=30 -frames:v 30 -pix_fmt yuvj422p -q:v 4 \
        -huffman default pictures/%d.jpg
}

# load_aloop [OPTION...]: what is played into hw:Loopback,0 is captured from hw:Loopback,1.
load_aloop() {
    modprobe snd-aloop "$@"
    udevadm settle
    microphone_node=/dev/snd/pcmC$(readlink /proc/asound/Loopback | tr -dc 0-9)D1c
}

# From now on ALSA knows the paced microphones of Tests/PacedPCM alone.
use_paced() { export ALSA_CONFIG_PATH="$judges/paced/asound.conf"; }

# play_numbered FRAMES: into the loopback, sound that numbers its own frames: what of it is in a clip tells what the device
# made meanwhile. In the background, as $player.
play_numbered() {
    "$judges/numbered" play "$1" |
        aplay -q -D hw:Loopback,0 -t raw -f S32_LE -r 48000 -c 2 --period-size=480 --buffer-size=4800 &
    player=$!
    wait_for 10 grep -q RUNNING /proc/asound/Loopback/pcm0p/sub0/status
}

# load_eight: eight webcams and eight sound cards; `pairs` has a line "CAMERA MICROPHONE" for each.
load_eight() {
    modprobe vivid n_devs=8 node_types=0x1,0x1,0x1,0x1,0x1,0x1,0x1,0x1 num_inputs=1,1,1,1,1,1,1,1 \
        input_types=0,0,0,0,0,0,0,0
    modprobe snd-aloop enable=1,1,1,1,1,1,1,1 pcm_substreams=1,1,1,1,1,1,1,1
    udevadm settle
    capturegate devices --json | jq -r '[.devices[] | select(.built_in | not)] |
        [[.[] | select(.capability == "camera").id], [.[] | select(.id | endswith("-pcm1")).id]] | transpose[] | join(" ")' >pairs
}

# reload_rules: returns when udev goes by the rules that lie in its folders now. What `udevadm control --reload` returns is
# that it was asked; a rule whose number is new each time is seen at work on a device that nobody minds.
reload_rules() {
    rules=$((${rules:-0} + 1))
    echo "SUBSYSTEM==\"mem\", KERNEL==\"null\", ENV{RIG_RULES}=\"$rules\"" >/etc/udev/rules.d/99-rig.rules
    wait_for 20 rules_are_used
}
rules_are_used() {
    udevadm control --reload && udevadm trigger --settle --action=change /sys/devices/virtual/mem/null &&
        udevadm info -q property -p /sys/devices/virtual/mem/null | grep -qx "RIG_RULES=$rules"
}

unbind() { echo "$2" >"/sys/bus/platform/drivers/$1/unbind"; }
bind() { echo "$2" >"/sys/bus/platform/drivers/$1/bind"; }

# -- capturegate

# beside NAME: another program of the same build.
beside() { echo "$(dirname "$(command -v capturegate)")/$1"; }

# device_ids NODE...: the stable ids of the devices that have these nodes, a line each. A listing asks a camera of vivid's for
# thousands of formats, so one does for all.
device_ids() {
    capturegate devices --json | jq -er '. as $all | $ARGS.positional[] as $node |
        first($all.devices[] | select(any(.nodes[] | tostring; contains($node))) | .id)' --args "$@"
}
device_id() { device_ids "$1"; }

# find_devices: sets $camera and $microphone to the ids of $camera_node and $microphone_node.
find_devices() {
    # shellcheck disable=SC2046 # ids have no spaces
    set -- $(device_ids "$camera_node" "$microphone_node")
    camera=${1?} microphone=${2?}
}

grant_all() {
    capturegate grant camera --always
    capturegate grant microphone --always
}

# recording FILE: the NDJSON of a `record --json` says that it has begun to capture.
recording() { grep -q '"event":"start"' "$1"; }

# ledger FILE FILTER: a jq filter on the `end` event of a `record --json`.
ledger() { jq -r "select(.event == \"end\") | $2" "$1"; }
track() { ledger "$1" "first(.tracks[] | select(.kind == \"$2\")) | .$3"; }

# The seam that has calls fail is in debug builds alone, so the sweep is that of `swift build`, whatever is under test.
sweep() {
    program=$package/.build/debug/FaultSweep
    [ -x "$program" ] || { echo "There is no $program: run 'CAPTUREGATE_TESTS=1 swift build' first."; return 1; }
    # One heap, and no stacks in store: a mapping more is then a mapping that stayed behind.
    GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.pthread.stack_cache_size=0 "$program" "$@" >/rigout/sweep.txt 2>&1
    code=$?
    cat /rigout/sweep.txt >>/rigout/sweeps.txt
    [ $code = 0 ] || grep -a '^not ok' /rigout/sweep.txt || { tail -n 3 /rigout/sweep.txt; echo "exit code $code"; }
    return $code
}

# sweep_faults LEAST KIND ID [OPTION...]: two checks, the second that there were at least this many faults. In the long run these are
# all of them, otherwise every third one from the first, the second or the third on.
sweep_faults() {
    least=$1
    shift
    if [ -z "$CAPTUREGATE_LONG" ]; then
        least=$((least / 3))
        set -- "$@" --part "$((seed % 3 + 1))/3"
        note "part $((seed % 3 + 1)) of 3, by seed $seed"
    fi
    check "$1: calls fail, the first, the second, one in the middle, the last, once and for ever" sweep "$@"
    faults=$(sed -n 's/^\([0-9]*\) faults,.*/\1/p' /rigout/sweep.txt)
    note "$faults faults"
    check "$1: in at least $least ways" [ "${faults:-0}" -ge "$least" ]
}

# -- files

probe() { ffprobe -v error "$@"; }

# facts FILE: all that ffprobe knows of it, frames counted, as JSON. It is asked once for each state of the file: its start
# costs more than most of what is recorded here.
facts() {
    known=$rig/tmp/facts.$(stat -c %i.%s.%.9Y "$1") || return 1
    [ -s "$known" ] || probe -count_frames -show_format -show_streams -of json "$1" >"$known"
    cat "$known"
}

# stream FILE video|audio ENTRY: one property of the first video or audio stream.
stream() { facts "$1" | jq -r --arg type "$2" --arg entry "$3" 'first(.streams[] | select(.codec_type == $type)) | .[$entry]'; }
duration() { facts "$1" | jq -r .format.duration; }
frame_count() { stream "$1" video nb_read_frames; }

# between VALUE LOW HIGH, in real numbers; what is none, as sox's "-nan", is not between.
between() {
    awk -v value="$1" -v low="$2" -v high="$3" \
        'BEGIN { exit !(value ~ /^-?[0-9]*[.]?[0-9]+([eE][-+]?[0-9]+)?$/ && value + 0 >= low && value + 0 <= high) }'
}

# decodes FILE: every frame of it, without a complaint.
decodes() { ffmpeg -nostdin -v error -xerror -i "$1" -f null - && [ -s "$1" ]; }
