// ioctl that says -errno. The loop is around EINTR alone.
#pragma once

#include "cm_fault.h"
#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>

static inline int32_t cm_ioctl(int32_t descriptor, unsigned long request, void *argument) {
    int result;
    do {
        result = CM_IOCTL(descriptor, request, argument);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}
