# about: checks of a microphone on the bench rig: each passes on a good loopback, and finds the fault of its twin
# time: virtual
# timeout: 300
# checks: 26

. "$here/bench.sh"

load_aloop
grant_all
microphone=$(device_id "$microphone_node")
echo "microphone: {kind: microphone, id: \"$microphone\"}" >devices.yaml
mode='rate: 48000'
play='play: "hw:Loopback,0"'

# shift_clock NUMBER: of the loopback's captured side, in hundred thousandths of its speed.
shift_clock() { amixer -q -c Loopback cset "iface=PCM,name='PCM Rate Shift 100000',device=0" "$1"; }

good sound.present
good sound.rate "$mode" 'for: 3 s'
good sound.duration "$mode" 'for: 3 s'
good sound.xruns "$mode" 'for: 3 s'
good sound.steps "$mode" 'for: 3 s'
good sound.modes 'periods: 2'
good sound.tone "$mode" "$play"
good sound.distortion "$mode" "$play"
good sound.channel_map "$mode" 'channels: 2' "$play"
good sound.round_trip "$mode" "$play" 'times: 3'
good sound.controls

# Nobody plays: the loopback is silent.
twin sound.alive zero_channels "$mode" 'for: 1 s'
twin sound.tone tone_frequency_error "$mode" 'for: 1 s'
