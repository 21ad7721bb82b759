// floor NODE PICTURES: receives and drops pictures with the fewest calls there are, poll, VIDIOC_DQBUF and VIDIOC_QBUF, with
// four buffers that nobody maps: what the kernel itself takes, and nobody can do for less.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { buffers = 4 };

static int node;

static void request(unsigned long number, void *argument, const char *name) {
    if (ioctl(node, number, argument) == 0) return;
    perror(name);
    exit(1);
}

static struct v4l2_buffer buffer(unsigned index) {
    struct v4l2_buffer buffer;
    memset(&buffer, 0, sizeof(buffer));
    buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer.memory = V4L2_MEMORY_MMAP;
    buffer.index = index;
    return buffer;
}

int main(int count, char **words) {
    if (count != 3 || (node = open(words[1], O_RDWR | O_CLOEXEC)) < 0) {
        fprintf(stderr, "usage: floor NODE PICTURES\n");
        return 64;
    }
    struct v4l2_requestbuffers asked = {
        .count = buffers, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    request(VIDIOC_REQBUFS, &asked, "VIDIOC_REQBUFS");
    for (unsigned index = 0; index < asked.count; index++) {
        struct v4l2_buffer empty = buffer(index);
        request(VIDIOC_QBUF, &empty, "VIDIOC_QBUF");
    }
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    request(VIDIOC_STREAMON, &type, "VIDIOC_STREAMON");
    for (int left = atoi(words[2]); left > 0; left--) {
        struct pollfd ready = {.fd = node, .events = POLLIN};
        if (poll(&ready, 1, 5000) != 1) {
            fprintf(stderr, "floor: no picture for five seconds\n");
            return 1;
        }
        struct v4l2_buffer filled = buffer(0);
        request(VIDIOC_DQBUF, &filled, "VIDIOC_DQBUF");
        request(VIDIOC_QBUF, &filled, "VIDIOC_QBUF");
    }
    return 0;
}
