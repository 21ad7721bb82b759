// Video node that accepts frames: an output (V4L2_CAP_VIDEO_OUTPUT). Its formats, rate and buffers are those of cm_v4l2_formats.h
// and cm_v4l2_streaming.h, with V4L2_BUF_TYPE_VIDEO_OUTPUT as the buffer type; struct v4l2_outputparm has its rate at the same
// place as struct v4l2_captureparm.
#pragma once

#include "cm_v4l2_streaming.h"
#include <stdint.h>

#pragma clang assume_nonnull begin

// VIDIOC_QBUF of a buffer that holds `bytesused` bytes, with a stamp in ns that drivers with V4L2_BUF_FLAG_TIMESTAMP_COPY
// hand on; the others set their own.
int32_t cm_v4l2_qbuf_output(int32_t descriptor, uint32_t index, uint32_t bytesused, int64_t timestamp);
// write(2) of one frame: the number of bytes written, or -EAGAIN if there is no free buffer.
int64_t cm_v4l2_write(int32_t descriptor, const void *frame, int64_t bytes);

#pragma clang assume_nonnull end
