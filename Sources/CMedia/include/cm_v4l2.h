// An open video node, by plain ioctl: v4l2_open and v4l2_ioctl of libv4l2 are variadic, take locks and convert on the
// calling thread.
#pragma once

#include "cm_fence.h"
#include <linux/videodev2.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cm_v4l2_capability {
    char driver[16];
    char card[32];
    char bus_info[32];
    uint32_t version;
    // Of the whole device, then of this node alone.
    uint32_t capabilities;
    uint32_t device_caps;
};

struct cm_v4l2_event {
    uint32_t type;
    uint32_t id;
    uint32_t sequence;
    uint32_t pending;
    // Of a source change: V4L2_EVENT_SRC_CH_RESOLUTION …
    uint32_t changes;
    // Of a control: its new value.
    int32_t value;
};

// The descriptor, non-blocking.
int32_t cm_v4l2_open(const char *path);
int32_t cm_v4l2_querycap(int32_t descriptor, struct cm_v4l2_capability *capability);
int32_t cm_v4l2_subscribe_event(int32_t descriptor, uint32_t type, uint32_t id);
// -ENOENT if none is pending.
int32_t cm_v4l2_dqevent(int32_t descriptor, struct cm_v4l2_event *event) CM_REALTIME;

#pragma clang assume_nonnull end
