#include "cm_v4l2_formats.h"
#include "cm_format.h"
#include "cm_ioctl.h"
#include <stdio.h>
#include <string.h>

int32_t cm_v4l2_enum_fmt(int32_t descriptor, uint32_t buffer_type, uint32_t index, struct cm_v4l2_fmtdesc *format) {
    struct v4l2_fmtdesc raw = {.index = index, .type = buffer_type};
    int32_t result = cm_ioctl(descriptor, VIDIOC_ENUM_FMT, &raw);
    if (result < 0) return result;
    format->pixelformat = raw.pixelformat;
    format->flags = raw.flags;
    snprintf(format->description, sizeof(format->description), "%s", (const char *)raw.description);
    return 0;
}

int32_t cm_v4l2_enum_framesizes(
    int32_t descriptor, uint32_t pixelformat, uint32_t index, struct cm_v4l2_frmsize *size) {
    struct v4l2_frmsizeenum raw = {.index = index, .pixel_format = pixelformat};
    int32_t result = cm_ioctl(descriptor, VIDIOC_ENUM_FRAMESIZES, &raw);
    if (result < 0) return result;
    if (raw.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
        uint32_t width = raw.discrete.width, height = raw.discrete.height;
        *size = (struct cm_v4l2_frmsize){raw.type, width, width, 0, height, height, 0};
    } else {
        const struct v4l2_frmsize_stepwise *step = &raw.stepwise;
        *size = (struct cm_v4l2_frmsize){
            raw.type, step->min_width, step->max_width, step->step_width,
            step->min_height, step->max_height, step->step_height};
    }
    return 0;
}

int32_t cm_v4l2_enum_frameintervals(
    int32_t descriptor, uint32_t pixelformat, uint32_t width, uint32_t height, uint32_t index,
    struct cm_v4l2_frmival *interval) {
    struct v4l2_frmivalenum raw = {.index = index, .pixel_format = pixelformat, .width = width, .height = height};
    int32_t result = cm_ioctl(descriptor, VIDIOC_ENUM_FRAMEINTERVALS, &raw);
    if (result < 0) return result;
    struct v4l2_fract none = {0, 1};
    int discrete = raw.type == V4L2_FRMIVAL_TYPE_DISCRETE;
    struct v4l2_fract min = discrete ? raw.discrete : raw.stepwise.min;
    struct v4l2_fract max = discrete ? raw.discrete : raw.stepwise.max;
    struct v4l2_fract step = discrete ? none : raw.stepwise.step;
    *interval = (struct cm_v4l2_frmival){
        raw.type, min.numerator, min.denominator, max.numerator, max.denominator, step.numerator, step.denominator};
    return 0;
}

static int32_t format_ioctl(int32_t descriptor, unsigned long request, struct cm_v4l2_format *format) {
    struct v4l2_format raw;
    cm_format_pack(format, &raw);
    int32_t result = cm_ioctl(descriptor, request, &raw);
    return result < 0 ? result : cm_format_unpack(&raw, format);
}

int32_t cm_v4l2_g_fmt(int32_t descriptor, struct cm_v4l2_format *format) {
    return format_ioctl(descriptor, VIDIOC_G_FMT, format);
}

int32_t cm_v4l2_s_fmt(int32_t descriptor, struct cm_v4l2_format *format) {
    return format_ioctl(descriptor, VIDIOC_S_FMT, format);
}

int32_t cm_v4l2_try_fmt(int32_t descriptor, struct cm_v4l2_format *format) {
    return format_ioctl(descriptor, VIDIOC_TRY_FMT, format);
}

static int32_t parm_ioctl(
    int32_t descriptor, unsigned long request, uint32_t buffer_type, struct cm_v4l2_parm *parm) {
    struct v4l2_streamparm raw;
    memset(&raw, 0, sizeof(raw));
    raw.type = buffer_type;
    raw.parm.capture.timeperframe.numerator = parm->numerator;
    raw.parm.capture.timeperframe.denominator = parm->denominator;
    int32_t result = cm_ioctl(descriptor, request, &raw);
    if (result < 0) return result;
    const struct v4l2_captureparm *capture = &raw.parm.capture;
    *parm = (struct cm_v4l2_parm){
        capture->capability, capture->timeperframe.numerator, capture->timeperframe.denominator};
    return 0;
}

int32_t cm_v4l2_g_parm(int32_t descriptor, uint32_t buffer_type, struct cm_v4l2_parm *parm) {
    *parm = (struct cm_v4l2_parm){0, 0, 0};
    return parm_ioctl(descriptor, VIDIOC_G_PARM, buffer_type, parm);
}

int32_t cm_v4l2_s_parm(int32_t descriptor, uint32_t buffer_type, struct cm_v4l2_parm *parm) {
    return parm_ioctl(descriptor, VIDIOC_S_PARM, buffer_type, parm);
}

uint32_t cm_v4l2_default_colorspace(int32_t is_sdtv, int32_t is_hdtv) {
    return V4L2_MAP_COLORSPACE_DEFAULT(is_sdtv, is_hdtv);
}

uint32_t cm_v4l2_default_ycbcr_enc(uint32_t colorspace) { return V4L2_MAP_YCBCR_ENC_DEFAULT(colorspace); }

uint32_t cm_v4l2_default_xfer_func(uint32_t colorspace) { return V4L2_MAP_XFER_FUNC_DEFAULT(colorspace); }

uint32_t cm_v4l2_default_quantization(int32_t is_rgb_or_hsv, uint32_t colorspace) {
    return V4L2_MAP_QUANTIZATION_DEFAULT(is_rgb_or_hsv, colorspace, V4L2_YCBCR_ENC_DEFAULT);
}
