#define _GNU_SOURCE
#include "cs_time.h"

#include "cs_result.h"

int64_t cs_clock_ns(int clock) {
    struct timespec now;
    int64_t result = CS_RETRY(int64_t, clock_gettime(clock, &now));
    if (result < 0) return result;
    // A clock may be set beyond the year 2262, where the nanoseconds end.
    if (now.tv_sec >= INT64_MAX / 1000000000) return INT64_MAX;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
