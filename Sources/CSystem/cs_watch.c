#define _GNU_SOURCE
#include "cs_watch.h"

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cs_result.h"
#include "cs_time.h"

int cs_inotify_open(void) { return CS_RETRY(int, inotify_init1(IN_NONBLOCK | IN_CLOEXEC)); }

int cs_inotify_add(int fd, const char *path, uint32_t mask) { return CS_RETRY(int, inotify_add_watch(fd, path, mask)); }

int cs_inotify_remove(int fd, int watch) { return CS_RETRY(int, inotify_rm_watch(fd, watch)); }

int64_t cs_inotify_read(int fd, void *bytes, size_t capacity) { return CS_RETRY(int64_t, read(fd, bytes, capacity)); }

int64_t cs_inotify_event(const void *bytes, size_t count, size_t offset, struct cs_inotify_record *out) {
    struct inotify_event event;
    if (offset + sizeof event > count) return 0;
    // Copied out: a record in a byte buffer need not be aligned.
    memcpy(&event, (const char *)bytes + offset, sizeof event);
    if (offset + sizeof event + event.len > count) return 0;
    const char *name = (const char *)bytes + offset + sizeof event;
    if (event.len > 0 && name[event.len - 1] != 0) return 0;
    *out = (struct cs_inotify_record){
        .watch = event.wd, .mask = event.mask, .name = event.len > 0 ? name : ""};
    return (int64_t)(offset + sizeof event + event.len);
}

_Static_assert(sizeof(struct cs_poll_item) == sizeof(struct pollfd), "the two are one record");
_Static_assert(offsetof(struct cs_poll_item, revents) == offsetof(struct pollfd, revents), "the two are one record");

int cs_poll(struct cs_poll_item *items, size_t count, int timeout_ms) {
    return CS_RETRY(int, poll((struct pollfd *)items, (nfds_t)count, timeout_ms));
}

int cs_poll_until(struct cs_poll_item *items, size_t count, int64_t deadline_ns) {
    int result;
    do {
        int64_t left = deadline_ns == INT64_MAX ? INT64_MAX : deadline_ns - cs_clock_ns(CLOCK_MONOTONIC);
        if (left < 0) left = 0;
        struct timespec time = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        result = ppoll((struct pollfd *)items, (nfds_t)count, left == INT64_MAX ? NULL : &time, NULL);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

int cs_eventfd(uint32_t initial) { return CS_RETRY(int, eventfd(initial, EFD_CLOEXEC | EFD_NONBLOCK)); }

int cs_eventfd_signal(int fd) {
    uint64_t one = 1;
    int64_t written = CS_RETRY(int64_t, write(fd, &one, sizeof one));
    return written < 0 ? (int)written : 0;
}

int64_t cs_eventfd_take(int fd) {
    uint64_t value = 0;
    int64_t count = CS_RETRY(int64_t, read(fd, &value, sizeof value));
    return count < 0 ? count : (int64_t)value;
}
