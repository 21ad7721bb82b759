// Counts allocations between begin_counting and end_counting, those that the codecs' libraries and Dispatch make for
// themselves apart.
// Loaded with LD_PRELOAD by encoder-allocations.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int is_on;
static long own, libraries;
// dladdr may allocate itself.
static __thread int is_inside;

// A thread that stores files on their disk works by the clock, and not for each frame: on a slow machine it would be counted.
static __thread int is_storing;
int fdatasync(int file) {
    is_storing = 1;
    return (int)syscall(SYS_fdatasync, file);
}

static int is_library(const void *caller) {
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname) return 0;
    const char *names[] = {"libjpeg", "libturbojpeg", "libFLAC", "libopus", "libogg", "libpng", "libz.", "libdispatch"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(info.dli_fname, names[i])) return 1;
    return 0;
}

static void count(const void *caller) {
    if (!is_on || is_inside || is_storing) return;
    is_inside = 1;
    __sync_fetch_and_add(is_library(caller) ? &libraries : &own, 1);
    is_inside = 0;
}

void *malloc(size_t size) { count(__builtin_return_address(0)); return __libc_malloc(size); }
void *calloc(size_t items, size_t size) { count(__builtin_return_address(0)); return __libc_calloc(items, size); }
void *realloc(void *old, size_t size) { count(__builtin_return_address(0)); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) {
    count(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    count(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}
int posix_memalign(void **out, size_t alignment, size_t size) {
    count(__builtin_return_address(0));
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : 12;
}

// What the probe looks up by name.
void begin_counting(void) {
    own = libraries = 0;
    is_on = 1;
}
long end_counting(int of_libraries) {
    is_on = 0;
    return of_libraries ? libraries : own;
}
