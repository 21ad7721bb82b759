#include "usbcam.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An elementary stream (ITU-T H.264 or H.265, annex B), cut where access unit delimiters begin: one frame each.
enum { most = 4096, unit_delimiter = 9, unit_delimiter_hevc = 35 };

static uint8_t *bytes;
static size_t count, begins[most + 1];
static uint64_t loaded;

static int is_delimiter(const uint8_t *at) {
    static const uint8_t start[] = {0, 0, 0, 1};
    if (memcmp(at, start, sizeof start)) return 0;
    return options.is_hevc ? (at[4] >> 1 & 63) == unit_delimiter_hevc : (at[4] & 31) == unit_delimiter;
}

static int read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    bytes = size > 0 ? malloc((size_t)size) : NULL;
    count = bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size ? (size_t)size : 0;
    fclose(file);
    return count > 0;
}

int stream_load(const char *path) {
    if (!read_file(path)) return -1;
    for (size_t at = 0; at + 5 <= count && loaded < most; at++)
        if (is_delimiter(bytes + at)) begins[loaded++] = at;
    begins[loaded] = count;
    return (int)loaded;
}

// The stream repeats: its first frame is a key frame. A truncated frame lacks its first half, with the start code; a frame without
// an end only lacks the units' start codes.
size_t stream_draw(uint64_t number, enum lie lie, uint8_t *place, size_t room) {
    uint64_t which = (number + (uint64_t)options.stream_from) % loaded;
    size_t size = begins[which + 1] - begins[which];
    const uint8_t *from = bytes + begins[which];
    if (size > room) return 0;
    if (lie == lie_truncated) {
        memcpy(place, from + size / 2, size - size / 2);
        return size - size / 2;
    }
    memcpy(place, from, size);
    if (lie == lie_broken) memset(place, 0x55, size);
    if (lie == lie_no_end)
        for (size_t at = 0; at + 3 <= size; at++)
            if (place[at] == 0 && place[at + 1] == 0 && place[at + 2] == 1) place[at + 2] = 0x55;
    if (lie == lie_flipped)
        for (size_t at = size / 2; at < size; at += 7) place[at] ^= 0x5a;
    return size;
}
