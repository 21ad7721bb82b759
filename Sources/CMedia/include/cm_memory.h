// Memory by descriptor, and descriptors themselves.
#pragma once

#include "cm_fence.h"
#include <stdint.h>

#pragma clang assume_nonnull begin

// An anonymous file of that many bytes.
int32_t cm_memfd(const char *name, int64_t bytes);
// Shared, readable and writable.
int32_t cm_map(int32_t descriptor, int64_t offset, int64_t bytes, void *_Nullable *_Nonnull address);
int32_t cm_unmap(void *address, int64_t bytes);
int32_t cm_close(int32_t descriptor);

#pragma clang assume_nonnull end
