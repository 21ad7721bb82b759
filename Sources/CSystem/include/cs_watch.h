#pragma once

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>

// Why shims: eventfd and inotify are not in Swift's Glibc module everywhere, and inotify's records have a flexible
// array at their end.

enum {
    CS_WATCH_MODIFY = IN_MODIFY,
    CS_WATCH_ATTRIBUTES = IN_ATTRIB,
    CS_WATCH_CLOSE_WRITE = IN_CLOSE_WRITE,
    CS_WATCH_CLOSE_UNWRITTEN = IN_CLOSE_NOWRITE,
    CS_WATCH_OPEN = IN_OPEN,
    CS_WATCH_MOVED_FROM = IN_MOVED_FROM,
    CS_WATCH_MOVED_TO = IN_MOVED_TO,
    CS_WATCH_CREATE = IN_CREATE,
    CS_WATCH_DELETE = IN_DELETE,
    CS_WATCH_DELETE_SELF = IN_DELETE_SELF,
    CS_WATCH_MOVE_SELF = IN_MOVE_SELF,
    CS_WATCH_DIRECTORY_ONLY = IN_ONLYDIR,
    CS_WATCH_OVERFLOW = IN_Q_OVERFLOW,
    CS_WATCH_IGNORED = IN_IGNORED,
};

struct cs_inotify_record {
    int32_t watch;
    uint32_t mask;
    const char *name;  // of the entry in the watched directory, else empty; within the bytes it was read from
};

// Nonblocking.
int cs_inotify_open(void);
int cs_inotify_add(int fd, const char *path, uint32_t mask);
int cs_inotify_remove(int fd, int watch);
// Fills `bytes` with whole records; -EAGAIN if none exists.
int64_t cs_inotify_read(int fd, void *bytes, size_t capacity);
// Decodes the record at `offset` and returns the offset of the next; 0 if none exists at `offset`.
int64_t cs_inotify_event(const void *bytes, size_t count, size_t offset, struct cs_inotify_record *out);

struct cs_poll_item {
    int fd;
    short events;
    short revents;
};

enum {
    CS_POLL_IN = POLLIN,
    CS_POLL_PRI = POLLPRI,
    CS_POLL_OUT = POLLOUT,
    CS_POLL_ERR = POLLERR,
    CS_POLL_HUP = POLLHUP,
    CS_POLL_INVALID = POLLNVAL,
};

// A negative time-out waits forever. After an interruption the time-out starts again.
int cs_poll(struct cs_poll_item *items, size_t count, int timeout_ms);
// The same until a time of CLOCK_MONOTONIC in nanoseconds (INT64_MAX: for ever), interrupted or not; 0 once it is past.
int cs_poll_until(struct cs_poll_item *items, size_t count, int64_t deadline_ns);

// Nonblocking.
int cs_eventfd(uint32_t initial);
int cs_eventfd_signal(int fd);
// The count since the last call; -EAGAIN if nobody signalled.
int64_t cs_eventfd_take(int fd);
