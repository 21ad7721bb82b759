#pragma once

#include <stdint.h>

// RLIMIT_RTTIME of this process, which Glibc's module has no name for: how long a realtime thread may run without a blocking call,
// in microseconds. Both limits are lowered to it if they are higher; without privilege they can't be raised again.
int cs_rttime_lower(int64_t microseconds);
