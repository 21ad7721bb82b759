#include "cm_v4l2_controls.h"
#include "cm_ioctl.h"
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>

_Static_assert(CM_V4L2_CTRL_NEXT == V4L2_CTRL_FLAG_NEXT_CTRL, "the kernel's own flag");
_Static_assert(CM_V4L2_CTRL_NEXT_COMPOUND == V4L2_CTRL_FLAG_NEXT_COMPOUND, "the kernel's own flag");

int32_t cm_v4l2_queryctrl(int32_t descriptor, uint32_t id, struct cm_v4l2_control *control) {
    struct v4l2_query_ext_ctrl raw;
    memset(&raw, 0, sizeof(raw));
    raw.id = id;
    int32_t result = cm_ioctl(descriptor, VIDIOC_QUERY_EXT_CTRL, &raw);
    if (result < 0) return result;
    control->id = raw.id;
    control->type = raw.type;
    control->flags = raw.flags;
    control->minimum = raw.minimum;
    control->maximum = raw.maximum;
    control->default_value = raw.default_value;
    control->step = raw.step;
    control->elements = raw.elems;
    snprintf(control->name, sizeof(control->name), "%s", raw.name);
    return 0;
}

int32_t cm_v4l2_querymenu(int32_t descriptor, uint32_t id, uint32_t index, struct cm_v4l2_menu *menu) {
    struct v4l2_querymenu raw = {.id = id, .index = index};
    int32_t result = cm_ioctl(descriptor, VIDIOC_QUERYMENU, &raw);
    if (result < 0) return result;
    // A union: which half holds depends on the control's type, so both are handed on.
    menu->value = raw.value;
    snprintf(menu->name, sizeof(menu->name), "%.31s", (const char *)raw.name);
    return 0;
}

int32_t cm_v4l2_g_ctrl(int32_t descriptor, uint32_t id, int32_t *value) {
    struct v4l2_control raw = {.id = id};
    int32_t result = cm_ioctl(descriptor, VIDIOC_G_CTRL, &raw);
    if (result >= 0) *value = raw.value;
    return result;
}

int32_t cm_v4l2_s_ctrl(int32_t descriptor, uint32_t id, int32_t value) {
    struct v4l2_control raw = {.id = id, .value = value};
    return cm_ioctl(descriptor, VIDIOC_S_CTRL, &raw);
}

// The structure has a pointer to the one control, and is packed: neither can be made in Swift.
static int32_t one(int32_t descriptor, unsigned long request, struct v4l2_ext_control *control) {
    struct v4l2_ext_controls all = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = control};
    return cm_ioctl(descriptor, request, &all);
}

int32_t cm_v4l2_g_ctrl64(int32_t descriptor, uint32_t id, int64_t *value) {
    struct v4l2_ext_control control = {.id = id};
    int32_t result = one(descriptor, VIDIOC_G_EXT_CTRLS, &control);
    if (result >= 0) *value = control.value64;
    return result;
}

int32_t cm_v4l2_s_ctrl64(int32_t descriptor, uint32_t id, int64_t value) {
    struct v4l2_ext_control control = {.id = id, .value64 = value};
    return one(descriptor, VIDIOC_S_EXT_CTRLS, &control);
}

int32_t cm_v4l2_g_text(int32_t descriptor, uint32_t id, char *text, uint32_t size) {
    struct v4l2_ext_control control = {.id = id, .size = size, .string = text};
    return one(descriptor, VIDIOC_G_EXT_CTRLS, &control);
}

int32_t cm_v4l2_s_text(int32_t descriptor, uint32_t id, const char *text, uint32_t size) {
    // The kernel reads it alone, but the field is of both calls.
    struct v4l2_ext_control control = {.id = id, .size = size, .string = (char *)(uintptr_t)text};
    return one(descriptor, VIDIOC_S_EXT_CTRLS, &control);
}
