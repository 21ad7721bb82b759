#define _GNU_SOURCE
#include "cs_realtime.h"

#include <sys/resource.h>

#include "cs_result.h"

int cs_rttime_lower(int64_t microseconds) {
    struct rlimit limit;
    int result = CS_RETRY(int, getrlimit(RLIMIT_RTTIME, &limit));
    if (result < 0) return result;
    rlim_t most = (rlim_t)microseconds;
    if (limit.rlim_max <= most && limit.rlim_cur <= most) return 0;
    if (limit.rlim_max > most) limit.rlim_max = most;
    if (limit.rlim_cur > most) limit.rlim_cur = most;
    return CS_RETRY(int, setrlimit(RLIMIT_RTTIME, &limit));
}
