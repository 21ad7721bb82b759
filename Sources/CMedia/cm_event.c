#define _GNU_SOURCE
#include "cm_event.h"
#include "cm_fault.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int64_t read_count(int32_t descriptor) {
    uint64_t count = 0;
    ssize_t result;
    do {
        result = CM_ERRNO(read, descriptor, &count, sizeof(count));
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : (int64_t)count;
}

int32_t cm_eventfd(void) {
    int descriptor = CM_ERRNO(eventfd, 0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

int32_t cm_eventfd_write(int32_t descriptor) {
    uint64_t one = 1;
    ssize_t result;
    do {
        result = write(descriptor, &one, sizeof(one));
    } while (result < 0 && errno == EINTR);
    // What says EAGAIN is readable all the same: the count is full.
    return CM_AFTER(write, result < 0 ? -errno : 0);
}

int64_t cm_eventfd_read(int32_t descriptor) { return read_count(descriptor); }

int32_t cm_pipe(int32_t *reader, int32_t *writer) {
    int ends[2];
    if (CM_ERRNO(pipe2, ends, O_CLOEXEC | O_NONBLOCK) < 0) return -errno;
    *reader = ends[0];
    *writer = ends[1];
    return 0;
}

int32_t cm_duplicate(int32_t descriptor) {
    int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    return own < 0 ? -errno : own;
}

int32_t cm_pipe_write(int32_t descriptor) {
    ssize_t result;
    do {
        result = CM_ERRNO(write, descriptor, "", 1);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int32_t cm_pipe_read(int32_t descriptor) {
    char bytes[4096];
    ssize_t result;
    do {
        result = CM_ERRNO(read, descriptor, bytes, sizeof(bytes));
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : (int32_t)result;
}

int32_t cm_timerfd(void) {
    int descriptor = CM_ERRNO(timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

int32_t cm_timerfd_set(int32_t descriptor, int64_t instant) {
    struct itimerspec when = {{0, 0}, {instant / 1000000000, instant % 1000000000}};
    return CM_ERRNO(timerfd_settime, descriptor, TFD_TIMER_ABSTIME, &when, NULL) < 0 ? -errno : 0;
}

int64_t cm_timerfd_read(int32_t descriptor) { return read_count(descriptor); }

// An interrupted wait counts as ended: its caller reads the clock anyway. If it waited again for the whole time-out, a signal
// every few milliseconds could extend it forever.
int32_t cm_poll(struct pollfd *descriptors, int32_t count, int32_t milliseconds) {
    int result = CM_ERRNO(poll, descriptors, (nfds_t)count, milliseconds);
    if (result < 0 && errno == EINTR) {
        for (int32_t i = 0; i < count; i++) descriptors[i].revents = 0;
        return 0;
    }
    return result < 0 ? -errno : result;
}

static int64_t now(clockid_t clock) {
    struct timespec instant;
    clock_gettime(clock, &instant);
    return (int64_t)instant.tv_sec * 1000000000 + instant.tv_nsec;
}

int64_t cm_monotonic(void) { return now(CLOCK_MONOTONIC); }
int64_t cm_realtime(void) { return now(CLOCK_REALTIME); }
int64_t cm_boottime(void) { return now(CLOCK_BOOTTIME); }
