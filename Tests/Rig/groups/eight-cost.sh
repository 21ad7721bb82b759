# about: eight cameras and eight microphones in one process cost no more than eight times one of each
# time: real
# timeout: 120
# checks: 2

load_eight

# cost PAIRS: milliseconds a second that the machine is busy, its kernel included, which makes picture and sound. In real time:
# virtual time does not pass while something computes.
cost() {
    # shellcheck disable=SC2046
    "$(beside ManyDevices)" 2 $(head -n "$1" pairs) >said
    head -n 1 said | jq '((.seconds - .idle) / .seconds * 1000)'
    grep '"tracks"' said | jq -c '.tracks[]' >>tracks
}
for round in 1 2 3; do
    echo "$(cost 1) $(cost 8)" | tee -a costs
done
# Whatever else the machine does can only add to a cost.
least() { cut -d ' ' -f "$1" costs | sort -n | head -n 1; }
one=$(least 1) eight=$(least 2)
note "$(awk -v one="$one" -v eight="$eight" 'BEGIN {
    printf "one pair: %.0f ms a second; eight: %.0f, ", one, eight
    printf "which is %.2f times eight times one", eight / 8 / one }')"
check "at most 1.1 times eight times one" between "$eight" 1 "$(awk -v one="$one" 'BEGIN { print 1.1 * 8 * one }')"
equal "of every track, delivered and lost are what was made" 0 \
    "$(jq -s 'map(.asked - .delivered - (.lost | add)) | map(if . < 0 then -. else . end) | add' tracks)"
