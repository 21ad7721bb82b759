# about: GStreamer, a Python program with many threads and a browser get frames under "run" by a grant alone
# time: virtual
# timeout: 250
# checks: 10

load_vivid
load_aloop pcm_substreams=1
python=$(python3 -c 'import sys; print(sys.executable)')
browser=$(readlink -f /usr/lib/chromium/chromium)

cat >$rig/threads.py <<'PY'
# Eight threads open the camera twenty times each.
import os, sys, threading
counts = {"open": 0, "refused": 0}
lock = threading.Lock()
def use():
    for _ in range(20):
        try:
            node = os.open(sys.argv[1], os.O_RDWR)
            os.close(node)
            outcome = "open"
        except PermissionError:
            outcome = "refused"
        with lock: counts[outcome] += 1
threads = [threading.Thread(target=use) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(counts["open"], counts["refused"])
PY
cat >$rig/page.html <<'HTML'
<script>
const say = (word) => console.log("page: " + word);
navigator.mediaDevices.getUserMedia({video: true}).then((stream) => {
    const video = document.createElement("video");
    video.srcObject = stream;
    video.requestVideoFrameCallback(() => say("a picture of " + (video.videoWidth > 0 ? "some" : "no") + " size"));
    video.play();
}, (error) => say("none: " + error.name));
</script>
HTML

held() { timeout -s KILL 60 capturegate run -- "$@" 2>>/rigout/said; }
pictures() {
    held gst-launch-1.0 -q v4l2src device="$camera_node" num-buffers=5 ! video/x-raw ! filesink location=$rig/pictures >/dev/null || true
    stat -c %s $rig/pictures 2>/dev/null || echo 0
}
sound() {
    held gst-launch-1.0 -q alsasrc device=hw:Loopback,1 num-buffers=5 ! filesink location=$rig/sound >/dev/null || true
    stat -c %s $rig/sound 2>/dev/null || echo 0
}
# browse: what a page in a browser says of the camera. Its own sandbox can't be put into a supervisor's.
browse() {
    rm -rf $rig/profile
    : >$rig/browser # what an earlier one said does not count
    capturegate run -- "$browser" --headless --no-sandbox --disable-gpu --user-data-dir=$rig/profile --enable-logging=stderr \
        --use-fake-ui-for-media-stream "file://$rig/page.html" >$rig/browser 2>&1 &
    browsing=$!
    wait_for 90 grep -q 'page: ' $rig/browser || tail -n 20 $rig/browser >>/rigout/said
    kill -TERM $browsing
    finish 20 $browsing || true
    sed -n 's/.*"page: \([^"]*\)".*/\1/p' $rig/browser | head -n 1
}

equal "without a grant GStreamer gets no picture" 0 "$(pictures)"
equal "and no sound" 0 "$(sound)"
gst=$(command -v gst-launch-1.0)
capturegate grant camera --to "$gst" --always >/dev/null
capturegate grant microphone --to "$gst" --always >/dev/null
check "with one it gets pictures" test "$(pictures)" -gt 100000
check "and sound" test "$(sound)" -gt 1000

equal "without a grant no thread of a program opens the camera" "0 160" "$(held "$python" $rig/threads.py "$camera_node")"
capturegate grant camera --to "$python" --always >/dev/null
equal "with one all do" "160 0" "$(held "$python" $rig/threads.py "$camera_node")"
check "a hundred and sixty openings are not a hundred and sixty questions" \
    test "$(capturegate log --json | jq '[.entries[].event | select(.kind == "start")] | length')" -lt 10

equal "without a grant a page in a browser gets no camera" "none: NotFoundError" "$(browse)"
capturegate grant camera --to "$browser" --always >/dev/null
equal "with one it shows a picture" "a picture of some size" "$(browse)"
check "the log is whole" capturegate log --verify
