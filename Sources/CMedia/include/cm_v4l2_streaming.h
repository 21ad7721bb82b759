// Streaming with the driver's own buffers (V4L2_MEMORY_MMAP).
#pragma once

#include "cm_fence.h"
#include "cm_v4l2_formats.h"
#include <stdint.h>

#pragma clang assume_nonnull begin

// Where a buffer's planes lie, for cm_map.
struct cm_v4l2_place {
    uint32_t planes;
    uint32_t length[CM_V4L2_PLANES];
    uint32_t offset[CM_V4L2_PLANES];
};

struct cm_v4l2_buffer {
    uint32_t index;
    // V4L2_BUF_FLAG_ERROR, V4L2_BUF_FLAG_TIMESTAMP_MASK …
    uint32_t flags;
    uint32_t field;
    uint32_t sequence;
    // The driver's stamp in ns, wrapping as it likes.
    int64_t timestamp;
    uint32_t planes;
    uint32_t bytesused[CM_V4L2_PLANES];
    uint32_t data_offset[CM_V4L2_PLANES];
};

// How many buffers the driver gave; 0 gives them back.
int32_t cm_v4l2_reqbufs(int32_t descriptor, uint32_t buffer_type, uint32_t count);
// The same for buffers of the caller's own (V4L2_MEMORY_USERPTR); -EINVAL where the driver has none of that kind.
int32_t cm_v4l2_reqbufs_userptr(int32_t descriptor, uint32_t buffer_type, uint32_t count);
int32_t cm_v4l2_querybuf(int32_t descriptor, uint32_t buffer_type, uint32_t index, struct cm_v4l2_place *place);
int32_t cm_v4l2_qbuf(int32_t descriptor, uint32_t buffer_type, uint32_t index) CM_REALTIME;
// -EAGAIN when none is filled.
int32_t cm_v4l2_dqbuf(int32_t descriptor, uint32_t buffer_type, struct cm_v4l2_buffer *buffer) CM_REALTIME;
int32_t cm_v4l2_streamon(int32_t descriptor, uint32_t buffer_type) CM_REALTIME;
int32_t cm_v4l2_streamoff(int32_t descriptor, uint32_t buffer_type) CM_REALTIME;

#pragma clang assume_nonnull end
