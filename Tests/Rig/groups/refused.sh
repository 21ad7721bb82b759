# about: who is not allowed opens no device
# time: virtual
# timeout: 120
# checks: 10

load_vivid
load_aloop
find_devices
devices='"/dev/(video|media|v4l|snd/pcm[^"]*c")'

# Without a session of its own there would be a terminal to ask on.
traced() { setsid strace -f -qq -e trace=open,openat,openat2,creat -o trace "$@" </dev/null; }

traced dd if="$camera_node" of=/dev/null bs=1 count=0 2>/dev/null
check "the trace would show an opened camera" grep -qE "$devices" trace

exits "a camera without a grant and without a terminal is refused" 77 \
    traced capturegate record clip.mkv --camera "$camera" --microphone none --for 1s
lacks "no capture node was opened for it" "$devices" trace
said "it says how to allow it" 'capturegate grant camera'
exits "a microphone likewise" 77 traced capturegate record clip.wav --camera none --microphone "$microphone" --for 1s
lacks "no capture node was opened for it either" "$devices" trace
said "it says how to allow it too" 'capturegate grant microphone'
exits "the machine's default likewise" 77 traced capturegate record clip.mkv --for 1s
lacks "nor for that" "$devices" trace
equal "no file is left" "" "$(ls clip* 2>/dev/null)"
