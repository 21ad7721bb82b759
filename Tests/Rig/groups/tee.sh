# about: one capture in several formats at once, each encoded on a queue of its own
# time: virtual
# timeout: 120
# checks: 17

load_vivid
load_aloop
grant_all
find_devices

exits "three formats at once are recorded" 0 \
    capturegate record a.mkv --tee b.mjpeg --tee c.y4m --tee d.flac --json --camera "$camera" \
    --microphone "$microphone" --size 640x360 --fps 30 --rate 48000 --for 2s
cp $rig/tmp/said.txt events
grep '"event":"end"' events >end.json
equal "nothing of the first one is lost" 0 "$(jq '[.ledger.tracks[].lost | add] | add' end.json)"
equal "nor of the others" '0 0 0' "$(jq -r '[.tees[] | [.ledger.tracks[].lost | add] | add] | join(" ")' end.json)"
for file in a.mkv b.mjpeg c.y4m; do equal "$file has all 60 pictures" 60 "$(frame_count $file)"; done
equal "the sound has its length to the sample" 96000 "$(stream d.flac audio duration_ts)"
check "all of it decodes" decodes a.mkv

# Nobody reads for three seconds: what waits for it is bounded, and the file beside it complete.
exits "a pipe whose reader stands still is written beside a file" 0 sh -c '
    capturegate record whole.mkv --tee - --json --camera "$1" --microphone "$2" --size 640x360 --fps 30 --rate 48000 \
        --for 3s --video-codec raw --buffer 0 2>events | { sleep 6; cat >slow.mkv; }' sh "$camera" "$microphone"
grep '"event":"end"' events >end.json
equal "the file has lost nothing" 0 "$(jq '[.ledger.tracks[].lost | add] | add' end.json)"
equal "it has all 90 pictures" 90 "$(frame_count whole.mkv)"
slow='.tees[0].ledger.tracks[] | select(.kind == "video")'
check "the pipe's clip has lost pictures, counted" between "$(jq "$slow | .lost.encoder" end.json)" 30 80
equal "and has the others" "$(jq "$slow | .delivered" end.json)" "$(frame_count slow.mkv)"
equal "and all the sound" 144000 "$(jq '.tees[0].ledger.tracks[] | select(.kind == "audio") | .delivered' end.json)"

# Files of one codec get their packets from one encoder, another file beside them from its own.
packet_sums() { ffmpeg -nostdin -v error -i "$1" -map 0:v -c copy -f framemd5 - | grep -v '^#'; }
exits "two MP4 files and a WebM file are recorded at once" 0 \
    capturegate record a.mp4 --tee b.mp4 --tee c.webm --json --camera "$camera" --size 640x360 --fps 30 --for 2s
packet_sums a.mp4 >a.sums
packet_sums b.mp4 >b.sums
check "the MP4 files have the same packets" eval 'test -s a.sums && cmp a.sums b.sums'
check "all of them decode" eval 'decodes a.mp4 && decodes b.mp4 && decodes c.webm'
