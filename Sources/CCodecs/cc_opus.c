#if !__has_include(<opus/opus_multistream.h>)
#include "../Packages/missing.h"
#endif
#include "cc_opus.h"

#include <errno.h>
#include <limits.h>
#include <opus/opus_multistream.h>
#include <stdlib.h>

_Static_assert((int)CC_OPUS_VOICE == OPUS_APPLICATION_VOIP && (int)CC_OPUS_AUDIO == OPUS_APPLICATION_AUDIO, "");
_Static_assert((int)CC_OPUS_LOW_DELAY == OPUS_APPLICATION_RESTRICTED_LOWDELAY, "");

static int error_of(int opus) {
    switch (opus) {
    case OPUS_OK: return 0;
    case OPUS_ALLOC_FAIL: return -ENOMEM;
    case OPUS_BAD_ARG: return -EINVAL;
    default: return -EIO;
    }
}

// One of both. A single stream of one or two channels is encoded without the multistream encoder, which asks the processor
// what it can do (CPUID) for every packet: in a virtual machine that is trapped, and takes a tenth of the time.
struct cc_opus {
    OpusEncoder *single;
    OpusMSEncoder *multiple;
};

static int control(cc_opus *opus, int request, opus_int32 value) {
    return opus->single ? opus_encoder_ctl(opus->single, request, value)
                        : opus_multistream_encoder_ctl(opus->multiple, request, value);
}

// Bitrate that the multistream encoder gives a stream by default.
static int bitrate_of(const cc_opus *opus, const cc_opus_format *format) {
    if (format->bitrate > 0) return format->bitrate;
    return opus->single ? format->channels * (format->sample_rate + 12000) : OPUS_AUTO;
}

static int set(cc_opus *opus, const cc_opus_format *format) {
    int result = control(opus, OPUS_SET_BITRATE_REQUEST, bitrate_of(opus, format));
    if (result == OPUS_OK) result = control(opus, OPUS_SET_VBR_REQUEST, format->mode != CC_OPUS_CBR);
    if (result == OPUS_OK) result = control(opus, OPUS_SET_VBR_CONSTRAINT_REQUEST, format->mode == CC_OPUS_CVBR);
    if (result == OPUS_OK) result = control(opus, OPUS_SET_COMPLEXITY_REQUEST, format->complexity);
    if (result == OPUS_OK) result = control(opus, OPUS_SET_LSB_DEPTH_REQUEST, format->depth);
    return result;
}

static int create(cc_opus *opus, const cc_opus_format *format, cc_opus_layout *layout) {
    int result = OPUS_OK, streams = 1, coupled = format->channels - 1;
    if (format->mapping_family == 0 && format->channels <= 2) {
        for (int channel = 0; channel < format->channels; channel++) layout->mapping[channel] = (uint8_t)channel;
        opus->single = opus_encoder_create(format->sample_rate, format->channels, format->application, &result);
    } else {
        opus->multiple = opus_multistream_surround_encoder_create(
            format->sample_rate, format->channels, format->mapping_family, &streams, &coupled, layout->mapping,
            format->application, &result);
    }
    layout->streams = streams;
    layout->coupled = coupled;
    return result;
}

static int lookahead(const cc_opus *opus, opus_int32 *samples) {
    return opus->single ? opus_encoder_ctl(opus->single, OPUS_GET_LOOKAHEAD(samples))
                        : opus_multistream_encoder_ctl(opus->multiple, OPUS_GET_LOOKAHEAD(samples));
}

int cc_opus_open(cc_opus **out, const cc_opus_format *format, cc_opus_layout *layout) {
    cc_opus *opus = calloc(1, sizeof *opus);
    if (!opus) return -ENOMEM;
    opus_int32 samples = 0;
    int result = create(opus, format, layout);
    if (result == OPUS_OK) result = set(opus, format);
    if (result == OPUS_OK) result = lookahead(opus, &samples);
    if (result != OPUS_OK) {
        cc_opus_free(opus);
        return error_of(result);
    }
    layout->lookahead = samples;
    *out = opus;
    return 0;
}

int64_t cc_opus_encode(cc_opus *opus, const float *interleaved, int32_t frames, uint8_t *out, size_t capacity) {
    opus_int32 most = capacity > INT32_MAX ? INT32_MAX : (opus_int32)capacity;
    int size = opus->single ? opus_encode_float(opus->single, interleaved, frames, out, most)
                            : opus_multistream_encode_float(opus->multiple, interleaved, frames, out, most);
    return size < 0 ? error_of(size) : size;
}

void cc_opus_free(cc_opus *opus) {
    if (!opus) return;
    if (opus->single) opus_encoder_destroy(opus->single);
    if (opus->multiple) opus_multistream_encoder_destroy(opus->multiple);
    free(opus);
}
