// Preloaded (LD_PRELOAD), makes of the kernel's driver one that hands on empty and short pictures as they are, without
// an error flag, as other drivers do: uvcvideo keeps the empty to itself and flags the short.
//
// A picture whose number ends in 2 has no bytes, one whose number ends in 6 has half of them.
#define _GNU_SOURCE
#include "ioctl.h"
#include <linux/videodev2.h>

static void lessen(struct v4l2_buffer *buffer) {
    if (V4L2_TYPE_IS_MULTIPLANAR(buffer->type)) return;
    if (buffer->sequence % 10 == 2) buffer->bytesused = 0;
    if (buffer->sequence % 10 == 6) buffer->bytesused /= 2;
}

static int answer(int descriptor, unsigned long request, void *argument) {
    int result = ask_kernel(descriptor, request, argument);
    if (request == VIDIOC_DQBUF && result == 0) lessen(argument);
    return result;
}
