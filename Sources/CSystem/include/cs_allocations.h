#pragma once

#include <stdint.h>

// Why a shim: the functions that stand in for malloc(3) are called by C, before any Swift could run.

// Has every object that is loaded by now call a counter before malloc, calloc, realloc, memalign, aligned_alloc and
// posix_memalign: their entries in the objects' offset tables are exchanged. Made for a measurement, not for good. 0, or
// -EBUSY where it is so already, -ENOSPC for more entries than there is room for, -ENOSYS where objects are linked
// otherwise.
int cs_allocations_begin(void);
// Puts the entries back.
void cs_allocations_end(void);
// How often the calling thread has allocated while counting was on.
int64_t cs_allocations_count(void);
