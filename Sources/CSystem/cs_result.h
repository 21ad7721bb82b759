#pragma once

#include <errno.h>

// The one EINTR loop and the one place where errno is read. The expression is evaluated again after an interruption.
#define CS_RETRY(type, call)                        \
    ({                                              \
        type cs_result;                             \
        do {                                        \
            cs_result = (call);                     \
        } while (cs_result < 0 && errno == EINTR);  \
        cs_result < 0 ? (type)-errno : cs_result;   \
    })
