# about: a clip in several files loses no sample and no picture at the cuts; several cameras are tracks of one file
# time: virtual
# timeout: 150
# checks: 14

modprobe vivid n_devs=2 node_types=0x1,0x1 num_inputs=1,1 input_types=0,0
load_aloop
grant_all
cameras=$(capturegate devices --json --capability camera | jq -r '.devices[] | select(.built_in | not) | .id')
first=$(echo "$cameras" | head -n 1) second=$(echo "$cameras" | tail -n 1)
microphone=$(device_id "$microphone_node")

record() {
    capturegate record "$@" --json --rate 48000 --channels 2 --sample-format S32_LE --for 5s >events
}

# The sound of files, one after the other.
sound() { for file; do ffmpeg -nostdin -v error -i "$file" -map 0:a:0 -f s32le -; done; }
pictures() { for file; do frame_count "$file"; done | awk '{ sum += $1 } END { print sum }'; }

first_flag() { probe -select_streams v -show_entries packet=flags -of csv=p=0 "$1" | head -n 1 | cut -c 1; }

# Silence before, numbers missing, the first number, how many follow: a line for each run of numbers in turn.
runs() { sound "$@" | "$judges/numbered" read; }

play_numbered 20000000
exits "sound goes into a file a second" 0 record part.wav --segment 1s --camera none --microphone "$microphone"
equal "there are five" 'part-0001.wav part-0002.wav part-0003.wav part-0004.wav part-0005.wav' "$(echo part-*.wav)"
runs part-*.wav >numbers-of-sound
equal "of the played numbers none is missing at a cut" 1 "$(wc -l <numbers-of-sound)"
equal "and all the five seconds are there" 240000 "$(awk '{ print $1 + $4 }' numbers-of-sound)"
equal "each file is a second, to the sample" 48000 \
    "$(for file in part-*.wav; do stream "$file" audio duration_ts; done | sort -u)"

exits "and with pictures" 0 record both.mkv --segment 2s --camera "$first" --size 320x180 --fps 30 --audio-codec pcm \
    --microphone "$microphone"
runs both-*.mkv >numbers-of-both
equal "of the played numbers none is missing either" 1 "$(wc -l <numbers-of-both)"
equal "nor is a picture" 150 "$(pictures both-*.mkv)"
equal "each begins with a key frame" K "$(for file in both-*.mkv; do first_flag "$file"; done | sort -u)"
kill $player

exits "two cameras and a microphone go into one file" 0 record two.mkv --camera "$first" --camera "$second" \
    --microphone "$microphone" --size 320x180 --fps 30
equal "a track each" 'video video audio' "$(facts two.mkv | jq -r '[.streams[].codec_type] | join(" ")')"
equal "with the device's name" 3 "$(facts two.mkv | jq -r '.streams[].tags.title' | grep -c .)"
equal "with all its pictures" '150 150' \
    "$(facts two.mkv | jq -r '[.streams[] | select(.codec_type == "video") | .nb_read_frames] | join(" ")')"
equal "and nothing lost" 0 "$(ledger events '[.ledger.tracks[].lost | add] | add')"
