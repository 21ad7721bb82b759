#pragma once

#include <stdint.h>

// RLIMIT_RTTIME of this process, which Glibc's module has no name for: how long a realtime thread may run without a
// blocking call, in microseconds. Both limits go down to it where they are higher; without privilege there is no way back.
int cs_rttime_lower(int64_t microseconds);
