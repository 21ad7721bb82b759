// direct WORK …: the same work as EncoderProbe's by calling the C library and nothing else; frames from a file in memory.
//   direct mjpeg WIDTH HEIGHT QUALITY ROUNDS IN OUT     planes of 4:2:0, by libjpeg-turbo
//   direct flac LEVEL ROUNDS IN OUT                     S16_LE, two channels, 48 kHz, by libFLAC
//   direct opus BITRATE COMPLEXITY IN OUT               the same, by libopus; OUT has no container
#define _GNU_SOURCE
#include <FLAC/stream_encoder.h>
#include <fcntl.h>
#include <opus/opus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void fail(const char *what) {
    fprintf(stderr, "direct: %s\n", what);
    exit(1);
}

static unsigned char *contents(const char *path, size_t *size) {
    int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status)) fail(path);
    *size = (size_t)status.st_size;
    void *bytes = mmap(NULL, *size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED) fail(path);
    close(file);
    return bytes;
}

static FILE *output(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) fail(path);
    return file;
}

static void encode(struct jpeg_compress_struct *jpeg, const unsigned char *picture) {
    JDIMENSION width = jpeg->image_width, height = jpeg->image_height;
    const unsigned char *cb = picture + (size_t)width * height, *cr = cb + (size_t)width * height / 4;
    JSAMPROW rows[3][16];
    JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
    jpeg_start_compress(jpeg, TRUE);
    while (jpeg->next_scanline < height) {
        for (JDIMENSION i = 0; i < 16; i++) {
            JDIMENSION row = jpeg->next_scanline + i < height ? jpeg->next_scanline + i : height - 1;
            rows[0][i] = (JSAMPROW)(picture + (size_t)row * width);
        }
        for (JDIMENSION i = 0; i < 8; i++) {
            JDIMENSION row = jpeg->next_scanline / 2 + i < height / 2 ? jpeg->next_scanline / 2 + i : height / 2 - 1;
            rows[1][i] = (JSAMPROW)(cb + (size_t)row * (width / 2));
            rows[2][i] = (JSAMPROW)(cr + (size_t)row * (width / 2));
        }
        jpeg_write_raw_data(jpeg, planes, 16);
    }
    jpeg_finish_compress(jpeg);
}

static void mjpeg(char **words) {
    int width = atoi(words[0]), height = atoi(words[1]), quality = atoi(words[2]), rounds = atoi(words[3]);
    size_t size, picture = (size_t)width * height * 3 / 2;
    unsigned char *bytes = contents(words[4], &size);
    FILE *out = output(words[5]);
    unsigned long most = picture * 2, count;
    unsigned char *room = malloc(most);
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg.image_width = (JDIMENSION)width;
    jpeg.image_height = (JDIMENSION)height;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_YCbCr;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg.raw_data_in = TRUE;
    // As ours: rows of 16 in intervals of at least 48 Ki pixels, 16 intervals at most. See RestartIntervals.
    int rows = (height + 15) / 16, intervals = width * height / (48 << 10);
    if (intervals > 16) intervals = 16;
    if (intervals > 1) jpeg.restart_in_rows = (rows + intervals - 1) / intervals;
    for (size_t i = 0; i < size / picture * rounds; i++) {
        unsigned char *image = room;
        count = most;
        jpeg_mem_dest(&jpeg, &image, &count);
        encode(&jpeg, bytes + i % (size / picture) * picture);
        if (image != room) fail("an image is too large");
        fwrite(image, 1, count, out);
    }
    fclose(out);
}

static FLAC__StreamEncoderWriteStatus on_write(const FLAC__StreamEncoder *encoder, const FLAC__byte *bytes,
    size_t count, uint32_t samples, uint32_t frame, void *out) {
    (void)encoder, (void)samples, (void)frame;
    return fwrite(bytes, 1, count, out) == count ? FLAC__STREAM_ENCODER_WRITE_STATUS_OK
                                                 : FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR;
}

static void flac(char **words) {
    size_t size;
    int rounds = atoi(words[1]);
    unsigned char *bytes = contents(words[2], &size);
    FILE *out = output(words[3]);
    FLAC__StreamEncoder *encoder = FLAC__stream_encoder_new();
    FLAC__stream_encoder_set_sample_rate(encoder, 48000);
    FLAC__stream_encoder_set_channels(encoder, 2);
    FLAC__stream_encoder_set_bits_per_sample(encoder, 16);
    FLAC__stream_encoder_set_compression_level(encoder, (uint32_t)atoi(words[0]));
    FLAC__stream_encoder_set_streamable_subset(encoder, 0);
    FLAC__stream_encoder_set_blocksize(encoder, 4608);
    if (FLAC__stream_encoder_init_stream(encoder, on_write, NULL, NULL, NULL, out)) fail("libFLAC");
    static FLAC__int32 samples[2 * 4800];
    for (int round = 0; round < rounds; round++) {
        const int16_t *from = (const int16_t *)bytes;
        for (size_t left = size / 4; left; ) {
            size_t frames = left < 4800 ? left : 4800;
            for (size_t i = 0; i < 2 * frames; i++) samples[i] = from[i];
            if (!FLAC__stream_encoder_process_interleaved(encoder, samples, (uint32_t)frames)) fail("libFLAC");
            from += 2 * frames;
            left -= frames;
        }
    }
    FLAC__stream_encoder_finish(encoder);
    fclose(out);
}

static void opus(char **words) {
    size_t size;
    unsigned char *bytes = contents(words[2], &size);
    FILE *out = output(words[3]);
    int error;
    OpusEncoder *encoder = opus_encoder_create(48000, 2, OPUS_APPLICATION_AUDIO, &error);
    if (error != OPUS_OK) fail("libopus");
    opus_encoder_ctl(encoder, OPUS_SET_BITRATE(atoi(words[0])));
    opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(atoi(words[1])));
    opus_encoder_ctl(encoder, OPUS_SET_VBR(1));
    opus_encoder_ctl(encoder, OPUS_SET_VBR_CONSTRAINT(0));
    opus_encoder_ctl(encoder, OPUS_SET_LSB_DEPTH(16));
    static float samples[2 * 960];
    static unsigned char packet[4000];
    const int16_t *from = (const int16_t *)bytes;
    for (size_t block = 0; block < size / 4 / 960; block++, from += 2 * 960) {
        for (int i = 0; i < 2 * 960; i++) samples[i] = from[i] / 32768.0f;
        int count = opus_encode_float(encoder, samples, 960, packet, sizeof packet);
        if (count < 0) fail("libopus");
        fwrite(packet, 1, (size_t)count, out);
    }
    fclose(out);
}

int main(int count, char **words) {
    if (count == 8 && !strcmp(words[1], "mjpeg")) mjpeg(words + 2);
    else if (count == 6 && !strcmp(words[1], "flac")) flac(words + 2);
    else if (count == 6 && !strcmp(words[1], "opus")) opus(words + 2);
    else fail("see direct.c");
    return 0;
}
