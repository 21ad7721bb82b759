// What the realtime side is measured against, in C and C++ as its authors would write it.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Keeps the calling thread on one processor.
void peer_pin(int32_t processor);

// A bounded queue for one producer and one consumer, after Erik Rigtorp's SPSCQueue: items of `item_bytes` (64, 128, 4096,
// 4160 or 614400) go from one thread to another, copied in and copied out. Returns the time that all took, in ns; 0 for
// another size.
int64_t peer_queue_run(int64_t item_bytes, int64_t slots, int64_t items);

// The same with 128 or 4160 bytes, each item published by a locked exchange.
int64_t peer_locked_queue_run(int64_t item_bytes, int64_t slots, int64_t items);

// memcpy alone, one thread: in and out of as many slots, in turn. ns.
int64_t peer_copy_run(int64_t item_bytes, int64_t slots, int64_t items);

// A thread at SCHED_FIFO `priority` that wakes up by a timerfd every `period` ns from `first` on (CLOCK_MONOTONIC), copies
// `bytes` into a ring, publishes them with one release store and wakes a reader. How late each was published, in ns, goes
// to `late`, `count` times. Returns 0 or -errno. `*achieved` is whether it got its priority.
int32_t peer_ticks(
    int64_t first, int64_t period, int64_t bytes, int32_t priority, int64_t *late, int64_t count, int32_t *achieved);

#ifdef __cplusplus
}
#endif
