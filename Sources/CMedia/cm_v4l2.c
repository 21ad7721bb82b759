#define _GNU_SOURCE
#include "cm_v4l2.h"
#include "cm_fault.h"
#include "cm_ioctl.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

int32_t cm_v4l2_open(const char *path) {
    int descriptor;
    do {
        descriptor = CM_ERRNO(open, path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor < 0 ? -errno : descriptor;
}

int32_t cm_v4l2_querycap(int32_t descriptor, struct cm_v4l2_capability *capability) {
    struct v4l2_capability raw;
    memset(&raw, 0, sizeof(raw));
    int32_t result = cm_ioctl(descriptor, VIDIOC_QUERYCAP, &raw);
    if (result < 0) return result;
    snprintf(capability->driver, sizeof(capability->driver), "%.15s", (const char *)raw.driver);
    snprintf(capability->card, sizeof(capability->card), "%.31s", (const char *)raw.card);
    snprintf(capability->bus_info, sizeof(capability->bus_info), "%.31s", (const char *)raw.bus_info);
    capability->version = raw.version;
    capability->capabilities = raw.capabilities;
    capability->device_caps = raw.capabilities & V4L2_CAP_DEVICE_CAPS ? raw.device_caps : raw.capabilities;
    return 0;
}

int32_t cm_v4l2_subscribe_event(int32_t descriptor, uint32_t type, uint32_t id) {
    struct v4l2_event_subscription subscription = {.type = type, .id = id};
    return cm_ioctl(descriptor, VIDIOC_SUBSCRIBE_EVENT, &subscription);
}

int32_t cm_v4l2_dqevent(int32_t descriptor, struct cm_v4l2_event *event) {
    struct v4l2_event raw;
    memset(&raw, 0, sizeof(raw));
    int32_t result = cm_ioctl(descriptor, VIDIOC_DQEVENT, &raw);
    if (result < 0) return result;
    uint32_t changes = raw.type == V4L2_EVENT_SOURCE_CHANGE ? raw.u.src_change.changes : 0;
    int32_t value = raw.type == V4L2_EVENT_CTRL ? raw.u.ctrl.value : 0;
    *event = (struct cm_v4l2_event){raw.type, raw.id, raw.sequence, raw.pending, changes, value};
    return 0;
}
