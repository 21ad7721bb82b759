// same-picture RECORDING.y4m REFERENCE.yuyv LEAST-FRAMES: is each picture of the recording the reference
// picture? The reference is what v4l2-ctl stored: packed YUYV without padding, each of its frames the same.
// The recording is planar 4:2:2. Between the two is a change of order, never of value: bits must be equal.
#include "file.h"

static size_t header_number(const char *header, char tag, const char *path) {
    for (const char *at = header; (at = strchr(at, ' ')); at++)
        if (at[1] == tag) return strtoul(at + 2, NULL, 10);
    refuse("has no width or height in its header", path);
    return 0;
}

static void planar_from_yuyv(const uint8_t *yuyv, uint8_t *planar, size_t pixels) {
    uint8_t *luma = planar, *blue = planar + pixels, *red = blue + pixels / 2;
    for (size_t pair = 0; pair < pixels / 2; pair++, yuyv += 4) {
        *luma++ = yuyv[0];
        *blue++ = yuyv[1];
        *luma++ = yuyv[2];
        *red++ = yuyv[3];
    }
}

static void require_still(struct file reference, size_t picture, const char *path) {
    if (!reference.count || reference.count % picture) refuse("is not a whole number of frames", path);
    for (size_t at = picture; at < reference.count; at += picture)
        if (memcmp(reference.bytes, reference.bytes + at, picture)) refuse("does not stand still", path);
    for (size_t at = 1; at < picture; at++)
        if (reference.bytes[at] != reference.bytes[0]) return;
    refuse("is of one value: it would prove nothing", path);
}

static size_t line_length(struct file file, size_t at, const char *path) {
    uint8_t *end = memchr(file.bytes + at, '\n', file.count - at);
    if (!end) refuse("ends in the middle of a header", path);
    *end = 0;
    return (size_t)(end - (file.bytes + at)) + 1;
}

int main(int count, char **arguments) {
    if (count != 4) refuse("RECORDING.y4m REFERENCE.yuyv LEAST-FRAMES", "usage: same-picture");
    struct file y4m = file_read(arguments[1]), reference = file_read(arguments[2]);
    size_t at = line_length(y4m, 0, arguments[1]), frames = 0, least = strtoul(arguments[3], NULL, 10);
    const char *header = (const char *)y4m.bytes;
    if (strncmp(header, "YUV4MPEG2 ", 10) || !strstr(header, " C422")) refuse("is not 4:2:2 YUV4MPEG2", arguments[1]);
    size_t pixels = header_number(header, 'W', arguments[1]) * header_number(header, 'H', arguments[1]);
    require_still(reference, pixels * 2, arguments[2]);
    uint8_t *expected = malloc(pixels * 2);
    if (!expected) refuse("does not fit into memory", arguments[2]);
    planar_from_yuyv(reference.bytes, expected, pixels);
    for (; at < y4m.count; frames++, at += pixels * 2) {
        if (memcmp(y4m.bytes + at, "FRAME", 5)) refuse("has no FRAME where one must begin", arguments[1]);
        at += line_length(y4m, at, arguments[1]);
        if (y4m.count - at < pixels * 2) refuse("ends in the middle of a picture", arguments[1]);
        if (memcmp(y4m.bytes + at, expected, pixels * 2)) {
            fprintf(stderr, "picture %zu differs from the reference\n", frames);
            return 1;
        }
    }
    printf("%zu pictures equal\n", frames);
    return frames < least;
}
