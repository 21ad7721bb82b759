#include "cm_v4l2_streaming.h"
#include "cm_ioctl.h"
#include <string.h>

// A buffer as the ioctls want it, with room for the planes of a multiplanar one.
static struct v4l2_buffer blank(uint32_t buffer_type, uint32_t index, struct v4l2_plane *planes) {
    struct v4l2_buffer raw;
    memset(&raw, 0, sizeof(raw));
    raw.type = buffer_type;
    raw.memory = V4L2_MEMORY_MMAP;
    raw.index = index;
    if (buffer_type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE) {
        memset(planes, 0, sizeof(*planes) * VIDEO_MAX_PLANES);
        raw.m.planes = planes;
        raw.length = VIDEO_MAX_PLANES;
    }
    return raw;
}

static int32_t request(int32_t descriptor, uint32_t buffer_type, uint32_t memory, uint32_t count) {
    struct v4l2_requestbuffers raw = {.count = count, .type = buffer_type, .memory = memory};
    int32_t result = cm_ioctl(descriptor, VIDIOC_REQBUFS, &raw);
    return result < 0 ? result : (int32_t)raw.count;
}

int32_t cm_v4l2_reqbufs(int32_t descriptor, uint32_t buffer_type, uint32_t count) {
    return request(descriptor, buffer_type, V4L2_MEMORY_MMAP, count);
}

int32_t cm_v4l2_reqbufs_userptr(int32_t descriptor, uint32_t buffer_type, uint32_t count) {
    return request(descriptor, buffer_type, V4L2_MEMORY_USERPTR, count);
}

int32_t cm_v4l2_querybuf(int32_t descriptor, uint32_t buffer_type, uint32_t index, struct cm_v4l2_place *place) {
    struct v4l2_plane planes[VIDEO_MAX_PLANES];
    struct v4l2_buffer raw = blank(buffer_type, index, planes);
    int32_t result = cm_ioctl(descriptor, VIDIOC_QUERYBUF, &raw);
    if (result < 0) return result;
    if (buffer_type != V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE) {
        *place = (struct cm_v4l2_place){1, {raw.length}, {raw.m.offset}};
        return 0;
    }
    if (raw.length > CM_V4L2_PLANES) return -ENOTSUP;
    place->planes = raw.length;
    for (uint32_t plane = 0; plane < raw.length; plane++) {
        place->length[plane] = planes[plane].length;
        place->offset[plane] = planes[plane].m.mem_offset;
    }
    return 0;
}

int32_t cm_v4l2_qbuf(int32_t descriptor, uint32_t buffer_type, uint32_t index) {
    struct v4l2_plane planes[VIDEO_MAX_PLANES];
    struct v4l2_buffer raw = blank(buffer_type, index, planes);
    return cm_ioctl(descriptor, VIDIOC_QBUF, &raw);
}

// Seconds times 10^9 may pass the range: a stamp that a driver wraps is repaired by who reads it, not undefined.
static int64_t nanoseconds(struct timeval stamp) {
    return (int64_t)((uint64_t)stamp.tv_sec * 1000000000u + (uint64_t)stamp.tv_usec * 1000u);
}

int32_t cm_v4l2_dqbuf(int32_t descriptor, uint32_t buffer_type, struct cm_v4l2_buffer *buffer) {
    struct v4l2_plane planes[VIDEO_MAX_PLANES];
    struct v4l2_buffer raw = blank(buffer_type, 0, planes);
    int32_t result = cm_ioctl(descriptor, VIDIOC_DQBUF, &raw);
    if (result < 0) return result;
    int many = buffer_type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
    uint32_t count = many ? raw.length : 1;
    if (count > CM_V4L2_PLANES) return -ENOTSUP;
    *buffer = (struct cm_v4l2_buffer){
        raw.index, raw.flags, raw.field, raw.sequence, nanoseconds(raw.timestamp), count, {raw.bytesused}, {0}};
    for (uint32_t plane = 0; many && plane < count; plane++) {
        buffer->bytesused[plane] = planes[plane].bytesused;
        buffer->data_offset[plane] = planes[plane].data_offset;
    }
    return 0;
}

int32_t cm_v4l2_streamon(int32_t descriptor, uint32_t buffer_type) {
    int type = (int)buffer_type;
    return cm_ioctl(descriptor, VIDIOC_STREAMON, &type);
}

int32_t cm_v4l2_streamoff(int32_t descriptor, uint32_t buffer_type) {
    int type = (int)buffer_type;
    return cm_ioctl(descriptor, VIDIOC_STREAMOFF, &type);
}
