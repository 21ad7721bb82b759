# about: checks of a microphone on the bench rig: each passes on a good loopback, and finds the fault of its twin
# time: virtual
# timeout: 300
# checks: 21

. "$here/bench.sh"

load_aloop
grant_all
microphone=$(device_id "$microphone_node")
echo "microphone: {kind: microphone, id: \"$microphone\"}" >devices.yaml
mode='rate: 48000'
play='play: "hw:Loopback,0"'

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

# Nobody plays, or another tone than the plan says.
twin sound.alive zero_channels "$mode" 'for: 1 s'
twin sound.tone tone_level "$mode" 'for: 1 s'
twin sound.distortion thd_n "$mode" 'for: 1 s'
twin sound.channel_map channels_wrong "$mode" 'channels: 2' 'for: 1 s'
# Another pair of the loopback: nothing of it is heard.
twin sound.round_trip round_trip_missed "$mode" 'play: "hw:Loopback,0,1"' 'times: 2'

# Three thousandths too fast.
shift_clock 100300
twin sound.rate sound_rate_error "$mode" 'for: 3 s'
twin sound.duration duration_error "$mode" 'for: 4 s'
shift_clock 100000

# A program that is stopped for a second reads nothing meanwhile, and the ring is not that long.
stopped() { (sleep 2; pkill -STOP capturegate; sleep 3; pkill -CONT capturegate) & }
stopped
twin sound.xruns xruns "$mode" 'for: 4 s'

unbind snd_aloop snd_aloop.0
made sound.rate
equal "a microphone that is not there is missed" 'miss 69' "$(jq -r .verdict result.json) $code"
bind snd_aloop snd_aloop.0
udevadm settle
capturegate revoke microphone
made sound.rate
check "without a grant nobody is asked, and nothing is a pass" jq -e '.verdict == "error"' result.json
