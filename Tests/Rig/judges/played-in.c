// played-in RECORDING.wav PLAYED.raw FRAME-BYTES LEAST-FRAMES: is the recording, from where the played
// sound begins in it, bit for bit that sound? Prints how many frames were equal. The player may start after
// or end before the recorder: only what both hold is compared, and that must be LEAST-FRAMES at least.
#include "file.h"

enum { key_frames = 64 }; // enough noise to be found in one place only

static struct file wav_data(struct file wav, const char *path) {
    if (wav.count < 12 || memcmp(wav.bytes + 8, "WAVE", 4)) refuse("is not a WAV file", path);
    for (size_t at = 12; at + 8 <= wav.count;) {
        uint32_t size;
        memcpy(&size, wav.bytes + at + 4, 4);
        size_t left = wav.count - at - 8;
        if (!memcmp(wav.bytes + at, "data", 4)) {
            if (size > left) refuse("claims more sound than it holds", path);
            return (struct file){wav.bytes + at + 8, size};
        }
        at += 8 + (size_t)size + (size & 1);
    }
    refuse("has no data chunk", path);
    return wav;
}

static size_t find(struct file in, const uint8_t *key, size_t key_bytes, size_t step) {
    for (size_t at = 0; at + key_bytes <= in.count; at += step)
        if (!memcmp(in.bytes + at, key, key_bytes)) return at;
    return SIZE_MAX;
}

int main(int count, char **arguments) {
    if (count != 5) refuse("RECORDING.wav PLAYED.raw FRAME-BYTES LEAST-FRAMES", "usage: played-in");
    struct file recorded = wav_data(file_read(arguments[1]), arguments[1]), played = file_read(arguments[2]);
    size_t frame = strtoul(arguments[3], NULL, 10), least = strtoul(arguments[4], NULL, 10);
    if (played.count < key_frames * frame) refuse("is too short to search for", arguments[2]);
    size_t start = find(recorded, played.bytes, key_frames * frame, frame);
    if (start == SIZE_MAX) refuse("does not hold the beginning of the played sound", arguments[1]);
    size_t common = recorded.count - start < played.count ? recorded.count - start : played.count;
    for (size_t at = 0; at < common; at++)
        if (recorded.bytes[start + at] != played.bytes[at]) {
            fprintf(stderr, "frame %zu of the played sound differs\n", at / frame);
            return 1;
        }
    printf("%zu frames equal, from frame %zu of the recording on\n", common / frame, start / frame);
    return common / frame < least;
}
