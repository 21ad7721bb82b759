// direct WORK …: the same work as EncoderProbe's by calling the C library and nothing else; frames from a file in memory.
//   direct mjpeg WIDTH HEIGHT QUALITY ROUNDS IN OUT     planes of 4:2:0, by libturbojpeg
//   direct flac LEVEL ROUNDS IN OUT                     S16_LE, two channels, 48 kHz, by libFLAC
//   direct opus BITRATE COMPLEXITY IN OUT               the same, by libopus; OUT has no container
#include <FLAC/stream_encoder.h>
#include <opus/opus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

static void fail(const char *what) {
    fprintf(stderr, "direct: %s\n", what);
    exit(1);
}

static unsigned char *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    if (!bytes || fread(bytes, 1, *size, file) != *size) fail(path);
    fclose(file);
    return bytes;
}

static FILE *output(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) fail(path);
    return file;
}

static void mjpeg(char **words) {
    int width = atoi(words[0]), height = atoi(words[1]), quality = atoi(words[2]), rounds = atoi(words[3]);
    size_t size, picture = (size_t)width * height * 3 / 2;
    unsigned char *bytes = contents(words[4], &size);
    FILE *out = output(words[5]);
    unsigned long most = tjBufSize(width, height, TJSAMP_420), count;
    unsigned char *image = malloc(most);
    tjhandle encoder = tjInitCompress();
    for (size_t i = 0; i < size / picture * rounds; i++) {
        const unsigned char *y = bytes + i % (size / picture) * picture, *cb = y + (size_t)width * height;
        const unsigned char *planes[3] = {y, cb, cb + (size_t)width * height / 4};
        const int strides[3] = {width, width / 2, width / 2};
        count = most;
        if (tjCompressFromYUVPlanes(encoder, planes, width, strides, height, TJSAMP_420, &image, &count, quality,
                TJFLAG_NOREALLOC))
            fail(tjGetErrorStr2(encoder));
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
