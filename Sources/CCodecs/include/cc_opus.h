// libopus' encoder, and its multistream encoder for more than two channels. Wrapped because its settings are variadic macros.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct cc_opus cc_opus;

enum { CC_OPUS_VOICE = 2048, CC_OPUS_AUDIO = 2049, CC_OPUS_LOW_DELAY = 2051 };
enum { CC_OPUS_CBR = 0, CC_OPUS_VBR = 1, CC_OPUS_CVBR = 2 };

typedef struct cc_opus_format {
    // 8000, 12000, 16000, 24000 or 48000.
    int32_t sample_rate;
    // 1 ... 255.
    int32_t channels;
    // RFC 7845, 5.1.1: 0 for mono and stereo, 255 for channels without loudspeakers.
    int32_t mapping_family;
    int32_t application;
    // Bits a second of all channels; 0 lets libopus choose.
    int32_t bitrate;
    int32_t mode;
    // 0 (fast) ... 10.
    int32_t complexity;
    // Bits that a sample has: 8 ... 24.
    int32_t depth;
} cc_opus_format;

// What OpusHead says of the streams inside.
typedef struct cc_opus_layout {
    int32_t streams;
    int32_t coupled;
    // Samples at the format's rate that the decoder gives before the first one of the input.
    int32_t lookahead;
    uint8_t mapping[255];
} cc_opus_layout;

// opus_encoder_create or opus_multistream_surround_encoder_create, and their ctl. 0 or -errno.
int cc_opus_open(cc_opus **encoder, const cc_opus_format *format, cc_opus_layout *layout);
// opus_encode_float or opus_multistream_encode_float: `frames` of interleaved samples, which must be one of Opus' frame durations.
// The packet's size, or -errno.
int64_t cc_opus_encode(cc_opus *encoder, const float *interleaved, int32_t frames, uint8_t *out, size_t capacity);
// opus_encoder_destroy or opus_multistream_encoder_destroy.
void cc_opus_free(cc_opus *encoder);
