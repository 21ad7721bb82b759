// Preloaded (LD_PRELOAD) into a program with one camera, notes what the kernel gave it: an independent witness of what
// the program says it got. Each line is written at once, so the end of the program, however it ends, loses none.
//
//   CAPTUREGATE_DEQUEUED=FILE   where the lines go
//
//   NOW on                                     VIDIOC_STREAMON
//   NOW off                                    VIDIOC_STREAMOFF
//   NOW took SEQUENCE GAP ERROR BYTES STAMP    VIDIOC_DQBUF
//
// NOW is CLOCK_MONOTONIC in nanoseconds. GAP numbers are missing before SEQUENCE, ERROR is V4L2_BUF_FLAG_ERROR as 0 or
// 1, STAMP the driver's own in microseconds.
#define _GNU_SOURCE
#include "ioctl.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/videodev2.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int file = -1;
// The number that comes next if none is missing; above 32 bits: not known.
static _Atomic int64_t due = INT64_MAX;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CAPTUREGATE_DEQUEUED");
    if (path) file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

// One call, so lines of two threads do not mix.
static void note(const char *what) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    char line[160];
    int64_t nanoseconds = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    int length = snprintf(line, sizeof line, "%" PRId64 " %s\n", nanoseconds, what);
    if (write(file, line, (size_t)length) != length) abort();
}

static uint32_t bytes(const struct v4l2_buffer *buffer) {
    if (!V4L2_TYPE_IS_MULTIPLANAR(buffer->type)) return buffer->bytesused;
    uint32_t sum = 0;
    for (uint32_t plane = 0; plane < buffer->length; plane++) sum += buffer->m.planes[plane].bytesused;
    return sum;
}

static void took(const struct v4l2_buffer *buffer) {
    int64_t expected = atomic_exchange(&due, (uint32_t)(buffer->sequence + 1));
    uint32_t gap = expected == INT64_MAX ? 0 : buffer->sequence - (uint32_t)expected;
    char text[128];
    snprintf(text, sizeof text, "took %" PRIu32 " %" PRIu32 " %d %" PRIu32 " %" PRId64, buffer->sequence, gap,
        (buffer->flags & V4L2_BUF_FLAG_ERROR) != 0, bytes(buffer),
        (int64_t)buffer->timestamp.tv_sec * 1000000 + buffer->timestamp.tv_usec);
    note(text);
}

static void witness(unsigned long request, const void *argument) {
    int error = errno;
    if (request == VIDIOC_STREAMON) {
        atomic_store(&due, INT64_MAX);
        note("on");
    }
    if (request == VIDIOC_STREAMOFF) note("off");
    if (request == VIDIOC_DQBUF) took(argument);
    errno = error;
}

static int answer(int descriptor, unsigned long request, void *argument) {
    int result = ask_kernel(descriptor, request, argument);
    if (file >= 0 && result == 0) witness(request, argument);
    return result;
}
