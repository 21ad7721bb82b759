#if defined(CC_HAS_AV1) && !__has_include(<svt-av1/EbSvtAv1Enc.h>)
#include "../Packages/missing.h"
#endif
#include "cc_av1.h"
#include "cc_library.h"

#ifdef CC_HAS_AV1
#include <stdlib.h>
#include <string.h>
#include <svt-av1/EbSvtAv1Enc.h>

#define NAME "libSvtAv1Enc.so." CC_TEXT(SVT_AV1_VERSION_MAJOR)
#define VERSION "v" CC_TEXT(SVT_AV1_VERSION_MAJOR) "." CC_TEXT(SVT_AV1_VERSION_MINOR) "."

#define CALLS(EACH) \
    EACH(svt_av1_enc_deinit) EACH(svt_av1_enc_deinit_handle) EACH(svt_av1_enc_get_packet) EACH(svt_av1_enc_init) \
    EACH(svt_av1_enc_init_handle) EACH(svt_av1_enc_release_out_buffer) EACH(svt_av1_enc_send_picture) \
    EACH(svt_av1_enc_set_parameter) EACH(svt_av1_enc_stream_header) EACH(svt_av1_get_version)

static struct { CALLS(CC_MEMBER) } calls;
static int loaded = -ELIBACC;

static void load(void) {
    void *library = dlopen(NAME, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    CALLS(CC_FIND)
    // The configuration is the caller's memory, and may have grown from one minor version to the next.
    if (strncmp(calls.svt_av1_get_version(), VERSION, strlen(VERSION)) != 0) return;
    // Else it writes its settings to standard error; there is no other way to say so.
    setenv("SVT_LOG", "-2", 0);
    loaded = 0;
}

int cc_av1_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}

struct cc_av1 {
    EbComponentType *encoder;
    EbBufferHeaderType header;
    EbSvtIOFormat planes;
    int is_begun;
};

static void set(EbSvtAv1EncConfiguration *settings, const cc_video_format *format) {
    settings->enc_mode = (int8_t)format->speed;
    settings->source_width = (uint32_t)format->width;
    settings->source_height = (uint32_t)format->height;
    settings->frame_rate_numerator = (uint32_t)format->rate_numerator;
    settings->frame_rate_denominator = (uint32_t)format->rate_denominator;
    // It counts the frames between two.
    settings->intra_period_length = format->key_interval - 1;
    settings->intra_refresh_type = SVT_AV1_KF_REFRESH;
    settings->scene_change_detection = 0;
    // No frame refers to a later one, so that packets are in the order of time.
    settings->pred_structure = SVT_AV1_PRED_LOW_DELAY_B;
    settings->look_ahead_distance = 0;
    settings->enable_tf = 0;
    settings->rate_control_mode = format->bitrate > 0 ? SVT_AV1_RC_MODE_CBR : SVT_AV1_RC_MODE_CQP_OR_CRF;
    if (format->bitrate > 0) settings->target_bit_rate = (uint32_t)format->bitrate;
    settings->qp = (uint32_t)format->quantizer;
    settings->logical_processors = (uint32_t)format->threads;
    settings->color_description_present_flag = 1;
    settings->color_primaries = (EbColorPrimaries)format->primaries;
    settings->transfer_characteristics = (EbTransferCharacteristics)format->transfer;
    settings->matrix_coefficients = (EbMatrixCoefficients)format->matrix;
    settings->color_range = format->is_full_range ? EB_CR_FULL_RANGE : EB_CR_STUDIO_RANGE;
}

int cc_av1_open(cc_av1 **out, const cc_video_format *format) {
    int result = cc_av1_available();
    if (result < 0) return result;
    cc_av1 *av1 = calloc(1, sizeof *av1);
    if (!av1) return -ENOMEM;
    EbSvtAv1EncConfiguration settings;
    memset(&settings, 0, sizeof settings);
    EbErrorType failed = calls.svt_av1_enc_init_handle(&av1->encoder, NULL, &settings);
    if (failed == EB_ErrorNone) {
        set(&settings, format);
        failed = calls.svt_av1_enc_set_parameter(av1->encoder, &settings);
    }
    if (failed == EB_ErrorNone) {
        failed = calls.svt_av1_enc_init(av1->encoder);
        av1->is_begun = failed == EB_ErrorNone;
    }
    if (failed != EB_ErrorNone) {
        cc_av1_free(av1);
        return failed == EB_ErrorBadParameter ? -EINVAL : -EIO;
    }
    av1->header.size = sizeof av1->header;
    av1->header.p_buffer = (uint8_t *)&av1->planes;
    av1->header.pic_type = EB_AV1_INVALID_PICTURE;
    av1->planes.width = (uint32_t)format->width;
    av1->planes.height = (uint32_t)format->height;
    av1->planes.color_fmt = EB_YUV420;
    av1->planes.bit_depth = EB_EIGHT_BIT;
    *out = av1;
    return 0;
}

static int append(cc_packets *packets, const uint8_t *bytes, size_t count, int64_t time, int64_t duration, int is_key) {
    if (cc_packets_reserve(packets, count) < 0) return -ENOMEM;
    memcpy(packets->bytes + packets->count, bytes, count);
    return cc_packets_commit(packets, count, time, duration, is_key);
}

int cc_av1_head(cc_av1 *av1, cc_packets *packets) {
    EbBufferHeaderType *out = NULL;
    if (calls.svt_av1_enc_stream_header(av1->encoder, &out) != EB_ErrorNone || out == NULL) return -EIO;
    return append(packets, out->p_buffer, out->n_filled_len, 0, 0, 1);
}

// A temporal delimiter without content (AV1, 5.6): containers have none.
static const uint8_t delimiter[] = {0x12, 0x00};

// `waits` until there are no more.
static int take(cc_av1 *av1, int64_t duration, cc_packets *packets, int waits) {
    for (int is_last = 0; !is_last;) {
        EbBufferHeaderType *out = NULL;
        EbErrorType failed = calls.svt_av1_enc_get_packet(av1->encoder, &out, (uint8_t)waits);
        if (failed == EB_NoErrorEmptyQueue) return 0;
        if (failed != EB_ErrorNone || out == NULL) return -EIO;
        is_last = (out->flags & EB_BUFFERFLAG_EOS) != 0;
        const uint8_t *bytes = out->p_buffer;
        size_t count = out->n_filled_len;
        if (count >= sizeof delimiter && memcmp(bytes, delimiter, sizeof delimiter) == 0) {
            bytes += sizeof delimiter;
            count -= sizeof delimiter;
        }
        int is_key = out->pic_type == EB_AV1_KEY_PICTURE;
        int result = count == 0 ? 0 : append(packets, bytes, count, out->pts, duration, is_key);
        calls.svt_av1_enc_release_out_buffer(&out);
        if (result < 0) return result;
    }
    return 0;
}

int cc_av1_encode(cc_av1 *av1, const cc_picture *picture, const cc_frame_times *times, cc_packets *packets) {
    av1->planes.luma = (uint8_t *)picture->plane[0];
    av1->planes.cb = (uint8_t *)picture->plane[1];
    av1->planes.cr = (uint8_t *)picture->plane[2];
    av1->planes.y_stride = (uint32_t)picture->stride[0];
    av1->planes.cb_stride = (uint32_t)picture->stride[1];
    av1->planes.cr_stride = (uint32_t)picture->stride[2];
    av1->header.pts = times->time;
    av1->header.flags = 0;
    if (calls.svt_av1_enc_send_picture(av1->encoder, &av1->header) != EB_ErrorNone) return -EIO;
    return take(av1, times->duration, packets, 0);
}

int cc_av1_finish(cc_av1 *av1, int64_t duration, cc_packets *packets) {
    EbBufferHeaderType end = {0};
    end.size = sizeof end;
    end.flags = EB_BUFFERFLAG_EOS;
    end.pic_type = EB_AV1_INVALID_PICTURE;
    if (calls.svt_av1_enc_send_picture(av1->encoder, &end) != EB_ErrorNone) return -EIO;
    return take(av1, duration, packets, 1);
}

void cc_av1_free(cc_av1 *av1) {
    if (!av1) return;
    if (av1->is_begun) calls.svt_av1_enc_deinit(av1->encoder);
    if (av1->encoder) calls.svt_av1_enc_deinit_handle(av1->encoder);
    free(av1);
}

#else

int cc_av1_available(void) { return -ENOSYS; }
int cc_av1_open(cc_av1 **encoder, const cc_video_format *format) {
    (void)encoder, (void)format;
    return -ENOSYS;
}
int cc_av1_head(cc_av1 *encoder, cc_packets *packets) {
    (void)encoder, (void)packets;
    return -ENOSYS;
}
int cc_av1_encode(cc_av1 *encoder, const cc_picture *picture, const cc_frame_times *times, cc_packets *packets) {
    (void)encoder, (void)picture, (void)times, (void)packets;
    return -ENOSYS;
}
int cc_av1_finish(cc_av1 *encoder, int64_t duration, cc_packets *packets) {
    (void)encoder, (void)duration, (void)packets;
    return -ENOSYS;
}
void cc_av1_free(cc_av1 *encoder) { (void)encoder; }

#endif
