#pragma once

#include <stdint.h>
#include <time.h>

enum {
    CS_CLOCK_REALTIME = CLOCK_REALTIME,
    CS_CLOCK_MONOTONIC = CLOCK_MONOTONIC,
    CS_CLOCK_BOOTTIME = CLOCK_BOOTTIME,
};

// clock_gettime(2) in nanoseconds.
int64_t cs_clock_ns(int clock);
