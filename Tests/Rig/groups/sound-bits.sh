# about: the recorded sound equals the played bits, in each sample format, interleaved and not
# time: virtual
# timeout: 150
# checks: 19

load_aloop
grant_all
microphone=$(device_id "$microphone_node")

# Noise from a seed: no two places in it are alike, so a lost or repeated sample cannot hide.
openssl enc -aes-128-ctr -nosalt -pass pass:capturegate -md sha256 </dev/zero 2>/dev/null | head -c 3200000 >noise.raw

# play FORMAT CHANNELS RATE FILE [OPTION...]: with silence after it, more than the player's buffer, because what is left
# in there at the end comes through the loopback as zeros and older sound where periods are no whole milliseconds.
play() {
    played=$4
    cat "$played" >with-silence.raw
    head -c $(($3 * $2 * 4)) /dev/zero >>with-silence.raw
    aplay -q -D hw:Loopback,0 -t raw -f "$1" -r "$3" -c "$2" with-silence.raw
}

# The same by arecord: the loopback itself keeps the bits.
head -c 576000 noise.raw >part.raw
arecord -q -D hw:Loopback,1 -t wav -f S16_LE -r 48000 -c 2 -d 8 peer.wav &
wait_for 10 grep -q RUNNING /proc/asound/Loopback/pcm1c/sub0/status
play S16_LE 2 48000 part.raw
wait
check "arecord gets the bits that aplay plays" "$judges/played-in" peer.wav part.raw 4 144000

capturegate record sound.wav --json --camera none --microphone "$microphone" \
    --rate 48000 --channels 2 --sample-format S16_LE --for 5s >events.ndjson &
recorder=$!
check "the recording begins" wait_for 20 recording events.ndjson
play S16_LE 2 48000 part.raw
check "it ends well" finish 20 $recorder
check "the file holds the played bits, every one" "$judges/played-in" sound.wav part.raw 4 144000
equal "no xrun is in the ledger" 0 "$(track events.ndjson audio xruns)"

# record FORMAT CHANNELS RATE: until it captures.
record() {
    : >"$1.ndjson"
    env "LD_PRELOAD=${preload:-}" capturegate record "$1.wav" --force --json --camera none --microphone "$microphone" --rate "$3" --channels "$2" \
        --sample-format "$1" --strict --for 2s >"$1.ndjson" &
    recorder=$!
    wait_for 20 recording "$1.ndjson"
}

# Other sizes of samples, counts of channels and rates; the loopback takes what its player was opened with.
# same FORMAT CHANNELS RATE BYTES-A-FRAME
same() {
    record "$1" "$2" "$3"
    head -c $(($3 * $4 / 2)) noise.raw >part.raw
    play "$1" "$2" "$3" part.raw
    check "$1 at $3 Hz with $2 channels is recorded" finish 20 $recorder
    check "with the played bits" "$judges/played-in" "$1.wav" part.raw "$4" $(($3 / 2))
}
same S24_3LE 1 96000 3
same S32_LE 8 192000 32
same FLOAT_LE 2 8000 8
same S16_LE 8 44100 16

# 24 bits in the low three bytes of four, the fourth full of the sign; a file keeps three.
head -c 144000 noise.raw >part.raw
perl -0777 -ne 'print $_, ord(substr $_, 2) > 127 ? "\xff" : "\0" for /.{3}/gs' <part.raw >wide.raw
record S24_LE 2 48000
play S24_LE 2 48000 wide.raw
check "S24_LE, in four bytes, is recorded" finish 20 $recorder
check "with the played bits" "$judges/played-in" S24_LE.wav part.raw 6 24000
equal "in three" 24 "$(stream S24_LE.wav audio bits_per_sample)"

# Channels that the driver keeps apart, each in its own memory: two files played, two memories read, one file written.
head -c 96000 noise.raw >part.raw
perl -0777 -ne 'print substr $_, 0, 2 for /.{4}/gs' <part.raw >left.raw
perl -0777 -ne 'print substr $_, 2, 2 for /.{4}/gs' <part.raw >right.raw
head -c 96000 /dev/zero | tee -a left.raw >>right.raw
preload=$judges/apart.so
record S16_LE 2 48000
check "a microphone that interleaves nothing is one" grep -q 'RW_NONINTERLEAVED' /proc/asound/Loopback/pcm1c/sub0/hw_params
aplay -q -I -D hw:Loopback,0 -t raw -f S16_LE -r 48000 -c 2 left.raw right.raw
check "it is recorded" finish 20 $recorder
check "with the played bits" "$judges/played-in" S16_LE.wav part.raw 4 24000
