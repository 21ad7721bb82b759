#if !__has_include(<jpeglib.h>)
#include "../Packages/missing.h"
#endif
#include "cc_jpeg_writer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// The library's own modules are named by function pointers, of which this replaces one.
#define JPEG_INTERNALS
#include <jpeglib.h>
#include <jerror.h>
#include "cc_jpeg_pool.h"

#ifndef LIBJPEG_TURBO_VERSION
#error "jpeglib.h is not libjpeg-turbo's: apt-get install libjpeg62-turbo-dev"
#endif

typedef void forward_dct(
    j_compress_ptr jpeg, jpeg_component_info *component, JSAMPARRAY samples, JBLOCKROW blocks, JDIMENSION row,
    JDIMENSION column, JDIMENSION count);

// Reciprocals of the steps in 1/65536, and the value added before.
typedef struct quantizer {
    uint16_t reciprocal[64];
    uint16_t bias[64];
} quantizer;

typedef void quantize_blocks(JBLOCKROW blocks, JDIMENSION count, const quantizer *by);

struct cc_jpeg_writer {
    // At the start, where the pool's functions expect it.
    cc_jpeg_pool pool;
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    jmp_buf jump;
    char text[JMSG_LENGTH_MAX];
    cc_jpeg_setup setup;
    uint8_t steps[2][64];
    JHUFF_TBL standard[4];
    quantizer quantizers[2];
    quantize_blocks *quantize;
    forward_dct *dct;
    // Rows of samples beyond the right edge, where a plane is no whole number of blocks wide.
    uint8_t *edges[3];
    uint32_t *counts;
    int interval;
    int first;
    // Whether the row of blocks at hand is counted, and each component's last DC in it, unknown at its start.
    int is_counting;
    int has_dc[3];
    int dc[3];
};

static void on_error(j_common_ptr jpeg) {
    cc_jpeg_writer *writer = jpeg->client_data;
    jpeg->err->format_message(jpeg, writer->text);
    longjmp(writer->jump, 1);
}

static void on_message(j_common_ptr jpeg) {
    (void)jpeg;
}

static void on_start(j_compress_ptr jpeg) {
    (void)jpeg;
}

static boolean on_full(j_compress_ptr jpeg) {
    ERREXIT(jpeg, JERR_BUFFER_SIZE);
    return FALSE;
}

static void on_end(j_compress_ptr jpeg) {
    (void)jpeg;
}

// MARK: Within the library's calls

// Bits of a coefficient's size.
static int bits(int value) {
    unsigned size = (unsigned)(value < 0 ? -value : value);
    return size ? 32 - __builtin_clz(size) : 0;
}

static void count_block(cc_jpeg_writer *writer, int component, int table, const JCOEF *block) {
    static const uint8_t zigzag[64] = {
        0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
        41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
        30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    };
    if (writer->has_dc[component]) writer->counts[256 * table + bits(block[0] - writer->dc[component])]++;
    writer->has_dc[component] = 1;
    writer->dc[component] = block[0];
    uint32_t *counts = writer->counts + 256 * (2 + table);
    int zeros = 0;
    for (int i = 1; i < 64; i++) {
        int value = block[zigzag[i]];
        if (!value) {
            zeros++;
            continue;
        }
        counts[0xF0] += (uint32_t)zeros >> 4;
        counts[(zeros & 15) << 4 | bits(value)]++;
        zeros = 0;
    }
    if (zeros) counts[0]++;
}

// Without a branch, so that the compiler makes it work on many coefficients at once.
static inline __attribute__((always_inline)) void quantize(JBLOCKROW blocks, JDIMENSION count, const quantizer *by) {
    JCOEF *coefficients = *blocks;
    for (JDIMENSION block = 0; block < count; block++, coefficients += DCTSIZE2)
        for (int i = 0; i < DCTSIZE2; i++) {
            int16_t sign = (int16_t)(coefficients[i] >> 15);
            uint16_t size = (uint16_t)((coefficients[i] ^ sign) - sign);
            uint16_t steps = (uint16_t)((uint32_t)(uint16_t)(size + by->bias[i]) * by->reciprocal[i] >> 16);
            coefficients[i] = (JCOEF)((steps ^ sign) - sign);
        }
}

static void quantize_plainly(JBLOCKROW blocks, JDIMENSION count, const quantizer *by) {
    quantize(blocks, count, by);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void quantize_by_avx2(JBLOCKROW blocks, JDIMENSION count, const quantizer *by) {
    quantize(blocks, count, by);
}
#endif

// Not the compiler's own choice by the loader (target_clones): that runs before a sanitizer is ready.
static quantize_blocks *quantize_here(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return quantize_by_avx2;
#endif
    return quantize_plainly;
}

static void on_dct(
    j_compress_ptr jpeg, jpeg_component_info *component, JSAMPARRAY samples, JBLOCKROW blocks, JDIMENSION row,
    JDIMENSION column, JDIMENSION count
) {
    cc_jpeg_writer *writer = jpeg->client_data;
    int table = component->quant_tbl_no;
    writer->dct(jpeg, component, samples, blocks, row, column, count);
    if (writer->setup.has_dead_zone) writer->quantize(blocks, count, &writer->quantizers[table]);
    if (writer->is_counting)
        for (JDIMENSION i = 0; i < count; i++) count_block(writer, component->component_index, table, blocks[i]);
}

// MARK: Setting up

static void set_steps(cc_jpeg_writer *writer, int is_one) {
    for (int table = 0; table < 2; table++) {
        JQUANT_TBL *to = writer->jpeg.quant_tbl_ptrs[table];
        for (int i = 0; i < 64; i++) to->quantval[i] = is_one ? 1 : writer->steps[table][i];
        to->sent_table = FALSE;
    }
}

// What of a step is still rounded down: 0.55 at the lowest frequency, 0.82 at the highest; a
// half for DC. Noise in high frequencies is many small coefficients, which cost more than they show.
static void set_quantizer(quantizer *to, const uint8_t steps[64]) {
    for (int i = 0; i < 64; i++) {
        unsigned step = steps[i], frequency = (unsigned)((i & 7) + (i >> 3));
        to->reciprocal[i] = (uint16_t)(step == 1 ? 65535 : (65536 + step - 1) / step);
        // 65535/65536 of one more than a size is, rounded down, the size.
        to->bias[i] = (uint16_t)(step == 1 ? 1 : i ? step * (116 - 5 * frequency) / 256 : step / 2);
    }
}

static void set_sampling(struct jpeg_compress_struct *jpeg, int subsampling) {
    for (int i = 0; i < jpeg->num_components; i++)
        jpeg->comp_info[i].h_samp_factor = jpeg->comp_info[i].v_samp_factor = 1;
    if (subsampling == CC_JPEG_422 || subsampling == CC_JPEG_420) jpeg->comp_info[0].h_samp_factor = 2;
    if (subsampling == CC_JPEG_420) jpeg->comp_info[0].v_samp_factor = 2;
}

static int sample_width(const cc_jpeg_writer *writer, int component) {
    int is_halved = component && writer->jpeg.comp_info[0].h_samp_factor == 2;
    return is_halved ? (writer->setup.width + 1) / 2 : writer->setup.width;
}

static int sample_height(const cc_jpeg_writer *writer, int component) {
    int is_halved = component && writer->jpeg.comp_info[0].v_samp_factor == 2;
    return is_halved ? (writer->setup.height + 1) / 2 : writer->setup.height;
}

static int padded(int samples) {
    return (samples + DCTSIZE - 1) / DCTSIZE * DCTSIZE;
}

static int make_edges(cc_jpeg_writer *writer) {
    for (int i = 0; i < writer->jpeg.num_components; i++) {
        int width = sample_width(writer, i);
        if (width % DCTSIZE == 0) continue;
        writer->edges[i] = malloc((size_t)padded(width) * 2 * DCTSIZE);
        if (!writer->edges[i]) return 0;
    }
    return 1;
}

static JHUFF_TBL *code(cc_jpeg_writer *writer, int table) {
    struct jpeg_compress_struct *jpeg = &writer->jpeg;
    return table < 2 ? jpeg->dc_huff_tbl_ptrs[table] : jpeg->ac_huff_tbl_ptrs[table - 2];
}

static void set_up(cc_jpeg_writer *writer) {
    struct jpeg_compress_struct *jpeg = &writer->jpeg;
    const cc_jpeg_setup *setup = &writer->setup;
    int is_grey = setup->subsampling == CC_JPEG_GREY;
    jpeg->image_width = (JDIMENSION)setup->width;
    jpeg->image_height = (JDIMENSION)setup->height;
    jpeg->input_components = is_grey ? 1 : 3;
    jpeg->in_color_space = is_grey ? JCS_GRAYSCALE : JCS_YCbCr;
    if (setup->order >= 0) jpeg->in_color_space = setup->order == CC_JPEG_RGB ? JCS_EXT_RGB : JCS_EXT_BGR;
    jpeg_set_defaults(jpeg);
    set_sampling(jpeg, setup->subsampling);
    jpeg->raw_data_in = setup->order < 0;
    jpeg->optimize_coding = setup->optimizes != 0;
    jpeg->dct_method = JDCT_ISLOW;
    jpeg->restart_in_rows = setup->restart_rows;
    set_steps(writer, 0);
    for (int table = 0; table < 4; table++) writer->standard[table] = *code(writer, table);
    for (int table = 0; table < 2; table++) set_quantizer(&writer->quantizers[table], writer->steps[table]);
}

size_t cc_jpeg_bound(int width, int height, int subsampling) {
    if (width < 1 || height < 1 || width > JPEG_MAX_DIMENSION || height > JPEG_MAX_DIMENSION) return 0;
    size_t across = subsampling == CC_JPEG_422 || subsampling == CC_JPEG_420 ? 16 : 8;
    size_t down = subsampling == CC_JPEG_420 ? 16 : 8;
    size_t colour = subsampling == CC_JPEG_GREY ? 0 : 4 * 64 / (across * down);
    size_t columns = ((size_t)width + across - 1) / across * across, rows = ((size_t)height + down - 1) / down * down;
    return columns * rows * (2 + colour) + 2048;
}

// Whether it went well.
static int create(cc_jpeg_writer *writer) {
    if (setjmp(writer->jump)) return 0;
    jpeg_create_compress(&writer->jpeg);
    cc_jpeg_pool_use(&writer->pool, (j_common_ptr)&writer->jpeg);
    writer->destination.init_destination = on_start;
    writer->destination.empty_output_buffer = on_full;
    writer->destination.term_destination = on_end;
    writer->jpeg.dest = &writer->destination;
    set_up(writer);
    return make_edges(writer);
}

cc_jpeg_writer *cc_jpeg_writer_new(const cc_jpeg_setup *setup, const uint8_t *steps) {
    cc_jpeg_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->setup = *setup;
    writer->quantize = quantize_here();
    memcpy(writer->steps, steps, sizeof writer->steps);
    writer->jpeg.err = jpeg_std_error(&writer->errors);
    writer->errors.error_exit = on_error;
    writer->errors.output_message = on_message;
    writer->jpeg.client_data = writer;
    if (create(writer)) return writer;
    cc_jpeg_writer_free(writer);
    return NULL;
}

void cc_jpeg_writer_use(cc_jpeg_writer *writer, int table, const uint8_t *lengths, const uint8_t *symbols, size_t count) {
    JHUFF_TBL *to = code(writer, table);
    memcpy(to->bits + 1, lengths, 16);
    memcpy(to->huffval, symbols, count);
}

void cc_jpeg_writer_use_standard(cc_jpeg_writer *writer) {
    for (int table = 0; table < 4; table++) *code(writer, table) = writer->standard[table];
}

void cc_jpeg_writer_set_height(cc_jpeg_writer *writer, int height) {
    writer->setup.height = height;
    writer->jpeg.image_height = (JDIMENSION)height;
}

void cc_jpeg_writer_count(cc_jpeg_writer *writer, uint32_t *counts, int interval, int first) {
    writer->counts = counts;
    writer->interval = interval;
    writer->first = first;
}

// MARK: Writing

static void start(cc_jpeg_writer *writer, uint8_t *out, size_t capacity) {
    struct jpeg_compress_struct *jpeg = &writer->jpeg;
    writer->destination.next_output_byte = out;
    writer->destination.free_in_buffer = capacity;
    if (writer->setup.has_dead_zone) set_steps(writer, 1);
    jpeg_start_compress(jpeg, TRUE);
    if (!writer->setup.has_dead_zone && !writer->counts) return;
    // The library has its reciprocals of the steps now, and writes the tables with the first row.
    if (writer->setup.has_dead_zone) set_steps(writer, 0);
    writer->dct = jpeg->fdct->forward_DCT;
    jpeg->fdct->forward_DCT = on_dct;
}

static void begin_row(cc_jpeg_writer *writer, int number) {
    writer->is_counting = writer->counts && number % writer->interval == writer->first;
    memset(writer->has_dc, 0, sizeof writer->has_dc);
}

// The row itself, or a copy whose last sample is repeated to the end of its block.
static JSAMPROW whole_row(cc_jpeg_writer *writer, const cc_jpeg_planes *planes, int component, int row, int slot) {
    int width = sample_width(writer, component), height = sample_height(writer, component);
    size_t last = (size_t)(row < height ? row : height - 1);
    const uint8_t *from = planes->plane[component] + last * (size_t)planes->stride[component];
    // The library only reads.
    if (!writer->edges[component]) return (JSAMPROW)from;
    uint8_t *to = writer->edges[component] + (size_t)slot * padded(width);
    memcpy(to, from, (size_t)width);
    memset(to + width, from[width - 1], (size_t)(padded(width) - width));
    return to;
}

static void write_planes(cc_jpeg_writer *writer, const cc_jpeg_planes *planes) {
    struct jpeg_compress_struct *jpeg = &writer->jpeg;
    JSAMPROW rows[3][2 * DCTSIZE];
    JSAMPARRAY components[3] = {rows[0], rows[1], rows[2]};
    int most = jpeg->comp_info[0].v_samp_factor * DCTSIZE;
    for (int number = 0; jpeg->next_scanline < jpeg->image_height; number++) {
        begin_row(writer, number);
        for (int i = 0; i < jpeg->num_components; i++) {
            int count = jpeg->comp_info[i].v_samp_factor * DCTSIZE;
            for (int row = 0; row < count; row++)
                rows[i][row] = whole_row(writer, planes, i, number * count + row, row);
        }
        jpeg_write_raw_data(jpeg, components, (JDIMENSION)most);
    }
}

static int64_t end(cc_jpeg_writer *writer, size_t capacity) {
    jpeg_finish_compress(&writer->jpeg);
    return (int64_t)(capacity - writer->destination.free_in_buffer);
}

static int64_t fail(cc_jpeg_writer *writer) {
    jpeg_abort_compress(&writer->jpeg);
    return writer->errors.msg_code == JERR_BUFFER_SIZE ? -ENOSPC : -EIO;
}

int64_t cc_jpeg_write(cc_jpeg_writer *writer, const cc_jpeg_planes *planes, uint8_t *out, size_t capacity) {
    if (setjmp(writer->jump)) return fail(writer);
    start(writer, out, capacity);
    write_planes(writer, planes);
    return end(writer, capacity);
}

int64_t cc_jpeg_write_rgb(cc_jpeg_writer *writer, const uint8_t *pixels, int stride, uint8_t *out, size_t capacity) {
    struct jpeg_compress_struct *jpeg = &writer->jpeg;
    if (setjmp(writer->jump)) return fail(writer);
    start(writer, out, capacity);
    int most = jpeg->comp_info[0].v_samp_factor * DCTSIZE;
    while (jpeg->next_scanline < jpeg->image_height) {
        if (jpeg->next_scanline % (JDIMENSION)most == 0) begin_row(writer, (int)jpeg->next_scanline / most);
        JSAMPROW row = (JSAMPROW)(pixels + (size_t)jpeg->next_scanline * stride);
        jpeg_write_scanlines(jpeg, &row, 1);
    }
    return end(writer, capacity);
}

const char *cc_jpeg_writer_text(const cc_jpeg_writer *writer) {
    return writer->text;
}

void cc_jpeg_writer_free(cc_jpeg_writer *writer) {
    if (!writer) return;
    jpeg_destroy_compress(&writer->jpeg);
    cc_jpeg_pool_free(&writer->pool);
    for (int i = 0; i < 3; i++) free(writer->edges[i]);
    free(writer);
}
