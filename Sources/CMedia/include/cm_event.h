// Descriptors to wait for, and the clock.
#pragma once

#include "cm_fence.h"
#include <errno.h>
#include <poll.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Non-blocking, closed on exec.
int32_t cm_eventfd(void);
int32_t cm_eventfd_write(int32_t descriptor) CM_REALTIME;
// Number of writes since the last reading; -EAGAIN for none.
int64_t cm_eventfd_read(int32_t descriptor) CM_REALTIME;

// Both ends non-blocking, closed on exec.
int32_t cm_pipe(int32_t *reader, int32_t *writer);
// Another descriptor of the same file.
int32_t cm_duplicate(int32_t descriptor);
// Writes one byte; -EAGAIN for a full pipe.
int32_t cm_pipe_write(int32_t descriptor) CM_REALTIME;
// Takes bytes out, 4,096 at most: how many; 0 when nobody can write any more, -EAGAIN for an empty pipe.
int32_t cm_pipe_read(int32_t descriptor) CM_REALTIME;

// Of CLOCK_MONOTONIC, non-blocking, closed on exec.
int32_t cm_timerfd(void);
// Once, at an instant of CLOCK_MONOTONIC in ns; 0 disarms.
int32_t cm_timerfd_set(int32_t descriptor, int64_t instant) CM_REALTIME;
int64_t cm_timerfd_read(int32_t descriptor) CM_REALTIME;

// -1 waits for ever.
int32_t cm_poll(struct pollfd *_Nullable descriptors, int32_t count, int32_t milliseconds) CM_REALTIME;

// CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME in ns.
int64_t cm_monotonic(void) CM_REALTIME;
int64_t cm_realtime(void) CM_REALTIME;
int64_t cm_boottime(void) CM_REALTIME;

#pragma clang assume_nonnull end
