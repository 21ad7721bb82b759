# about: closed nodes are lent by the broker: programs of others get frames by a grant alone, and lose them with it
# time: virtual
# timeout: 160
# checks: 46

load_vivid
load_aloop
find_devices
. "$here/broker.sh"

record() { as_nobody timeout -s KILL 60 capturegate record "$@"; }
picture="--camera $camera --microphone none --size 640x360"
# Fails the checks that follow rather than the group.
begun() { wait_for 10 recording "$1" || tail -n 5 "$1"; }
descriptors() { find "/proc/$broker/fd" -type l | wc -l; }

# shellcheck disable=SC2086 # $picture is some words
{
    check "before, a program of group video streams without asking" as_nobody \
        v4l2-ctl -d "$camera_node" --stream-mmap --stream-count=1 --stream-to=/dev/null
    check "the system is secured" capturegate secure --from "$package"
    refute "then it streams no more" as_nobody v4l2-ctl -d "$camera_node" --stream-mmap --stream-count=1
    check "the broker serves" start_broker
    equal "status says the level" L2 "$(as_nobody capturegate status --json | jq -r --arg id "$camera" '.devices[] | select(.id == $id) | .strength')"
    equal "formats come from the broker" true "$(as_nobody capturegate devices --json |
        jq --arg id "$camera" '.devices[] | select(.id == $id) | .formats | length > 0')"

    exits "without a decision and without a person nothing is captured" 77 record none.mkv $picture --for 1s
    said "and the missing agent is named" "agent"
    absent "nothing is left behind" $rig/user/none.mkv*
    exits "a person who is asked at the terminal says no" 77 person n capturegate record none.mkv $picture --for 1s
    exits "who is asked by a command that allows says yes" 0 person y capturegate grant camera --device "$camera" --always
    exits "for the microphone, too" 0 person y capturegate grant microphone --always

    exits "now the camera is recorded" 0 record clip.mkv $picture --for 2s --json
    check "and decodes" decodes $rig/user/clip.mkv
    check "as many pictures as there were" between "$(frame_count $rig/user/clip.mkv)" 45 62
    exits "the microphone is recorded" 0 record sound.wav --camera none --microphone "$microphone" --for 1s
    check "all of a second" between "$(duration $rig/user/sound.wav)" 0.99 1.02
    equal "what is decided is in the broker's log, with the user" 65534 "$(broker_log |
        jq -r 'last(.entries[] | select(.event.kind == "start")) | .event.subject.user_id')"

    exits "a recording is watched to its end" 0 \
        as_nobody env LD_PRELOAD="$judges/count-calls.so" COUNT_PLANT= COUNT_REPORT=$rig/user/report \
        capturegate record null: --camera "$camera" --microphone "$microphone" --size 640x360 --for 4s
    column() { sed -nE "s/.* $1=([^ ]+).*/\1/p" $rig/user/report | paste -sd ' '; }
    equal "lent picture and sound have a thread each, in steady state" 2 "$(awk -F 'turns=' '$2 + 0 >= 30' $rig/user/report | wc -l)"
    equal "which allocates nothing" '0 0' "$(column allocations)"
    equal "and locks nothing" '0 0, 0 0' "$(column locks), $(column futexes)"

    # Not encoded: the rig's processor has enough to do with three programs.
    record null: $picture --for 4s --json >$rig/user/two.ndjson 2>&1 &
    first=$!
    begun $rig/user/two.ndjson
    exits "a second program gets the same camera meanwhile" 0 record other.y4m --camera "$camera" --microphone none --for 1s --json
    equal "in the format that runs" 640,360 "$(stream $rig/user/other.y4m video width),$(stream $rig/user/other.y4m video height)"
    check "the first goes on" finish 20 $first
    # All of it is warm now.
    sleep 1
    before=$(descriptors)
    equal "and has lost nothing by it" 0 "$(track $rig/user/two.ndjson video lost)"

    record taken.mkv $picture --for 30s --json >$rig/user/taken.ndjson 2>&1 &
    pid=$!
    begun $rig/user/taken.ndjson
    exits "a permission is taken back without a question" 0 as_nobody capturegate revoke camera
    code=0
    finish 10 $pid || code=$?
    equal "the capture ends as not authorized" 77 $code
    check "with a whole file" decodes $rig/user/taken.mkv
    exits "and a new one is refused" 77 record none.mkv $picture --for 1s
    given_back() { [ "$(descriptors)" = "$before" ]; }
    check "what clients held is given back" wait_for 10 given_back

    exits "it is allowed again" 0 person y capturegate grant camera --device "$camera" --always
    record killed.mkv $picture --for 30s --json >$rig/user/killed.ndjson 2>&1 &
    pid=$!
    begun $rig/user/killed.ndjson
    exits "the kill switch needs no question" 0 as_nobody capturegate camera off
    code=0
    finish 10 $pid || code=$?
    equal "it ends a capture, too" 77 $code
    exits "to switch on again is asked" 0 person y capturegate camera on

    record ruled.mkv $picture --for 30s --json >$rig/user/ruled.ndjson 2>&1 &
    pid=$!
    begun $rig/user/ruled.ndjson
    echo 'version: [' >/etc/capturegate/policy.d/broken.yaml
    code=0
    finish 10 $pid || code=$?
    equal "rules that break while it runs end a capture" 77 $code
    exits "and nothing is captured by them" 78 record none.mkv $picture --for 1s
    rm /etc/capturegate/policy.d/broken.yaml

    record unplugged.mkv $picture --for 30s --json >$rig/user/unplugged.ndjson 2>&1 &
    pid=$!
    begun $rig/user/unplugged.ndjson
    unbind vivid vivid.0
    code=0
    finish 10 $pid || code=$?
    equal "a node that vanishes ends a capture" 69 $code
    equal "as the unplugging of that camera" device_gone "$(ledger $rig/user/unplugged.ndjson .reason)"
    check "with a whole file" decodes $rig/user/unplugged.mkv
    bind vivid vivid.0
    udevadm settle

    record gone.mkv $picture --for 30s --json >$rig/user/gone.ndjson 2>&1 &
    pid=$!
    record back.mkv $picture --for 6s --reattach 20s --json >$rig/user/back.ndjson 2>&1 &
    patient=$!
    begun $rig/user/gone.ndjson
    begun $rig/user/back.ndjson
    kill -KILL $broker
    code=0
    finish 10 $pid || code=$?
    equal "a broker that is killed ends the captures" 69 $code
    check "with whole files" decodes $rig/user/gone.mkv
    check "it is started again" start_broker
    check "who asked for it goes on" finish 30 $patient
    check "in one file" decodes $rig/user/back.mkv
    kill $broker
    wait $broker || true
    exits "the nodes are opened again" 0 capturegate secure --undo
}
