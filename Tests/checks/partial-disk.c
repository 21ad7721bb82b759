// Loaded with LD_PRELOAD: storing a partial file takes PARTIAL_DISK_MS, and fails with PARTIAL_DISK_ERRNO where that is said; the
// fifth write to one takes PARTIAL_DISK_WRITE_MS, as where the kernel makes a writer wait for a disk.
// Everything else, the grant store among it, is on a disk that works.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int syncing(int);
typedef ssize_t writing(int, const void *, size_t);

static int is_partial(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof(path) - 1);
    if (length < 8) return 0;
    path[length] = 0;
    return strcmp(path + length - 8, ".partial") == 0;
}

static void wait_for(const char *variable) {
    const char *wait = getenv(variable);
    long ms = wait ? atol(wait) : 0;
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&left, &left) < 0 && errno == EINTR) continue;
}

static int behind(const char *name, int file) {
    syncing *next = (syncing *)dlsym(RTLD_NEXT, name);
    if (!is_partial(file)) return next(file);
    const char *failure = getenv("PARTIAL_DISK_ERRNO");
    wait_for("PARTIAL_DISK_MS");
    if (!failure) return next(file);
    errno = atoi(failure);
    return -1;
}

int fdatasync(int file) { return behind("fdatasync", file); }
int fsync(int file) { return behind("fsync", file); }

ssize_t write(int file, const void *bytes, size_t count) {
    static writing *next;
    static int writes;
    if (!next) next = (writing *)dlsym(RTLD_NEXT, "write");
    if (is_partial(file) && ++writes == 5) wait_for("PARTIAL_DISK_WRITE_MS");
    return next(file, bytes, count);
}
