// Memory by descriptor, and descriptors themselves.
#pragma once

#include "cm_fence.h"
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#pragma clang assume_nonnull begin

// Anonymous file of this size, which can be sealed.
int32_t cm_memfd(const char *name, int64_t bytes);
// Shared, readable and writable.
int32_t cm_map(int32_t descriptor, int64_t offset, int64_t bytes, void *_Nullable *_Nonnull address);
// Shared, to be read alone.
int32_t cm_map_read(int32_t descriptor, int64_t bytes, const void *_Nullable *_Nonnull address);
// Size of the file.
int64_t cm_size(int32_t descriptor);

// Seals of memory that a process lends: its size stays, the present writable mappings stay the only ones, and seals can't be added
// or removed. F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_FUTURE_WRITE.
static const int32_t CM_SEALS_LENT = 0x17;
int32_t cm_add_seals(int32_t descriptor, int32_t seals);
// The seals that the file has; -EINVAL for one that can't have any.
int32_t cm_seals(int32_t descriptor);
// Has the kernel find all pages now, ready to be written. -EINVAL before Linux 5.14; -ENOMEM.
int32_t cm_populate(void *address, int64_t bytes);
int32_t cm_unmap(const void *address, int64_t bytes);
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

// Copies to memory that this processor does not read soon, without using its caches. This saves reading the memory first, and
// keeps the caches for other data. Takes two thirds of the time of memcpy(3) for a frame. Complete when it returns, for all
// processors.
CM_REALTIME static inline void cm_copy_past(void *to, const void *from, int64_t count) {
#if defined(__x86_64__)
    int64_t head = (int64_t)(-(uintptr_t)to & 63);
    if (head > count) head = count;
    memcpy(to, from, (size_t)head);
    char *target = (char *)to + head;
    const char *source = (const char *)from + head;
    int64_t left = count - head;
    for (; left >= 64; left -= 64, target += 64, source += 64) {
        for (int part = 0; part < 64; part += 16)
            _mm_stream_si128((__m128i *)(target + part), _mm_loadu_si128((const __m128i *)(source + part)));
    }
    memcpy(target, source, (size_t)left);
    _mm_sfence();
#else
    memcpy(to, from, (size_t)count);
#endif
}

// Zeroes memory in the same way, from an address that is a multiple of 16.
CM_REALTIME static inline void cm_zero_past(void *to, int64_t count) {
    char *target = to;
#if defined(__x86_64__)
    for (; count >= 16; count -= 16, target += 16) _mm_stream_si128((__m128i *)target, _mm_setzero_si128());
#endif
    memset(target, 0, (size_t)count);
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

#pragma clang assume_nonnull end
