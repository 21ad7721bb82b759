#pragma once

#include <stdint.h>
#include <time.h>

enum {
    CS_CLOCK_REALTIME = CLOCK_REALTIME,
    CS_CLOCK_MONOTONIC = CLOCK_MONOTONIC,
    CS_CLOCK_BOOTTIME = CLOCK_BOOTTIME,
    CS_CLOCK_PROCESS = CLOCK_PROCESS_CPUTIME_ID,
    CS_CLOCK_THREAD = CLOCK_THREAD_CPUTIME_ID,
};

// clock_gettime(2) in nanoseconds.
int64_t cs_clock_ns(int clock);
