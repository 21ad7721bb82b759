// A camera's client that does not take no for an answer: streams by memory mapping, and once its stream ends or stands still
// tries to start it again, in turn by each call that there is, on the old descriptor and on new ones.
//
//   clings NODE ATTEMPTS [CONTROLS]    the second thread of CONTROLS exchanges the descriptor while streams are started
//
// Says "streaming" at its first frame, and at the end "LAST FRAMES AFTER ATTEMPTS ERRNO": when the last frame came (CLOCK_MONOTONIC,
// nanoseconds), how many there were, how many came after the stream had ended, in how many attempts, and the last error.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { BUFFERS = 4, PATIENCE = 500, GLANCE = 3 };

static const char *node;
static int kept, null;
static long frames;
static int64_t last;
static atomic_int exchanging = 1;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int start(int fd) {
    struct v4l2_requestbuffers request = {
        .count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    if (ioctl(fd, VIDIOC_REQBUFS, &request) != 0) return -1;
    for (unsigned i = 0; i < request.count; i++) {
        struct v4l2_buffer buffer = {.index = i, .type = request.type, .memory = request.memory};
        if (ioctl(fd, VIDIOC_QUERYBUF, &buffer) != 0) return -1;
        mmap(NULL, buffer.length, PROT_READ, MAP_SHARED, fd, buffer.m.offset);
        if (ioctl(fd, VIDIOC_QBUF, &buffer) != 0) return -1;
    }
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    return ioctl(fd, VIDIOC_STREAMON, &type);
}

// One frame: 1 if it came in time.
static int take(int fd, int patience) {
    struct pollfd item = {.fd = fd, .events = POLLIN};
    struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    if (poll(&item, 1, patience) <= 0 || ioctl(fd, VIDIOC_DQBUF, &buffer) != 0) return 0;
    int64_t came = now();
    if (buffer.flags & V4L2_BUF_FLAG_ERROR) return 0;
    last = came;
    frames++;
    ioctl(fd, VIDIOC_QBUF, &buffer);
    return 1;
}

static int read_one(int fd) {
    static char picture[8 << 20];
    struct pollfd item = {.fd = fd, .events = POLLIN};
    poll(&item, 1, GLANCE);
    if (read(fd, picture, sizeof picture) <= 0) return 0;
    frames++;
    return 1;
}

// A new way each time. 1 for a frame.
static int attempt(long number) {
    int fd, got = 0, type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    switch (number % 6) {
    case 0: return start(kept) == 0 && take(kept, GLANCE);
    case 1: return ioctl(kept, VIDIOC_STREAMON, &type) == 0 || take(kept, GLANCE);
    case 2: return read_one(kept);
    case 3: // Another descriptor of the same file.
        fd = fcntl(kept, F_DUPFD_CLOEXEC, 10);
        got = start(fd) == 0 && take(fd, GLANCE);
        break;
    case 4: // Unseen by a filter.
        fd = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0) got = read_one(fd);
        break;
    default:
        fd = open(node, O_RDWR | O_NONBLOCK);
        if (fd >= 0) got = start(fd) == 0 ? take(fd, GLANCE) : read_one(fd);
    }
    if (fd >= 0) close(fd);
    return got;
}

// On one processor, code that reads the descriptor meets each of the two equally often.
static void *exchange(void *number) {
    int old = fcntl(kept, F_DUPFD_CLOEXEC, 20);
    while (exchanging) {
        dup2(null, *(int *)number);
        sched_yield();
        dup2(old, *(int *)number);
        sched_yield();
    }
    return NULL;
}

int main(int count, char **arguments) {
    if (count < 3) return 64;
    node = arguments[1];
    kept = open(node, O_RDWR | O_NONBLOCK);
    null = open("/dev/null", O_RDWR);
    if (kept < 0 || start(kept) != 0) return perror(node), 1;
    while (take(kept, PATIENCE)) {
        if (frames == 1) puts("streaming"), fflush(stdout);
    }
    fcntl(kept, F_SETFL, O_RDWR | O_NONBLOCK);
    pthread_t thread;
    if (count > 3) pthread_create(&thread, NULL, exchange, &kept);
    int64_t ended = last;
    long before = frames, attempts = atol(arguments[2]), after = 0;
    for (long i = 0; i < attempts; i++) after += attempt(i);
    printf("%" PRId64 " %ld %ld %ld %d\n", ended, before, after + frames - before, attempts, errno);
    return 0;
}
