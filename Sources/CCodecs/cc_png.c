#if !__has_include(<png.h>)
#include "../Packages/missing.h"
#endif
#include "cc_png.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

// Written bytes are after `packets->count` until the image is complete.
struct sink {
    cc_packets *packets;
    size_t count;
};

static void on_write(png_structp png, png_bytep bytes, size_t count) {
    struct sink *sink = png_get_io_ptr(png);
    if (cc_packets_reserve(sink->packets, sink->count + count) < 0) png_error(png, "no memory");
    memcpy(sink->packets->bytes + sink->packets->count + sink->count, bytes, count);
    sink->count += count;
}

static void on_flush(png_structp png) { (void)png; }

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void on_error(png_structp png, png_const_charp text) {
    (void)text;
    png_longjmp(png, 1);
}

static void write(png_structp png, png_infop info, const cc_png_picture *picture) {
    int kind = picture->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY;
    png_set_compression_level(png, picture->level);
    // Trying every filter on every row pays where size is what counts.
    png_set_filter(png, PNG_FILTER_TYPE_BASE, picture->level > 5 ? PNG_ALL_FILTERS : PNG_FAST_FILTERS);
    png_set_IHDR(png, info, picture->width, picture->height, picture->depth, kind, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t row = 0; row < picture->height; row++) png_write_row(png, picture->pixels + row * picture->stride);
    png_write_end(png, info);
}

int cc_png_encode(const cc_png_picture *picture, cc_packets *out) {
    struct sink sink = {out, 0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    if (!png) return -ENOMEM;
    png_infop info = png_create_info_struct(png);
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return info ? -EIO : -ENOMEM;
    }
    png_set_write_fn(png, &sink, on_write, on_flush);
    write(png, info, picture);
    png_destroy_write_struct(&png, &info);
    return cc_packets_commit(out, sink.count, 0, 0, 1);
}
