// Preloaded (LD_PRELOAD), makes of the kernel's driver one that hands on what nobody has checked, as v4l2loopback does
// with what the program at its other end says.
//
// A picture whose number ends in 4 claims to have 4 GiB, one whose number ends in 8 a byte more than its buffer. With
// OVERSTATED_INDEX=N picture N claims to be in a buffer that there is not.
#define _GNU_SOURCE
#include "ioctl.h"
#include <linux/videodev2.h>
#include <stdint.h>
#include <stdlib.h>

static void overstate(struct v4l2_buffer *buffer) {
    if (V4L2_TYPE_IS_MULTIPLANAR(buffer->type)) return;
    if (buffer->sequence % 10 == 4) buffer->bytesused = UINT32_MAX;
    if (buffer->sequence % 10 == 8) buffer->bytesused = buffer->length + 1;
    const char *index = getenv("OVERSTATED_INDEX");
    if (index && buffer->sequence == (uint32_t)atol(index)) buffer->index = UINT32_MAX;
}

static int answer(int descriptor, unsigned long request, void *argument) {
    int result = ask_kernel(descriptor, request, argument);
    if (request == VIDIOC_DQBUF && result == 0) overstate(argument);
    return result;
}
