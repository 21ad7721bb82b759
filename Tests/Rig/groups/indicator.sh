# about: "status --watch" names who uses a camera or a microphone from the beginning to the end, also past the gate
# time: virtual
# timeout: 120
# checks: 12

load_vivid
load_aloop pcm_substreams=1
chmod 0666 "$camera_node" /dev/snd/*
mkdir -m 777 $rig/watched
user=$(stat -c %u "$(command -v capturegate)")
[ "$user" != 0 ] || user=$(id -u nobody)
# In the background alone: a signal then reaches the program itself.
as_user() {
    exec env HOME=$rig/watched XDG_STATE_HOME=$rig/watched/state XDG_RUNTIME_DIR=$rig/watched \
        setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
}
as_root() { exec env "$@"; }

told() { grep -q "^$1 .*by $2 " told; }
within() { # SENTENCE WORD PROGRAM: the sentence, and that it is told within half a second
    began=$(nanoseconds)
    check "$1" wait_for 5 told "$2" "$3"
    took=$(($(nanoseconds) - began))
    note "told after $((took / 1000000)) ms"
}

for who in as_root as_user; do
    : >told
    rm -f $rig/watched/bar
    $who capturegate status --watch --status-file $rig/watched/bar >told 2>>/rigout/said &
    watching=$!
    wait_for 10 test -s $rig/watched/bar
    $who v4l2-ctl -d "$camera_node" --stream-mmap --stream-count=1000 --stream-to=/dev/null >/dev/null 2>&1 &
    using=$!
    within "$who: a program that never asked is named when it begins" begin v4l2-ctl
    check "$who: and in the file of a bar" wait_for 5 sh -c "jq -e '.camera[0].command == \"v4l2-ctl\"' $rig/watched/bar"
    kill $using
    within "$who: and when it ends" end v4l2-ctl
    $who arecord -q -D hw:Loopback,1 -f dat -d 1 /dev/null 2>>/rigout/said &
    using=$!
    within "$who: so is a microphone's" begin arecord
    finish 10 $using || true
    check "$who: and then the bar is empty" wait_for 5 sh -c "jq -e '.camera + .microphone == []' $rig/watched/bar"
    kill $watching
    finish 10 $watching || true
    equal "$who: each is named once" "begin arecord,begin v4l2-ctl,end arecord,end v4l2-ctl" \
        "$(sed -n 's/^\(begin\|end\) .*by \([^ ]*\) .*/\1 \2/p' told | sort | paste -sd,)"
done
