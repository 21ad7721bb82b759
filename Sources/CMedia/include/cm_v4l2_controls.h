// The controls of a video node: exposure, gain, focus, privacy …
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

// Or-ed to an id: the next control after it, also a compound one's.
#define CM_V4L2_CTRL_NEXT 0x80000000u

struct cm_v4l2_control {
    uint32_t id;
    // V4L2_CTRL_TYPE_*
    uint32_t type;
    // V4L2_CTRL_FLAG_*
    uint32_t flags;
    int64_t minimum, maximum, default_value;
    uint64_t step;
    uint32_t elements;
    char name[32];
};

struct cm_v4l2_menu {
    // Of an integer menu.
    int64_t value;
    // Of any other.
    char name[32];
};

// VIDIOC_QUERY_EXT_CTRL; -EINVAL where there is none.
int32_t cm_v4l2_queryctrl(int32_t descriptor, uint32_t id, struct cm_v4l2_control *control);
int32_t cm_v4l2_querymenu(int32_t descriptor, uint32_t id, uint32_t index, struct cm_v4l2_menu *menu);
int32_t cm_v4l2_g_ctrl(int32_t descriptor, uint32_t id, int32_t *value);
int32_t cm_v4l2_s_ctrl(int32_t descriptor, uint32_t id, int32_t value);

#pragma clang assume_nonnull end
