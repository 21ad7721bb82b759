// libjpeg-turbo by its libjpeg interface, which takes quantization tables and Huffman codes. Wrapped because its errors are
// longjmp(3), and because two things happen within its calls: quantizing with a dead zone, and counting what is coded.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "cc_jpeg.h"

typedef struct cc_jpeg_writer cc_jpeg_writer;

// What a writer makes images of, and how.
typedef struct cc_jpeg_setup {
    int width;
    int height;
    int subsampling;
    // CC_JPEG_RGB, CC_JPEG_BGR, or -1 for planes.
    int order;
    // Rounds down a value between two steps, rather than to the nearest one.
    int has_dead_zone;
    // Separate codes for each image, in two passes; otherwise those of cc_jpeg_writer_use.
    int optimizes;
    // Rows of MCUs in a restart interval (T.81, B.2.4.4); 0 for an image without any.
    int restart_rows;
} cc_jpeg_setup;

// Counts of symbols (ITU-T T.81, F.1.2): 256 each for DC of brightness, DC of colour, AC of brightness, AC of colour.
enum { CC_JPEG_COUNTS = 4 * 256 };

// Room that any such image with the codes of T.81, annex K fits in, as tjBufSize; 0 for impossible sizes.
size_t cc_jpeg_bound(int width, int height, int subsampling);
// jpeg_create_compress, with the codes of annex K. `steps` are 64 for brightness and 64 for colour, 1...255, row by row.
// NULL where memory is out or the library refuses.
cc_jpeg_writer *cc_jpeg_writer_new(const cc_jpeg_setup *setup, const uint8_t *steps);
// Uses a code in the form of DHT: 16 counts of words of 1...16 bits, and the symbols by length, which are the only possible ones.
// `table` is in the order of CC_JPEG_COUNTS.
void cc_jpeg_writer_use(cc_jpeg_writer *writer, int table, const uint8_t *lengths, const uint8_t *symbols, size_t count);
// The codes of annex K again.
void cc_jpeg_writer_use_standard(cc_jpeg_writer *writer);
// Images of another height from now on, such as one restart interval of a whole.
void cc_jpeg_writer_set_height(cc_jpeg_writer *writer, int height);
// Counts the coded symbols from now on, in every `interval`th row of blocks from `first` on; NULL ends that.
void cc_jpeg_writer_count(cc_jpeg_writer *writer, uint32_t *counts, int interval, int first);
// jpeg_write_raw_data. The size; -ENOSPC if `capacity` is too small, otherwise -EIO.
int64_t cc_jpeg_write(cc_jpeg_writer *writer, const cc_jpeg_planes *planes, uint8_t *out, size_t capacity);
// jpeg_write_scanlines: the same from packed RGB or BGR.
int64_t cc_jpeg_write_rgb(cc_jpeg_writer *writer, const uint8_t *pixels, int stride, uint8_t *out, size_t capacity);
// format_message of the last error.
const char *cc_jpeg_writer_text(const cc_jpeg_writer *writer);
// jpeg_destroy_compress.
void cc_jpeg_writer_free(cc_jpeg_writer *writer);
