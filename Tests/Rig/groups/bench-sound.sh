# about: checks of a microphone on the bench rig: each passes on a good loopback, and finds the fault of its twin
# time: virtual
# timeout: 160
# long-timeout: 900
# checks: 29
# long-checks: 31

. "$here/bench.sh"

note "seed $seed"
load_still_vivid
# Its pictures are then stamped as webcams stamp theirs, when they begin.
v4l2-ctl -d "$camera_node" -c timestamp_source=1,brightness=0
load_aloop
grant_all
find_devices
printf 'microphone: {kind: microphone, id: "%s"}\ncamera: {kind: camera, id: "%s"}\n' "$microphone" "$camera" >devices.yaml
mode='rate: 48000'
play='play: "hw:Loopback,0"'

# clap FRAMES: has a camera flash and a loudspeaker click once a second, the sound so much later. In the background, as $player.
clap() {
    { head -c $((4 * $1)) /dev/zero; "$judges/click-track" 20 48000; } |
        aplay -q -D hw:Loopback,0 -t raw -f S16_LE -r 48000 -c 2 --period-size=960 --buffer-size=9600 &
    player=$!
    wait_for 10 grep -q RUNNING /proc/asound/Loopback/pcm0p/sub0/status
    "$judges/clapper" "$camera_node" /proc/asound/Loopback/pcm0p/sub0/status 48000 steady &
}
hush() {
    kill $player
    wait
}
clapped='size: 320x180
    rate: 50'

# shift_clock NUMBER: speed of the captured side, in hundred thousandths; 100000 is right.
shift_clock() { amixer -q -c Loopback cset "iface=PCM,name='PCM Rate Shift 100000',device=1" "$1"; }

good sound.present
good sound.rate "$mode" 'for: 3 s'
good sound.duration "$mode" 'for: 3 s'
good sound.xruns "$mode" 'for: 3 s'
good sound.steps "$mode" 'for: 3 s'
# Sound that numbers its own frames.
play_numbered 480000
good sound.alive 'for: 2 s'
wait "$player"
good sound.tone "$mode" "$play"
good sound.distortion "$mode" "$play"
good sound.channel_map "$mode" 'channels: 2' "$play"
good sound.round_trip "$mode" "$play" 'times: 3'
good sound.controls
good sound.modes 'periods: 2' "$(sampled 50)"
steady sound.controls
steady sound.present
clap 0
good sync.offset "$clapped" 'for: 5 s'
hush
good sync.drift 'for: 12 s'
good sync.soak 'for: 20 s' 'settle: 8 s'

# Nobody plays, or another tone than the plan says.
twin sound.alive zero_channels "$mode" 'for: 1 s'
twin sound.tone tone_level "$mode" 'for: 1 s'
twin sound.distortion thd_n "$mode" 'for: 1 s'
twin sound.channel_map channels_wrong "$mode" 'channels: 2' 'for: 1 s'
# Another pair of the loopback: nothing of it is heard.
twin sound.round_trip round_trip_missed "$mode" 'play: "hw:Loopback,0,1"' 'times: 2'

# The sound of each clap comes 80 ms after its flash.
clap 3840
twin sync.offset sync_mean "$clapped" 'for: 5 s'
hush

# Three thousandths too slow.
shift_clock 100300
twin sound.rate sound_rate_error "$mode" 'for: 3 s'
twin sound.duration duration_error "$mode" 'for: 4 s'
twin sync.drift drift 'for: 12 s'
twin sync.soak drift 'for: 20 s' 'settle: 8 s'
shift_clock 100000

# A program that is stopped for three seconds reads nothing meanwhile, and the ring is not that long.
stopped() { (sleep 2; pkill -STOP capturegate; sleep 3; pkill -CONT capturegate) & }
stopped
twin sound.xruns xruns "$mode" 'for: 4 s'

unbind snd_aloop snd_aloop.0
made sound.present
equal "twin sound.present fails by missing it" 'miss 69' "$(jq -r .verdict result.json) $code"
made sound.rate
equal "a microphone that is not there is missed" 'miss 69' "$(jq -r .verdict result.json) $code"
bind snd_aloop snd_aloop.0
udevadm settle
capturegate revoke microphone
made sound.rate
check "without a grant nobody is asked, and nothing is a pass" jq -e '.verdict == "error"' result.json
