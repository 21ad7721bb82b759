#if defined(CC_HAS_MP4) && !__has_include(<wels/codec_api.h>)
#include "../Packages/missing.h"
#endif
#include "cc_h264.h"
#include "cc_library.h"

#ifdef CC_HAS_MP4
#include <stdlib.h>
#include <string.h>
#include <wels/codec_api.h>
#include <wels/codec_ver.h>

// The name of a library changes whenever its structures do; those here are the headers'.
#if OPENH264_MAJOR == 2 && OPENH264_MINOR >= 5
#define NAME "libopenh264.so.8"
#elif OPENH264_MAJOR == 2 && OPENH264_MINOR >= 3
#define NAME "libopenh264.so.7"
#else
#define NAME "libopenh264.so.6"
#endif

#define CALLS(EACH) EACH(WelsCreateSVCEncoder) EACH(WelsDestroySVCEncoder) EACH(WelsGetCodecVersionEx)

static struct { CALLS(CC_MEMBER) } calls;
static int loaded = -ELIBACC;

static void load(void) {
    void *library = dlopen(NAME, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    CALLS(CC_FIND)
    OpenH264Version version;
    calls.WelsGetCodecVersionEx(&version);
    // A structure may have grown from one minor version to the next.
    if (version.uMajor == OPENH264_MAJOR && version.uMinor == OPENH264_MINOR) loaded = 0;
}

int cc_h264_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}

enum { SPS = 7, PPS = 8, HEAD_MOST = 512 };

struct cc_h264 {
    ISVCEncoder *encoder;
    SSourcePicture picture;
    SFrameBSInfo out;
    // Bytes of the packet that is being written after those of the buffer.
    size_t filled;
    // Parameter sets of the head, each after its length.
    uint8_t head[HEAD_MOST];
    size_t head_count;
};

static void describe_colour(SSpatialLayerConfig *layer, const cc_video_format *format) {
    layer->bVideoSignalTypePresent = true;
    layer->uiVideoFormat = VF_UNDEF;
    layer->bFullRange = format->is_full_range != 0;
    layer->bColorDescriptionPresent = true;
    layer->uiColorPrimaries = (unsigned char)format->primaries;
    layer->uiTransferCharacteristics = (unsigned char)format->transfer;
    layer->uiColorMatrix = (unsigned char)format->matrix;
    if (format->aspect_width <= 0 || format->aspect_width > UINT16_MAX || format->aspect_height > UINT16_MAX) return;
    layer->bAspectRatioPresent = true;
    layer->eAspectRatio = ASP_EXT_SAR;
    layer->sAspectRatioExtWidth = (unsigned short)format->aspect_width;
    layer->sAspectRatioExtHeight = (unsigned short)format->aspect_height;
}

static void set_layer(SEncParamExt *parameters, const cc_video_format *format) {
    SSpatialLayerConfig *layer = &parameters->sSpatialLayers[0];
    layer->iVideoWidth = format->width;
    layer->iVideoHeight = format->height;
    layer->fFrameRate = parameters->fMaxFrameRate;
    layer->iSpatialBitrate = parameters->iTargetBitrate;
    layer->iMaxSpatialBitrate = UNSPECIFIED_BIT_RATE;
    layer->uiProfileIdc = PRO_HIGH;
    layer->uiLevelIdc = LEVEL_UNKNOWN;
    layer->iDLayerQp = format->quantizer;
    layer->sSliceArgument.uiSliceMode = format->threads > 1 ? SM_FIXEDSLCNUM_SLICE : SM_SINGLE_SLICE;
    layer->sSliceArgument.uiSliceNum = (unsigned)format->threads;
    describe_colour(layer, format);
}

static void set(SEncParamExt *parameters, const cc_video_format *format) {
    parameters->iUsageType = CAMERA_VIDEO_REAL_TIME;
    parameters->iPicWidth = format->width;
    parameters->iPicHeight = format->height;
    parameters->iTargetBitrate = format->bitrate;
    parameters->iMaxBitrate = UNSPECIFIED_BIT_RATE;
    parameters->iRCMode = format->bitrate > 0 ? RC_BITRATE_MODE : RC_OFF_MODE;
    parameters->fMaxFrameRate = (float)format->rate_numerator / (float)format->rate_denominator;
    parameters->iTemporalLayerNum = 1;
    parameters->iSpatialLayerNum = 1;
    parameters->iComplexityMode = format->speed > 1    ? LOW_COMPLEXITY
                                  : format->speed == 1 ? MEDIUM_COMPLEXITY
                                                       : HIGH_COMPLEXITY;
    // Key frames come when they are requested.
    parameters->uiIntraPeriod = 0;
    parameters->bEnableSceneChangeDetect = false;
    parameters->iNumRefFrame = 1;
    // Else each key frame has parameter sets of a new number, which those of the file's head are not.
    parameters->eSpsPpsIdStrategy = CONSTANT_ID;
    parameters->iEntropyCodingModeFlag = 1;
    // A frame that is dropped to keep the bitrate would be a loss.
    parameters->bEnableFrameSkip = false;
    parameters->iMultipleThreadIdc = (unsigned short)format->threads;
    parameters->bUseLoadBalancing = false;
    set_layer(parameters, format);
}

int cc_h264_open(cc_h264 **out, const cc_video_format *format) {
    int result = cc_h264_available();
    if (result < 0) return result;
    cc_h264 *h264 = calloc(1, sizeof *h264);
    if (!h264) return -ENOMEM;
    SEncParamExt parameters;
    if (calls.WelsCreateSVCEncoder(&h264->encoder) != 0 || h264->encoder == NULL) {
        free(h264);
        return -ENOMEM;
    }
    ISVCEncoder *encoder = h264->encoder;
    // It writes warnings to standard error.
    int quiet = WELS_LOG_QUIET, pixels = videoFormatI420;
    (*encoder)->SetOption(encoder, ENCODER_OPTION_TRACE_LEVEL, &quiet);
    (*encoder)->GetDefaultParams(encoder, &parameters);
    set(&parameters, format);
    if ((*encoder)->InitializeExt(encoder, &parameters) != cmResultSuccess
        || (*encoder)->SetOption(encoder, ENCODER_OPTION_DATAFORMAT, &pixels) != cmResultSuccess) {
        cc_h264_free(h264);
        return -EINVAL;
    }
    h264->picture.iColorFormat = videoFormatI420;
    h264->picture.iPicWidth = format->width;
    h264->picture.iPicHeight = format->height;
    *out = h264;
    return 0;
}

static void put_length(uint8_t *at, size_t length) {
    for (int byte = 0; byte < 4; byte++) at[byte] = (uint8_t)(length >> (24 - 8 * byte));
}

// The unit after its start code (ITU-T H.264, annex B), which has three or four bytes.
static const uint8_t *unit_of(const uint8_t *bytes, size_t count, size_t *length) {
    size_t start = count > 3 && bytes[2] == 0 ? 4 : 3;
    if (count <= start) return NULL;
    *length = count - start;
    return bytes + start;
}

static int is_in_head(const cc_h264 *h264, const uint8_t *unit, size_t length) {
    size_t at = 0;
    while (at + 4 <= h264->head_count) {
        const uint8_t *head = h264->head + at;
        size_t own = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        if (own == length && memcmp(head + 4, unit, length) == 0) return 1;
        at += 4 + own;
    }
    return 0;
}

static int is_parameter_set(const uint8_t *unit) {
    return (unit[0] & 31) == SPS || (unit[0] & 31) == PPS;
}

// Calls `take` for each unit of the access unit; ends with the first result that is not 0.
static int each_unit(
    const SFrameBSInfo *out, int (*take)(cc_h264 *, cc_packets *, const uint8_t *, size_t), cc_h264 *h264,
    cc_packets *packets
) {
    for (int number = 0; number < out->iLayerNum; number++) {
        const SLayerBSInfo *layer = &out->sLayerInfo[number];
        const uint8_t *bytes = layer->pBsBuf;
        for (int index = 0; index < layer->iNalCount; index++) {
            size_t length = 0, count = (size_t)layer->pNalLengthInByte[index];
            const uint8_t *unit = unit_of(bytes, count, &length);
            int result = unit == NULL ? -EPROTO : take(h264, packets, unit, length);
            if (result != 0) return result;
            bytes += count;
        }
    }
    return 0;
}

static int take_head(cc_h264 *h264, cc_packets *packets, const uint8_t *unit, size_t length) {
    (void)packets;
    if (!is_parameter_set(unit)) return 0;
    if (h264->head_count + 4 + length > HEAD_MOST) return -E2BIG;
    put_length(h264->head + h264->head_count, length);
    memcpy(h264->head + h264->head_count + 4, unit, length);
    h264->head_count += 4 + length;
    return 0;
}

static int take_unit(cc_h264 *h264, cc_packets *packets, const uint8_t *unit, size_t length) {
    if (is_parameter_set(unit)) return is_in_head(h264, unit, length) ? 0 : -EPROTO;
    if (cc_packets_reserve(packets, h264->filled + 4 + length) < 0) return -ENOMEM;
    uint8_t *at = packets->bytes + packets->count + h264->filled;
    put_length(at, length);
    memcpy(at + 4, unit, length);
    h264->filled += 4 + length;
    return 0;
}

int cc_h264_head(cc_h264 *h264, cc_packets *packets) {
    memset(&h264->out, 0, sizeof h264->out);
    h264->head_count = 0;
    if ((*h264->encoder)->EncodeParameterSets(h264->encoder, &h264->out) != cmResultSuccess) return -EIO;
    int result = each_unit(&h264->out, take_head, h264, packets);
    if (result < 0) return result;
    if (cc_packets_reserve(packets, h264->head_count) < 0) return -ENOMEM;
    memcpy(packets->bytes + packets->count, h264->head, h264->head_count);
    return cc_packets_commit(packets, h264->head_count, 0, 0, 1);
}

// The library's function has a third parameter, a layer or -1, which the header omits in C.
static void force_key(ISVCEncoder *encoder) {
    int (*force)(ISVCEncoder *, bool, int) = (int (*)(ISVCEncoder *, bool, int))(void *)(*encoder)->ForceIntraFrame;
    force(encoder, true, -1);
}

int cc_h264_encode(cc_h264 *h264, const cc_picture *picture, const cc_frame_times *times, cc_packets *packets) {
    SSourcePicture *source = &h264->picture;
    for (int plane = 0; plane < 3; plane++) {
        source->pData[plane] = (unsigned char *)picture->plane[plane];
        source->iStride[plane] = picture->stride[plane];
    }
    h264->filled = 0;
    source->uiTimeStamp = times->time / 1000000;
    if (times->is_key) force_key(h264->encoder);
    if ((*h264->encoder)->EncodeFrame(h264->encoder, source, &h264->out) != cmResultSuccess) return -EIO;
    int result = each_unit(&h264->out, take_unit, h264, packets);
    if (result < 0) return result;
    if (h264->filled == 0) return -EIO;
    int is_key = h264->out.eFrameType == videoFrameTypeIDR;
    return cc_packets_commit(packets, h264->filled, times->time, times->duration, is_key);
}

void cc_h264_free(cc_h264 *h264) {
    if (!h264) return;
    (*h264->encoder)->Uninitialize(h264->encoder);
    calls.WelsDestroySVCEncoder(h264->encoder);
    free(h264);
}

#else

int cc_h264_available(void) { return -ENOSYS; }
int cc_h264_open(cc_h264 **encoder, const cc_video_format *format) {
    (void)encoder, (void)format;
    return -ENOSYS;
}
int cc_h264_head(cc_h264 *encoder, cc_packets *packets) {
    (void)encoder, (void)packets;
    return -ENOSYS;
}
int cc_h264_encode(
    cc_h264 *encoder, const cc_picture *picture, const cc_frame_times *times, cc_packets *packets
) {
    (void)encoder, (void)picture, (void)times, (void)packets;
    return -ENOSYS;
}
void cc_h264_free(cc_h264 *encoder) { (void)encoder; }

#endif
