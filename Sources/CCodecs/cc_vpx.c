#if defined(CC_HAS_WEBM) && !__has_include(<vpx/vpx_encoder.h>)
#include "../Packages/missing.h"
#endif
#include "cc_vpx.h"
#include "cc_library.h"

#ifdef CC_HAS_WEBM
#include <stdlib.h>
#include <string.h>
#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>

// vpx_codec_enc_init_ver refuses headers of another version than the library's.
static const char *const names[] = {
    "libvpx.so.7", "libvpx.so.8", "libvpx.so.9", "libvpx.so.10", "libvpx.so.11", "libvpx.so.12",
};

#define CALLS(EACH) \
    EACH(vpx_codec_control_) EACH(vpx_codec_destroy) EACH(vpx_codec_enc_config_default) EACH(vpx_codec_enc_init_ver) \
    EACH(vpx_codec_encode) EACH(vpx_codec_error) EACH(vpx_codec_get_cx_data) EACH(vpx_codec_vp8_cx) \
    EACH(vpx_codec_vp9_cx) EACH(vpx_img_wrap)

static struct { CALLS(CC_MEMBER) } calls;
static int loaded = -ELIBACC;

static int is_of_headers(void) {
    vpx_codec_ctx_t context;
    vpx_codec_enc_cfg_t settings;
    if (calls.vpx_codec_enc_config_default(calls.vpx_codec_vp8_cx(), &settings, 0) != VPX_CODEC_OK) return 0;
    vpx_codec_err_t found =
        calls.vpx_codec_enc_init_ver(&context, calls.vpx_codec_vp8_cx(), &settings, 0, VPX_ENCODER_ABI_VERSION);
    if (found == VPX_CODEC_OK) calls.vpx_codec_destroy(&context);
    return found != VPX_CODEC_ABI_MISMATCH;
}

static void load(void) {
    void *library = NULL;
    for (size_t index = 0; library == NULL && index < sizeof names / sizeof *names; index++)
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    CALLS(CC_FIND)
    if (is_of_headers()) loaded = 0;
}

int cc_vpx_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}

struct cc_vpx {
    vpx_codec_ctx_t context;
    vpx_image_t image;
    // Timestamp of the last frame in the encoder's unit, so that each is later than the one before.
    int64_t last;
};

// Microseconds: libvpx multiplies them by ten million.
enum { UNIT = 1000000 };

static int color_space(int32_t matrix) {
    switch (matrix) {
    case 1: return VPX_CS_BT_709;
    case 5: return VPX_CS_BT_601;
    case 6: return VPX_CS_SMPTE_170;
    case 7: return VPX_CS_SMPTE_240;
    case 9: return VPX_CS_BT_2020;
    default: return VPX_CS_UNKNOWN;
    }
}

static vpx_codec_err_t control(cc_vpx *vpx, int name, int value) {
    return calls.vpx_codec_control_(&vpx->context, name, value);
}

static vpx_codec_err_t set(cc_vpx *vpx, int codec, const cc_video_format *format) {
    vpx_codec_err_t result = control(vpx, VP8E_SET_CPUUSED, codec == CC_VPX_VP8 ? -format->speed : format->speed);
    if (result == VPX_CODEC_OK && codec == CC_VPX_VP9 && format->bitrate <= 0)
        result = control(vpx, VP8E_SET_CQ_LEVEL, format->quantizer);
    if (result == VPX_CODEC_OK && codec == CC_VPX_VP8) result = control(vpx, VP8E_SET_STATIC_THRESHOLD, 1);
    if (codec != CC_VPX_VP9) return result;
    if (result == VPX_CODEC_OK) result = control(vpx, VP9E_SET_COLOR_SPACE, color_space(format->matrix));
    if (result == VPX_CODEC_OK)
        result = control(vpx, VP9E_SET_COLOR_RANGE, format->is_full_range ? VPX_CR_FULL_RANGE : VPX_CR_STUDIO_RANGE);
    // Cyclic refresh, which is made for a constant bitrate.
    if (result == VPX_CODEC_OK) result = control(vpx, VP9E_SET_AQ_MODE, format->bitrate > 0 ? 3 : 0);
    return result;
}

static void configure(vpx_codec_enc_cfg_t *settings, int codec, const cc_video_format *format) {
    settings->g_w = (unsigned)format->width;
    settings->g_h = (unsigned)format->height;
    settings->g_timebase = (struct vpx_rational){1, UNIT};
    settings->g_threads = (unsigned)format->threads;
    // One packet for each frame, at once, and none dropped.
    settings->g_lag_in_frames = 0;
    settings->rc_dropframe_thresh = 0;
    settings->rc_resize_allowed = 0;
    // Key frames come when they are requested.
    settings->kf_mode = VPX_KF_DISABLED;
    settings->rc_end_usage = format->bitrate > 0 ? VPX_CBR : codec == CC_VPX_VP9 ? VPX_Q : VPX_VBR;
    if (format->bitrate <= 0) {
        // VP8 knows no equal quality in one pass, only quantizers that are not to be left.
        if (codec == CC_VPX_VP8) settings->rc_min_quantizer = settings->rc_max_quantizer = (unsigned)format->quantizer;
        return;
    }
    settings->rc_target_bitrate = (unsigned)format->bitrate / 1000;
    settings->rc_buf_sz = 2000;
    settings->rc_buf_initial_sz = 1000;
    settings->rc_buf_optimal_sz = 1200;
    // VP8 is the better for the library's own limits, VP9 for these (SSIM at equal size, Tests/Peers/encoders).
    if (codec == CC_VPX_VP8) return;
    settings->rc_min_quantizer = 2;
    settings->rc_max_quantizer = 56;
    settings->rc_undershoot_pct = 50;
    settings->rc_overshoot_pct = 50;
}

static int error_of(vpx_codec_err_t result) {
    switch (result) {
    case VPX_CODEC_OK: return 0;
    case VPX_CODEC_MEM_ERROR: return -ENOMEM;
    case VPX_CODEC_INVALID_PARAM: return -EINVAL;
    default: return -EIO;
    }
}

int cc_vpx_open(cc_vpx **out, int codec, const cc_video_format *format) {
    int failed = cc_vpx_available();
    if (failed < 0) return failed;
    cc_vpx *vpx = calloc(1, sizeof *vpx);
    if (!vpx) return -ENOMEM;
    vpx->last = -1;
    vpx_codec_iface_t *interface = codec == CC_VPX_VP8 ? calls.vpx_codec_vp8_cx() : calls.vpx_codec_vp9_cx();
    vpx_codec_enc_cfg_t settings;
    vpx_codec_err_t result = calls.vpx_codec_enc_config_default(interface, &settings, 0);
    configure(&settings, codec, format);
    if (result == VPX_CODEC_OK)
        result = calls.vpx_codec_enc_init_ver(&vpx->context, interface, &settings, 0, VPX_ENCODER_ABI_VERSION);
    if (result != VPX_CODEC_OK) {
        free(vpx);
        return error_of(result);
    }
    result = set(vpx, codec, format);
    if (result != VPX_CODEC_OK) {
        cc_vpx_free(vpx);
        return error_of(result);
    }
    // Planes of the caller's, which are set for each frame.
    unsigned char none = 0;
    calls.vpx_img_wrap(&vpx->image, VPX_IMG_FMT_I420, (unsigned)format->width, (unsigned)format->height, 1, &none);
    *out = vpx;
    return 0;
}

static int take(cc_vpx *vpx, const cc_frame_times *times, cc_packets *packets) {
    vpx_codec_iter_t next = NULL;
    const vpx_codec_cx_pkt_t *packet;
    while ((packet = calls.vpx_codec_get_cx_data(&vpx->context, &next)) != NULL) {
        if (packet->kind != VPX_CODEC_CX_FRAME_PKT) continue;
        size_t count = packet->data.frame.sz;
        if (cc_packets_reserve(packets, count) < 0) return -ENOMEM;
        memcpy(packets->bytes + packets->count, packet->data.frame.buf, count);
        int is_key = (packet->data.frame.flags & VPX_FRAME_IS_KEY) != 0;
        int result = cc_packets_commit(packets, count, times->time, times->duration, is_key);
        if (result < 0) return result;
    }
    return 0;
}

int cc_vpx_encode(cc_vpx *vpx, const cc_picture *picture, const cc_frame_times *times, cc_packets *packets) {
    for (int plane = 0; plane < 3; plane++) {
        vpx->image.planes[plane] = (unsigned char *)picture->plane[plane];
        vpx->image.stride[plane] = picture->stride[plane];
    }
    int64_t time = times->time / (1000000000 / UNIT), duration = times->duration / (1000000000 / UNIT);
    vpx->last = time > vpx->last ? time : vpx->last + 1;
    vpx_enc_frame_flags_t flags = times->is_key ? VPX_EFLAG_FORCE_KF : 0;
    vpx_codec_err_t result = calls.vpx_codec_encode(
        &vpx->context, &vpx->image, vpx->last, (unsigned long)(duration > 0 ? duration : 1), flags, VPX_DL_REALTIME);
    return result == VPX_CODEC_OK ? take(vpx, times, packets) : error_of(result);
}

const char *cc_vpx_text(cc_vpx *vpx) {
    return calls.vpx_codec_error(&vpx->context);
}

void cc_vpx_free(cc_vpx *vpx) {
    if (!vpx) return;
    calls.vpx_codec_destroy(&vpx->context);
    free(vpx);
}

#else

int cc_vpx_available(void) { return -ENOSYS; }
int cc_vpx_open(cc_vpx **encoder, int codec, const cc_video_format *format) {
    (void)encoder, (void)codec, (void)format;
    return -ENOSYS;
}
int cc_vpx_encode(cc_vpx *encoder, const cc_picture *picture, const cc_frame_times *times, cc_packets *packets) {
    (void)encoder, (void)picture, (void)times, (void)packets;
    return -ENOSYS;
}
const char *cc_vpx_text(cc_vpx *encoder) {
    (void)encoder;
    return "";
}
void cc_vpx_free(cc_vpx *encoder) { (void)encoder; }

#endif
