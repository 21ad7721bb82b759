// The inputs of a video node, the standards of an analogue one (TV), and the timings of a digital one (HDMI, SDI).
#pragma once

#include "cm_fence.h"
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cm_v4l2_input {
    uint32_t index;
    uint32_t type;
    // V4L2_IN_ST_NO_SIGNAL …
    uint32_t status;
    // V4L2_IN_CAP_DV_TIMINGS …
    uint32_t capabilities;
    // V4L2_STD_* that it takes; 0 for one that knows none.
    uint64_t standards;
    char name[32];
};

struct cm_v4l2_timings {
    uint32_t width, height, interlaced;
    // Frames in `denominator` seconds.
    uint64_t numerator, denominator;
    // struct v4l2_dv_timings as the driver gave it: packed, so Swift could not read it.
    uint8_t raw[132];
};

// Part of its image that a device captures, and part of the buffer that this fills.
struct cm_v4l2_size {
    uint32_t width, height;
};

struct cm_v4l2_cropcap {
    // Aspect of an unscaled pixel, height to width: 54/59 is wider than high.
    uint32_t aspect_numerator, aspect_denominator;
    // Part that it captures by default.
    struct cm_v4l2_size standard;
};

int32_t cm_v4l2_enuminput(int32_t descriptor, uint32_t index, struct cm_v4l2_input *input);
// V4L2_IN_ST_* alone, by VIDIOC_ENUMINPUT.
int32_t cm_v4l2_input_status(int32_t descriptor, uint32_t index, uint32_t *status) CM_REALTIME;
// The current input's index.
int32_t cm_v4l2_g_input(int32_t descriptor);
int32_t cm_v4l2_s_input(int32_t descriptor, uint32_t index);
// V4L2_STD_* of the current input: the one that is set, and the signal's, 0 without a signal.
int32_t cm_v4l2_g_std(int32_t descriptor, uint64_t *standard);
int32_t cm_v4l2_s_std(int32_t descriptor, uint64_t standard);
int32_t cm_v4l2_querystd(int32_t descriptor, uint64_t *standard);
// VIDIOC_G_STD: 525 or 625 lines, 0 for any other; -ENODATA for what has no television standard.
int32_t cm_v4l2_standard_lines(int32_t descriptor);
int32_t cm_v4l2_cropcap(int32_t descriptor, uint32_t buffer_type, struct cm_v4l2_cropcap *capability);
// VIDIOC_G_SELECTION: V4L2_SEL_TGT_CROP, V4L2_SEL_TGT_COMPOSE.
int32_t cm_v4l2_g_selection(int32_t descriptor, uint32_t buffer_type, uint32_t target, struct cm_v4l2_size *size);
// What the signal has: -ENOLINK without one.
int32_t cm_v4l2_query_dv_timings(int32_t descriptor, struct cm_v4l2_timings *timings) CM_REALTIME;
// Timings that the current input supports; -EINVAL after the last index.
int32_t cm_v4l2_enum_dv_timings(int32_t descriptor, uint32_t index, struct cm_v4l2_timings *timings);
int32_t cm_v4l2_g_dv_timings(int32_t descriptor, struct cm_v4l2_timings *timings);
int32_t cm_v4l2_s_dv_timings(int32_t descriptor, const struct cm_v4l2_timings *timings);

#pragma clang assume_nonnull end
