#include "usbcam.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 64, junk_bytes = 300 };
enum { marker_huffman = 0xc4, marker_scan = 0xda };

static struct {
    uint8_t *bytes;
    size_t count;
} pictures[most];
static int loaded;

static int load(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    fseek(file, 0, SEEK_END);
    long count = ftell(file);
    rewind(file);
    uint8_t *bytes = count > 0 ? malloc((size_t)count) : NULL;
    int is_read = bytes && fread(bytes, 1, (size_t)count, file) == (size_t)count;
    fclose(file);
    if (!is_read) return 0;
    pictures[loaded].bytes = bytes;
    pictures[loaded++].count = (size_t)count;
    return 1;
}

int mjpeg_load(const char *folder) {
    char path[512];
    do {
        snprintf(path, sizeof path, "%s/%d.jpg", folder, loaded + 1);
    } while (loaded < most && load(path));
    return loaded;
}

// Copies an image, without its Huffman tables if the camera omits them (ITU-T T.81, B.2.4.2).
static size_t copy(const uint8_t *from, size_t count, uint8_t *place) {
    size_t at = 2, to = 2;
    memcpy(place, from, 2);
    while (at + 4 <= count && from[at + 1] != marker_scan) {
        size_t length = 2 + ((size_t)from[at + 2] << 8 | from[at + 3]);
        if (!options.without_tables || from[at + 1] != marker_huffman) {
            memcpy(place + to, from + at, length);
            to += length;
        }
        at += length;
    }
    memcpy(place + to, from + at, count - at);
    return to + count - at;
}

// Random-looking bytes, the same in each run, without markers.
static size_t junk(uint8_t *place, size_t count) {
    uint32_t state = 12345;
    for (size_t at = 0; at < count; at++) {
        state = state * 1664525 + 1013904223;
        place[at] = (uint8_t)(state >> 24) & 0x7f;
    }
    return count;
}

// Changes one to eight bytes, half of them in the part before the image's codes; the same in each run.
static size_t flip(uint8_t *place, size_t count, uint64_t number) {
    uint32_t state = (uint32_t)number * 2654435761u + 1;
    for (int left = 1 + (int)(number % 8); left > 0; left--) {
        state = state * 1664525 + 1013904223;
        size_t range = number % 2 || count < 700 ? count - 2 : 700;
        size_t at = 2 + (state >> 8) % range;
        state = state * 1664525 + 1013904223;
        if (at < count) place[at] = (uint8_t)(state >> 24);
    }
    return count;
}

size_t mjpeg_draw(uint64_t number, enum lie lie, uint8_t *place, size_t room) {
    if (!loaded) return junk(place, junk_bytes);
    uint64_t which = number % (uint64_t)loaded;
    if (pictures[which].count + junk_bytes > room) return junk(place, junk_bytes);
    size_t count = copy(pictures[which].bytes, pictures[which].count, place);
    switch (lie) {
    case lie_no_end: return count - 2;
    case lie_truncated: return count / 2;
    case lie_broken: return junk(place, count);
    case lie_junk: return count + junk(place + count, junk_bytes);
    case lie_flipped: return flip(place, count, number);
    default: return count;
    }
}
