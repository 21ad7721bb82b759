#pragma once

#include <stdint.h>

// Why a shim: C calls the functions that replace malloc(3), before any Swift could run.

// Makes every loaded object call a counter before malloc, calloc, realloc, memalign, aligned_alloc and posix_memalign: their
// entries in the objects' offset tables are replaced. Only for a measurement. 0, or -EBUSY if this is done already, -ENOSPC for
// more entries than there is space for, -ENOSYS if objects are linked in another way.
int cs_allocations_begin(void);
// Puts the entries back.
void cs_allocations_end(void);
// How often the calling thread has allocated while counting was on.
int64_t cs_allocations_count(void);
