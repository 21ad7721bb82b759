#define _GNU_SOURCE
#include "cs_time.h"

#include "cs_result.h"

int64_t cs_clock_ns(int clock) {
    struct timespec now;
    int64_t result = CS_RETRY(int64_t, clock_gettime(clock, &now));
    return result < 0 ? result : (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
