// The controls of a video node: exposure, gain, focus, privacy …
#pragma once

#include "cm_fence.h"
#include <stdint.h>

#pragma clang assume_nonnull begin

// Or-ed to an id: the next control after it; with the second flag also one whose value has many parts.
#define CM_V4L2_CTRL_NEXT 0x80000000u
#define CM_V4L2_CTRL_NEXT_COMPOUND 0x40000000u

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

// VIDIOC_QUERY_EXT_CTRL; -EINVAL if none exists.
int32_t cm_v4l2_queryctrl(int32_t descriptor, uint32_t id, struct cm_v4l2_control *control);
int32_t cm_v4l2_querymenu(int32_t descriptor, uint32_t id, uint32_t index, struct cm_v4l2_menu *menu);
int32_t cm_v4l2_g_ctrl(int32_t descriptor, uint32_t id, int32_t *value) CM_REALTIME;
int32_t cm_v4l2_s_ctrl(int32_t descriptor, uint32_t id, int32_t value);
// VIDIOC_G_EXT_CTRLS and VIDIOC_S_EXT_CTRLS of one control, for what the two before can't: 64 bits, and text of `size`
// bytes with the zero at its end.
int32_t cm_v4l2_g_ctrl64(int32_t descriptor, uint32_t id, int64_t *value);
int32_t cm_v4l2_s_ctrl64(int32_t descriptor, uint32_t id, int64_t value);
int32_t cm_v4l2_g_text(int32_t descriptor, uint32_t id, char *text, uint32_t size);
int32_t cm_v4l2_s_text(int32_t descriptor, uint32_t id, const char *text, uint32_t size);

#pragma clang assume_nonnull end
