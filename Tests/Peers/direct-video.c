// direct-video CODEC WIDTH HEIGHT BITRATE ROUNDS IN OUT: the same work as EncoderProbe's by calling OpenH264 (h264) or
// libvpx (vp8, vp9) and nothing else; planes of 4:2:0 from a file in memory, 30 a second, a key frame each two seconds. The
// settings are those of cc_h264.c and cc_vpx.c at the default complexity; OUT has no container.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>
#include <wels/codec_api.h>

enum { RATE = 30, KEY = 60, VP8_SPEED = -13, VP9_SPEED = 8 };

struct work {
    int width, height, bitrate;
    size_t count, size, pictures;
    unsigned char *bytes;
    FILE *out;
};

static void fail(const char *what) {
    fprintf(stderr, "direct-video: %s\n", what);
    exit(1);
}

static struct work opened(char **words) {
    struct work work = {.width = atoi(words[0]), .height = atoi(words[1]), .bitrate = atoi(words[2])};
    int file = open(words[4], O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status)) fail(words[4]);
    work.bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    if (work.bytes == MAP_FAILED) fail(words[4]);
    close(file);
    work.size = (size_t)work.width * (size_t)work.height * 3 / 2;
    work.pictures = (size_t)status.st_size / work.size;
    work.count = work.pictures * (size_t)atoi(words[3]);
    work.out = fopen(words[5], "w");
    if (!work.out) fail(words[5]);
    return work;
}

static void planes(const struct work *work, size_t index, unsigned char **plane, int *stride) {
    size_t luma = (size_t)work->width * (size_t)work->height;
    plane[0] = work->bytes + index % work->pictures * work->size;
    plane[1] = plane[0] + luma;
    plane[2] = plane[1] + luma / 4;
    stride[0] = work->width;
    stride[1] = stride[2] = work->width / 2;
}

static void set_h264(SEncParamExt *parameters, const struct work *work) {
    parameters->iUsageType = CAMERA_VIDEO_REAL_TIME;
    parameters->iPicWidth = work->width;
    parameters->iPicHeight = work->height;
    parameters->iTargetBitrate = work->bitrate;
    parameters->iMaxBitrate = UNSPECIFIED_BIT_RATE;
    parameters->iRCMode = RC_BITRATE_MODE;
    parameters->fMaxFrameRate = RATE;
    parameters->iTemporalLayerNum = parameters->iSpatialLayerNum = 1;
    parameters->iComplexityMode = LOW_COMPLEXITY;
    parameters->uiIntraPeriod = 0;
    parameters->bEnableSceneChangeDetect = false;
    parameters->iNumRefFrame = 1;
    parameters->eSpsPpsIdStrategy = CONSTANT_ID;
    parameters->iEntropyCodingModeFlag = 1;
    parameters->bEnableFrameSkip = false;
    parameters->iMultipleThreadIdc = 1;
    parameters->bUseLoadBalancing = false;
    SSpatialLayerConfig *layer = &parameters->sSpatialLayers[0];
    layer->iVideoWidth = work->width;
    layer->iVideoHeight = work->height;
    layer->fFrameRate = RATE;
    layer->iSpatialBitrate = work->bitrate;
    layer->iMaxSpatialBitrate = UNSPECIFIED_BIT_RATE;
    layer->uiProfileIdc = PRO_HIGH;
    layer->uiLevelIdc = LEVEL_UNKNOWN;
    layer->sSliceArgument.uiSliceMode = SM_SINGLE_SLICE;
    layer->sSliceArgument.uiSliceNum = 1;
}

static void h264(const struct work *work) {
    ISVCEncoder *encoder;
    SEncParamExt parameters;
    SFrameBSInfo info;
    SSourcePicture picture = {.iColorFormat = videoFormatI420, .iPicWidth = work->width, .iPicHeight = work->height};
    int quiet = WELS_LOG_QUIET;
    if (WelsCreateSVCEncoder(&encoder)) fail("OpenH264");
    (*encoder)->SetOption(encoder, ENCODER_OPTION_TRACE_LEVEL, &quiet);
    (*encoder)->GetDefaultParams(encoder, &parameters);
    set_h264(&parameters, work);
    if ((*encoder)->InitializeExt(encoder, &parameters)) fail("OpenH264");
    // The header leaves the third parameter out in C.
    int (*force)(ISVCEncoder *, bool, int) = (int (*)(ISVCEncoder *, bool, int))(void *)(*encoder)->ForceIntraFrame;
    for (size_t i = 0; i < work->count; i++) {
        planes(work, i, picture.pData, picture.iStride);
        picture.uiTimeStamp = (long long)i * 1000 / RATE;
        if (i % KEY == 0) force(encoder, true, -1);
        memset(&info, 0, sizeof info);
        if ((*encoder)->EncodeFrame(encoder, &picture, &info)) fail("OpenH264");
        for (int layer = 0; layer < info.iLayerNum; layer++) {
            size_t length = 0;
            for (int unit = 0; unit < info.sLayerInfo[layer].iNalCount; unit++)
                length += (size_t)info.sLayerInfo[layer].pNalLengthInByte[unit];
            fwrite(info.sLayerInfo[layer].pBsBuf, 1, length, work->out);
        }
    }
    (*encoder)->Uninitialize(encoder);
    WelsDestroySVCEncoder(encoder);
}

static void set_vpx(vpx_codec_enc_cfg_t *settings, const struct work *work, int is_vp9) {
    settings->g_w = (unsigned)work->width;
    settings->g_h = (unsigned)work->height;
    settings->g_timebase = (struct vpx_rational){1, 1000000};
    settings->g_threads = 1;
    settings->g_lag_in_frames = 0;
    settings->rc_dropframe_thresh = settings->rc_resize_allowed = 0;
    settings->kf_mode = VPX_KF_DISABLED;
    settings->rc_end_usage = VPX_CBR;
    settings->rc_target_bitrate = (unsigned)work->bitrate / 1000;
    settings->rc_buf_sz = 2000;
    settings->rc_buf_initial_sz = 1000;
    settings->rc_buf_optimal_sz = 1200;
    if (!is_vp9) return;
    settings->rc_min_quantizer = 2;
    settings->rc_max_quantizer = 56;
    settings->rc_undershoot_pct = settings->rc_overshoot_pct = 50;
}

static void vpx(const struct work *work, vpx_codec_iface_t *codec, int is_vp9) {
    vpx_codec_ctx_t encoder;
    vpx_codec_enc_cfg_t settings;
    vpx_image_t image;
    unsigned char none = 0;
    if (vpx_codec_enc_config_default(codec, &settings, 0)) fail("libvpx");
    set_vpx(&settings, work, is_vp9);
    if (vpx_codec_enc_init(&encoder, codec, &settings, 0)) fail("libvpx");
    vpx_codec_control(&encoder, VP8E_SET_CPUUSED, is_vp9 ? VP9_SPEED : VP8_SPEED);
    if (is_vp9) vpx_codec_control(&encoder, VP9E_SET_AQ_MODE, 3);
    else vpx_codec_control(&encoder, VP8E_SET_STATIC_THRESHOLD, 1);
    vpx_img_wrap(&image, VPX_IMG_FMT_I420, settings.g_w, settings.g_h, 1, &none);
    for (size_t i = 0; i < work->count; i++) {
        planes(work, i, image.planes, image.stride);
        vpx_enc_frame_flags_t flags = i % KEY == 0 ? VPX_EFLAG_FORCE_KF : 0;
        if (vpx_codec_encode(&encoder, &image, (vpx_codec_pts_t)(i * 1000000 / RATE), 1000000 / RATE, flags, VPX_DL_REALTIME))
            fail("libvpx");
        vpx_codec_iter_t next = NULL;
        const vpx_codec_cx_pkt_t *packet;
        while ((packet = vpx_codec_get_cx_data(&encoder, &next)))
            if (packet->kind == VPX_CODEC_CX_FRAME_PKT) fwrite(packet->data.frame.buf, 1, packet->data.frame.sz, work->out);
    }
    vpx_codec_destroy(&encoder);
}

int main(int count, char **words) {
    if (count != 8) fail("see direct-video.c");
    struct work work = opened(words + 2);
    if (!strcmp(words[1], "h264")) h264(&work);
    else if (!strcmp(words[1], "vp8")) vpx(&work, vpx_codec_vp8_cx(), 0);
    else if (!strcmp(words[1], "vp9")) vpx(&work, vpx_codec_vp9_cx(), 1);
    else fail("see direct-video.c");
    fclose(work.out);
    return 0;
}
