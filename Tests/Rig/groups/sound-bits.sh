# about: the recorded sound equals the played bits
# time: virtual
# timeout: 150
# checks: 13

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

# Other sizes of samples, counts of channels and rates; the loopback takes what its player was opened with.
# same FORMAT CHANNELS RATE BYTES-A-FRAME
same() {
    capturegate record "$1.wav" --json --camera none --microphone "$microphone" --rate "$3" --channels "$2" \
        --sample-format "$1" --strict --for 2s >"$1.ndjson" &
    recorder=$!
    wait_for 20 recording "$1.ndjson"
    head -c $(($3 * $4 / 2)) noise.raw >part.raw
    aplay -q -D hw:Loopback,0 -t raw -f "$1" -r "$3" -c "$2" part.raw
    check "$1 at $3 Hz with $2 channels is recorded" finish 20 $recorder
    check "with the played bits" "$judges/played-in" "$1.wav" part.raw "$4" $(($3 / 4))
}
openssl enc -aes-128-ctr -nosalt -pass pass:capturegate -md sha256 </dev/zero 2>/dev/null | head -c 3200000 >noise.raw
same S24_3LE 1 96000 3
same S32_LE 8 192000 32
same FLOAT_LE 2 8000 8
same S16_LE 8 48000 16
