// Loaded with LD_PRELOAD: storing a partial file takes PARTIAL_DISK_MS, and fails with PARTIAL_DISK_ERRNO where that is said.
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

static int is_partial(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof(path) - 1);
    if (length < 8) return 0;
    path[length] = 0;
    return strcmp(path + length - 8, ".partial") == 0;
}

static int behind(const char *name, int file) {
    syncing *next = (syncing *)dlsym(RTLD_NEXT, name);
    if (!is_partial(file)) return next(file);
    const char *wait = getenv("PARTIAL_DISK_MS"), *failure = getenv("PARTIAL_DISK_ERRNO");
    long ms = wait ? atol(wait) : 0;
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&left, &left) < 0 && errno == EINTR) continue;
    if (!failure) return next(file);
    errno = atoi(failure);
    return -1;
}

int fdatasync(int file) { return behind("fdatasync", file); }
int fsync(int file) { return behind("fsync", file); }
