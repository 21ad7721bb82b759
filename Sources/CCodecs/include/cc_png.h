// libpng's writer. Wrapped because it reports errors by longjmp, which must not pass through Swift.
#pragma once
#include "cc_packets.h"

// Rows of grey or RGB samples, those of 16 bits with the high byte first.
typedef struct cc_png_picture {
    const uint8_t *pixels;
    size_t stride;
    uint32_t width;
    uint32_t height;
    // 1 or 3.
    int32_t channels;
    // 8 or 16.
    int32_t depth;
    // 0 (none) ... 9 (small).
    int32_t level;
} cc_png_picture;

// png_write_info, png_write_row, png_write_end: the file as one packet of `out`. 0 or -errno.
int cc_png_encode(const cc_png_picture *picture, cc_packets *out);
