#pragma once

#include <stddef.h>

// Why shims: Swift reads a program's arguments from /proc/self/cmdline, and has none if that can't be read; Swift can't
// wait on a thread that is there for nothing else; pthread_setattr_default_np, CPU_COUNT and O_PATH are extensions that its
// Glibc module lacks.

// What main was given, kept by a constructor: the one thing here that is kept at all.
int cs_argument_count(void);
// NULL past the last one.
const char *cs_argument(int index);
// Puts "/", open for neither reading nor writing, in place of each of descriptors 0, 1 and 2 that is closed.
int cs_fill_streams(void);
// Number of further descriptors that can be open at once, up to `most`: created, counted and closed.
int cs_spare_descriptors(int most);
int cs_spare_threads(int most);
// sched_getaffinity: number of processors that this process may run on, at least 1.
int cs_usable_processors(void);
// Whether RLIMIT_AS or RLIMIT_DATA says anything.
int cs_has_memory_limit(void);
// 0, or -ENOMEM if this number of bytes can't be mapped.
int cs_spare_memory(size_t bytes);
// No thread that is made from now on has a smaller stack; malloc has one heap for all threads.
int cs_set_thread_memory(size_t least_stack);
