// Preloaded (LD_PRELOAD), stands between a program and a V4L2 output.
//
//   STAMPS=FILE    each VIDIOC_QBUF adds a line: the stamp of the buffer, and CLOCK_MONOTONIC, both in microseconds
//   WRITTEN=FILE   makes of the kernel's driver one that says it is v4l2loopback's, and keeps what is written to it: write(2) of
//                  videobuf2, and so of vivid, is broken in Linux 6.12, where each answer is EINVAL
//   FULL=3         refuses each third picture with EAGAIN
//   TAKEN=1        v4l2loopback with exclusive_caps while another program sends to it: a camera alone
//   STREAMLESS=1   keeps the driver's name, and says that it does not stream
#define _GNU_SOURCE
#include "ioctl.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int node = -1, copy = -1;

static void disguise(int descriptor, struct v4l2_capability *capability) {
    const char *path = getenv("WRITTEN");
    if (!path || !(capability->device_caps & V4L2_CAP_VIDEO_OUTPUT)) return;
    node = descriptor;
    copy = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (getenv("TAKEN")) capability->device_caps ^= V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_VIDEO_CAPTURE;
    if (getenv("STREAMLESS"))
        capability->device_caps &= ~(unsigned)V4L2_CAP_STREAMING;
    else
        strcpy((char *)capability->driver, "v4l2 loopback");
}

static void note_stamp(const struct v4l2_buffer *buffer) {
    const char *path = getenv("STAMPS");
    if (!path || buffer->type != V4L2_BUF_TYPE_VIDEO_OUTPUT) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    FILE *file = fopen(path, "a");
    if (!file) return;
    fprintf(file, "%" PRId64 " %" PRId64 "\n", (int64_t)buffer->timestamp.tv_sec * 1000000 + buffer->timestamp.tv_usec,
        (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
    fclose(file);
}

static int answer(int descriptor, unsigned long request, void *argument) {
    if (request == VIDIOC_QBUF) note_stamp(argument);
    int result = ask_kernel(descriptor, request, argument);
    if (request == VIDIOC_QUERYCAP && result == 0) disguise(descriptor, argument);
    return result;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    typedef ssize_t call(int, const void *, size_t);
    static long pictures;
    int target = descriptor;
    if (descriptor == node && node >= 0) {
        const char *full = getenv("FULL");
        target = copy;
        if (full && ++pictures % atol(full) == 0) {
            errno = EAGAIN;
            return -1;
        }
    }
    return ((call *)dlsym(RTLD_NEXT, "write"))(target, bytes, count);
}
