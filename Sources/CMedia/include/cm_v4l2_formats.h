// Video formats of a video node. One flat structure for single-planar and multiplanar nodes: `buffer_type` shows which, as
// V4L2_BUF_TYPE_VIDEO_CAPTURE or V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.
#pragma once

#include "cm_v4l2.h"
#include <stdint.h>

#pragma clang assume_nonnull begin

#define CM_V4L2_PLANES 3

struct cm_v4l2_fmtdesc {
    uint32_t pixelformat;
    uint32_t flags;
    char description[32];
};

// `type`: V4L2_FRMSIZE_TYPE_*. A discrete size is in both the minimum and the maximum, with a step of 0.
struct cm_v4l2_frmsize {
    uint32_t type;
    uint32_t min_width, max_width, step_width;
    uint32_t min_height, max_height, step_height;
};

// `type`: V4L2_FRMIVAL_TYPE_*. Seconds a frame, as fractions.
struct cm_v4l2_frmival {
    uint32_t type;
    uint32_t min_numerator, min_denominator;
    uint32_t max_numerator, max_denominator;
    uint32_t step_numerator, step_denominator;
};

struct cm_v4l2_format {
    uint32_t buffer_type;
    uint32_t width, height;
    uint32_t pixelformat;
    uint32_t field;
    uint32_t planes;
    uint32_t bytesperline[CM_V4L2_PLANES];
    uint32_t sizeimage[CM_V4L2_PLANES];
    uint32_t colorspace, xfer_func, ycbcr_enc, quantization;
};

// Seconds a frame, as a fraction.
struct cm_v4l2_parm {
    uint32_t capability;
    uint32_t numerator, denominator;
};

// -EINVAL after the last index, like the ioctls.
int32_t cm_v4l2_enum_fmt(int32_t descriptor, uint32_t buffer_type, uint32_t index, struct cm_v4l2_fmtdesc *format);
int32_t cm_v4l2_enum_framesizes(
    int32_t descriptor, uint32_t pixelformat, uint32_t index, struct cm_v4l2_frmsize *size);
int32_t cm_v4l2_enum_frameintervals(
    int32_t descriptor, uint32_t pixelformat, uint32_t width, uint32_t height, uint32_t index,
    struct cm_v4l2_frmival *interval);

// `format->buffer_type` is read by all three; more than CM_V4L2_PLANES planes give -ENOTSUP.
int32_t cm_v4l2_g_fmt(int32_t descriptor, struct cm_v4l2_format *format);
int32_t cm_v4l2_s_fmt(int32_t descriptor, struct cm_v4l2_format *format);
int32_t cm_v4l2_try_fmt(int32_t descriptor, struct cm_v4l2_format *format);
int32_t cm_v4l2_g_parm(int32_t descriptor, uint32_t buffer_type, struct cm_v4l2_parm *parm);
int32_t cm_v4l2_s_parm(int32_t descriptor, uint32_t buffer_type, struct cm_v4l2_parm *parm);

// What a 0 of a driver's means: V4L2_MAP_COLORSPACE_DEFAULT and its kin.
uint32_t cm_v4l2_default_colorspace(int32_t is_sdtv, int32_t is_hdtv);
uint32_t cm_v4l2_default_ycbcr_enc(uint32_t colorspace);
uint32_t cm_v4l2_default_xfer_func(uint32_t colorspace);
uint32_t cm_v4l2_default_quantization(int32_t is_rgb_or_hsv, uint32_t colorspace);

#pragma clang assume_nonnull end
