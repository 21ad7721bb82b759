#define _GNU_SOURCE
#include "cm_v4l2_output.h"
#include "cm_fault.h"
#include "cm_ioctl.h"
#include <string.h>
#include <unistd.h>

int32_t cm_v4l2_qbuf_output(int32_t descriptor, uint32_t index, uint32_t bytesused, int64_t timestamp) {
    struct v4l2_buffer raw;
    memset(&raw, 0, sizeof(raw));
    raw.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    raw.memory = V4L2_MEMORY_MMAP;
    raw.index = index;
    raw.bytesused = bytesused;
    raw.field = V4L2_FIELD_NONE;
    raw.timestamp.tv_sec = timestamp / 1000000000;
    raw.timestamp.tv_usec = timestamp % 1000000000 / 1000;
    return cm_ioctl(descriptor, VIDIOC_QBUF, &raw);
}

int64_t cm_v4l2_write(int32_t descriptor, const void *frame, int64_t bytes) {
    ssize_t result;
    do {
        result = CM_ERRNO(write, descriptor, frame, (size_t)bytes);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}
