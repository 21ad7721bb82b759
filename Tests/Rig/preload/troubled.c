// Preloaded (LD_PRELOAD) into a program with one camera, has its driver fall into trouble that lasts.
//
//   CAPTUREGATE_TROUBLE=error      poll(2) says POLLERR again and again, and VIDIOC_DQBUF has nothing
//   CAPTUREGATE_TROUBLE=readable   the same with POLLIN
//   CAPTUREGATE_TROUBLE=io         poll(2) says POLLIN, and VIDIOC_DQBUF says EIO
//   CAPTUREGATE_TROUBLE_AFTER=N    once it has given so many pictures
//   CAPTUREGATE_TROUBLE_FOR=MS     for so long; for ever where it is left out
//   CAPTUREGATE_TROUBLED=FILE      where these lines go: NOW WHAT THREAD PROCESS CALLS
//
// NOW is CLOCK_MONOTONIC in nanoseconds. WHAT is `begun`, `over`, or `off` at a VIDIOC_STREAMOFF in between. THREAD and
// PROCESS are what the capture thread and the whole program have used of a processor, in microseconds; CALLS is how often
// it has asked for a picture in vain since the beginning.
#define _GNU_SOURCE
#include "ioctl.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char *trouble;
static long due;
static int64_t length;
static int file = -1;

static _Atomic int camera = -1;
static _Atomic long pictures;
static _Atomic int64_t begun; // 0: not yet
static _Atomic int over;
static _Atomic long calls;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int64_t used(int whose) {
    struct rusage usage;
    getrusage(whose, &usage);
    int64_t seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
    return seconds * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

__attribute__((constructor)) static void begin(void) {
    const char *after = getenv("CAPTUREGATE_TROUBLE_AFTER"), *lasts = getenv("CAPTUREGATE_TROUBLE_FOR");
    const char *path = getenv("CAPTUREGATE_TROUBLED");
    trouble = getenv("CAPTUREGATE_TROUBLE");
    due = after ? atol(after) : 0;
    length = lasts ? atol(lasts) * INT64_C(1000000) : INT64_MAX;
    if (path) file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static void note(const char *what) {
    char line[160];
    int size = snprintf(line, sizeof line, "%" PRId64 " %s %" PRId64 " %" PRId64 " %ld\n", now(), what,
        used(RUSAGE_THREAD), used(RUSAGE_SELF), calls);
    if (file >= 0 && write(file, line, (size_t)size) != size) abort();
}

// Asked on the capture thread alone.
static int is_troubled(void) {
    if (!trouble || over || pictures < due) return 0;
    if (!begun) {
        note("begun");
        begun = now();
    }
    if (length == INT64_MAX || now() - begun < length) return 1;
    over = 1;
    note("over");
    return 0;
}

static int answer(int descriptor, unsigned long request, void *argument) {
    if (request == VIDIOC_STREAMON) camera = descriptor;
    if (request == VIDIOC_STREAMOFF && begun && !over) note("off");
    if (request == VIDIOC_DQBUF && is_troubled()) {
        calls++;
        errno = strcmp(trouble, "io") == 0 ? EIO : EAGAIN;
        return -1;
    }
    int result = ask_kernel(descriptor, request, argument);
    if (request == VIDIOC_DQBUF && result == 0) pictures++;
    return result;
}

typedef int poll_call(struct pollfd *, nfds_t, int);

// The camera's descriptor is ready at once; the others are polled meanwhile.
static int poll_in_trouble(poll_call *next, struct pollfd *entries, nfds_t count, nfds_t place) {
    entries[place].fd = -1;
    int called = next(entries, count, 0);
    entries[place].fd = camera;
    entries[place].revents = strcmp(trouble, "error") == 0 ? POLLERR : POLLIN;
    return called < 0 ? called : called + 1;
}

int poll(struct pollfd *entries, nfds_t count, int milliseconds) {
    poll_call *next = (poll_call *)dlsym(RTLD_NEXT, "poll");
    for (nfds_t place = 0; camera >= 0 && place < count; place++)
        if (entries[place].fd == camera && is_troubled()) return poll_in_trouble(next, entries, count, place);
    return next(entries, count, milliseconds);
}
