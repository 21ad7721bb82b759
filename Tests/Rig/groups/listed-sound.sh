# about: what a list says of a microphone is what arecord --dump-hw-params says of it
# time: virtual
# timeout: 90
# checks: 13

load_aloop pcm_substreams=1
microphone=$(device_id "$microphone_node")

# Of the formats that there are, those that a recording can have: integers of 16 to 32 bits and floats, little endian.
known='S16_LE S24_LE S24_3LE S32_LE FLOAT_LE'

# Opens the device, says what it could do, and is content when it then can't record as it would like to.
peer() { arecord -D "$1" --dump-hw-params -d 1 /dev/null 2>peer.txt || true; }
line() { sed -n "s/^$1: *//p" peer.txt; }
peer_formats() { line FORMAT | tr ' ' '\n' | grep -xF "$(echo "$known" | tr ' ' '\n')" | sort | tr '\n' ' '; }
# "2" or "[1 32]" as "1 32".
peer_range() { line "$1" | tr -d '[]()' | awk '{ print $1, $NF }'; }

ours() { jq -r --arg id "$microphone" ".devices[] | select(.id == \$id).formats[0] | $1" ours.json; }
range() { ours ".$1 | \"\\(.min) \\(.max)\""; }

# same WHAT PCM: three checks.
same() {
    peer "$2"
    capturegate devices --json >ours.json
    note "$1: $(peer_range RATE) Hz, $(peer_range CHANNELS) channels, $(peer_formats)"
    equal "the rates of $1" "$(peer_range RATE)" "$(range sample_rates)"
    equal "the channels of $1" "$(peer_range CHANNELS)" "$(range channels)"
    equal "the formats of $1" "$(peer_formats)" "$(ours '.sample_formats | sort[]' | LC_ALL=C sort | tr '\n' ' ')"
}

same "a loopback that can do all" hw:Loopback,1
equal "which are all that can be recorded" "$(echo "$known" | tr ' ' '\n' | sort | tr '\n' ' ')" "$(peer_formats)"

# The loopback can only be heard as it is played into.
# narrowed FORMAT CHANNELS RATE
narrowed() {
    aplay -q -D hw:Loopback,0 -t raw -f "$1" -c "$2" -r "$3" /dev/zero &
    player=$!
    wait_for 10 grep -q RUNNING /proc/asound/Loopback/pcm0p/sub0/status
    same "one played into as $1" hw:Loopback,1
    kill $player
    wait $player || true
}
narrowed S24_3LE 2 96000
narrowed FLOAT_LE 8 44100
narrowed S16_LE 1 8000
