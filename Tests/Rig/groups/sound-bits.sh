# about: the recorded sound equals the played bits
# time: virtual
# timeout: 120
# checks: 5

load_aloop
grant_all
microphone=$(device_id "$microphone_node")

# Noise from a seed: no two places in it are alike, so a lost or repeated sample cannot hide.
openssl enc -aes-128-ctr -nosalt -pass pass:capturegate -md sha256 </dev/zero 2>/dev/null | head -c 576000 >noise.raw

play() { aplay -q -D hw:Loopback,0 -t raw -f S16_LE -r 48000 -c 2 noise.raw; }

# The same by arecord: the loopback itself keeps the bits.
arecord -q -D hw:Loopback,1 -t wav -f S16_LE -r 48000 -c 2 -d 4 peer.wav &
wait_for 10 grep -q RUNNING /proc/asound/Loopback/pcm1c/sub0/status
play
wait
check "arecord gets the bits that aplay plays" "$judges/played-in" peer.wav noise.raw 4 140000

capturegate record sound.wav --json --camera none --microphone "$microphone" \
    --rate 48000 --channels 2 --sample-format S16_LE --for 5s >events.ndjson &
recorder=$!
check "the recording begins" wait_for 20 recording events.ndjson
play
check "it ends well" finish 20 $recorder
check "the file holds the played bits, every one" "$judges/played-in" sound.wav noise.raw 4 140000
equal "no xrun is in the ledger" 0 "$(track events.ndjson audio xruns)"
