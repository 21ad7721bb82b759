# about: 300 of 300 frames at 1280x720p60 and no xrun
# time: virtual
# timeout: 100
# checks: 11

load_vivid
load_aloop
grant_all
find_devices

# take TARGET EVENTS: five seconds. A thread of this processor makes vivid's pictures. It goes first, as the hardware of a camera
# would; only the capture threads have a higher priority.
take() {
    code=0
    chrt --idle 0 capturegate record "$1" --force --json --camera "$camera" --microphone "$microphone" \
        --size 1280x720 --fps 60 --rate 48000 --for 5s >"$2" || code=$?
}

# Without a file first: if this loses frames, the capture does, not the encoder.
take null: captured.ndjson
equal "five seconds of 720p60 with sound are captured" 0 $code
note "ledger: $(jq -c 'select(.event == "end") | .ledger.tracks[0]' captured.ndjson)"
equal "none of the 300 frames is lost" '300 0' "$(track captured.ndjson video frames) $(track captured.ndjson video lost)"

take clip.mkv events.ndjson
equal "five seconds of 720p60 with sound are recorded" 0 $code
note "ledger: $(jq -c 'select(.event == "end")' events.ndjson)"
equal "the ledger counts 300 frames" 300 "$(track events.ndjson video frames)"
equal "none is lost" 0 "$(track events.ndjson video lost)"
equal "the sound had no xrun" 0 "$(track events.ndjson audio xruns)"
equal "the file has 300 frames" 300 "$(frame_count clip.mkv)"
equal "of 1280x720" 1280,720 "$(stream clip.mkv video width),$(stream clip.mkv video height)"
check "it lasts five seconds" between "$(duration clip.mkv)" 4.97 5.05
check "all of it decodes" decodes clip.mkv
absent "nothing is left under a partial name" clip.mkv.partial
