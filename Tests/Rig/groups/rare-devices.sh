# about: devices that are rare are recorded, or told why not: a small buffer, another rate, a pipeline that is not set up, another shape at the return
# time: virtual
# timeout: 90
# checks: 17

grant_all
modprobe snd-dummy
udevadm settle

# It has 48 kHz and a buffer of 64 KiB, which is less than a tenth of a second at the rate that is asked.
exits "a microphone with a small buffer is recorded, whatever rate is asked" 0 \
    capturegate record small.wav --microphone Dummy --rate 192000 --channels 2 --for 2s
equal "to the sample" 384000 "$(stream small.wav audio duration_ts)"
rmmod snd-dummy

load_aloop
microphone=$(device_id "$microphone_node")
# What plays has the loopback's rate: it can no other one then.
play_slowly() {
    aplay -q -D hw:Loopback,0 -t raw -f S16_LE -r 8000 -c 2 /dev/zero &
    player=$!
    wait_for 10 grep -q RUNNING /proc/asound/Loopback/pcm0p/sub0/status
}
play_slowly
begun=$(nanoseconds)
exits "a microphone that has 8 kHz where 192 were asked is recorded" 0 \
    capturegate record slow.wav --microphone "$microphone" --camera none --rate 192000 --channels 2 --for 2s
took=$((($(nanoseconds) - begun) / 1000000))
note "it took $took ms"
equal "and made into the rate that was asked" 192000 "$(stream slow.wav audio sample_rate)"
check "in little more than its time: a period is a tenth of a second, not of an hour" [ $took -lt 3000 ]

# The microphone is away, and is back with another rate.
: >events.ndjson
capturegate record away.wav --microphone "$microphone" --camera none --rate 8000 --channels 2 --json --reattach=20s \
    --for 30s >events.ndjson 2>said &
recorder=$!
wait_for 20 recording events.ndjson
sleep 1
kill $player
wait $player || true
unbind snd_aloop snd_aloop.0
sleep 1
bind snd_aloop snd_aloop.0
udevadm settle
aplay -q -D hw:Loopback,0 -t raw -f S16_LE -r 48000 -c 2 /dev/zero &
player=$!
code=0
finish 30 $recorder || code=$?
kill $player
wait $player || true
equal "a microphone that is back with another rate ends the recording with 69" 69 $code
check "it says that it is back, and with what" grep -q 'came back with 48000 Hz, 2 channels' said
check "and what it had" grep -q 'instead of 8000 Hz' said
check "within two seconds or so" between "$(duration away.wav)" 0.5 3
check "and the file decodes" decodes away.wav

# Two recordings to one name.
capturegate record name.wav --microphone "$microphone" --camera none --json --for 6s >first.ndjson &
recorder=$!
wait_for 20 recording first.ndjson
exits "a name that another recording is writing is refused with 75" 75 \
    capturegate record name.wav --microphone test:tone --camera none --for 1s
said "and who writes it is named" "process $recorder .capturegate."
check "which goes on" finish 20 $recorder
rmmod snd-aloop || true

# A sensor, a debayerer and a scaler, whose formats nobody has made agree.
modprobe vimc
udevadm settle
camera=$(capturegate devices --json | jq -er 'first(.devices[] | select(.capability == "camera" and (.built_in | not)) | .id)')
exits "a camera whose pipeline is not set up is refused" 74 \
    capturegate record a.mkv --camera "$camera" --microphone none --size 320x240 --for 1s
said "with what it is" "pipeline that is not set up"
said "and what to do" "media-ctl"
unsaid "and not to plug it in again" 'plug it in'
