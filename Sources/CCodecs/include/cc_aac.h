// vo-aacenc's encoder of AAC-LC. Wrapped because it is a table of functions that are loaded when they are first used.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct cc_aac cc_aac;

enum { CC_AAC_FRAMES = 1024 };

typedef struct cc_aac_format {
    // One of the rates of AAC: 8000 ... 96000.
    int32_t sample_rate;
    // 1 or 2.
    int32_t channels;
    // Bits a second of all channels.
    int32_t bitrate;
} cc_aac_format;

// 0; -ENOSYS for a build without the library, -ELIBACC if it is not installed.
int cc_aac_available(void);
// Init, SetParam. 0 or -errno.
int cc_aac_open(cc_aac **encoder, const cc_aac_format *format);
// SetInputData, GetOutputData: CC_AAC_FRAMES interleaved frames as one raw AAC frame. Its size, or -errno.
int64_t cc_aac_encode(cc_aac *encoder, int16_t *interleaved, uint8_t *out, size_t capacity);
// Uninit.
void cc_aac_free(cc_aac *encoder);
