#include "cc_opus.h"

#if !__has_include(<opus/opus_multistream.h>)
#error "opus/opus_multistream.h is missing: apt-get install libopus-dev"
#endif
#include <errno.h>
#include <limits.h>
#include <opus/opus_multistream.h>

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

static int set(OpusMSEncoder *encoder, const cc_opus_format *format) {
    int bitrate = format->bitrate > 0 ? format->bitrate : OPUS_AUTO;
    int result = opus_multistream_encoder_ctl(encoder, OPUS_SET_BITRATE(bitrate));
    if (result == OPUS_OK) result = opus_multistream_encoder_ctl(encoder, OPUS_SET_VBR(format->mode != CC_OPUS_CBR));
    if (result == OPUS_OK)
        result = opus_multistream_encoder_ctl(encoder, OPUS_SET_VBR_CONSTRAINT(format->mode == CC_OPUS_CVBR));
    if (result == OPUS_OK) result = opus_multistream_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(format->complexity));
    if (result == OPUS_OK) result = opus_multistream_encoder_ctl(encoder, OPUS_SET_LSB_DEPTH(format->depth));
    return result;
}

int cc_opus_open(cc_opus **out, const cc_opus_format *format, cc_opus_layout *layout) {
    int result = OPUS_OK, streams = 0, coupled = 0;
    OpusMSEncoder *encoder = opus_multistream_surround_encoder_create(
        format->sample_rate, format->channels, format->mapping_family, &streams, &coupled, layout->mapping,
        format->application, &result);
    if (result != OPUS_OK || !encoder) return error_of(result);
    opus_int32 lookahead = 0;
    result = set(encoder, format);
    if (result == OPUS_OK) result = opus_multistream_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(&lookahead));
    if (result != OPUS_OK) {
        opus_multistream_encoder_destroy(encoder);
        return error_of(result);
    }
    layout->streams = streams;
    layout->coupled = coupled;
    layout->lookahead = lookahead;
    *out = (cc_opus *)encoder;
    return 0;
}

int64_t cc_opus_encode(cc_opus *encoder, const float *interleaved, int32_t frames, uint8_t *out, size_t capacity) {
    opus_int32 most = capacity > INT32_MAX ? INT32_MAX : (opus_int32)capacity;
    int size = opus_multistream_encode_float((OpusMSEncoder *)encoder, interleaved, frames, out, most);
    return size < 0 ? error_of(size) : size;
}

void cc_opus_free(cc_opus *encoder) {
    if (encoder) opus_multistream_encoder_destroy((OpusMSEncoder *)encoder);
}
