// Memory by descriptor, and descriptors themselves.
#pragma once

#include "cm_fence.h"
#include <stdint.h>

#pragma clang assume_nonnull begin

// An anonymous file of that many bytes.
int32_t cm_memfd(const char *name, int64_t bytes);
// Shared, readable and writable.
int32_t cm_map(int32_t descriptor, int64_t offset, int64_t bytes, void *_Nullable *_Nonnull address);
// Has the kernel find all pages now, ready to be written. -EINVAL before Linux 5.14; -ENOMEM.
int32_t cm_populate(void *address, int64_t bytes);
int32_t cm_unmap(void *address, int64_t bytes);
int32_t cm_close(int32_t descriptor);

// Has the processor take a cache line for writing, ahead of time. A hint: whatever the address, nothing else happens.
CM_REALTIME static inline void cm_prefetch_write(const void *address) {
#if defined(__x86_64__)
    // By name: the compiler's builtin means reading unless it may assume a newer processor; older ones ignore this.
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
    __builtin_prefetch(address, 1, 3);
#endif
}

#pragma clang assume_nonnull end
