// floor NODE PICTURES [memfd]: receives and drops pictures with the fewest calls there are, poll, VIDIOC_DQBUF and
// VIDIOC_QBUF, with four buffers that nobody maps: what the kernel itself takes, and nobody can do for less. With "memfd" the
// driver fills pages of the program's own instead (V4L2_MEMORY_USERPTR).
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { buffers = 4 };

static int node;
static enum v4l2_memory memory = V4L2_MEMORY_MMAP;
static char *pages;
static size_t length;

static void fail(const char *name) {
    perror(name);
    exit(1);
}

static void request(unsigned long number, void *argument, const char *name) {
    if (ioctl(node, number, argument) < 0) fail(name);
}

static struct v4l2_buffer buffer(unsigned index) {
    struct v4l2_buffer buffer;
    memset(&buffer, 0, sizeof(buffer));
    buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer.memory = memory;
    buffer.index = index;
    if (memory == V4L2_MEMORY_USERPTR) {
        buffer.m.userptr = (unsigned long)(pages + index * length);
        buffer.length = (unsigned)length;
    }
    return buffer;
}

static void take_own_pages(void) {
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    request(VIDIOC_G_FMT, &format, "VIDIOC_G_FMT");
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    length = (format.fmt.pix.sizeimage + page - 1) / page * page;
    int file = memfd_create("pictures", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)(buffers * length)) < 0) fail("memfd_create");
    pages = mmap(NULL, buffers * length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (pages == MAP_FAILED) fail("mmap");
    memory = V4L2_MEMORY_USERPTR;
}

int main(int count, char **words) {
    int own = count == 4 && strcmp(words[3], "memfd") == 0;
    if ((count != 3 && !own) || (node = open(words[1], O_RDWR | O_CLOEXEC)) < 0) {
        fprintf(stderr, "usage: floor NODE PICTURES [memfd]\n");
        return 64;
    }
    if (own) take_own_pages();
    struct v4l2_requestbuffers asked = {
        .count = buffers, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = memory};
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
