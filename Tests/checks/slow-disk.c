// Loaded with LD_PRELOAD: the disk is slow. Storing data takes a twentieth of a second, and the second write to the head of the
// audit log, the one after the commit, a whole one, as if the kernel made writers wait.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef ssize_t writing(int, const void *, size_t, off_t);
typedef int syncing(int);

static void wait_ms(long milliseconds) {
    struct timespec left = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    if (nanosleep(&left, NULL) < 0) abort(); // it would not be behind, and nobody would know
}

static int is_head(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof(path) - 1);
    if (length < 0) return 0;
    path[length] = 0;
    const char *name = strrchr(path, '/');
    return name && strcmp(name, "/audit.head") == 0;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    static writing *next;
    if (!next) next = (writing *)dlsym(RTLD_NEXT, "pwrite");
    static int writes;
    if (is_head(file) && ++writes == 2) wait_ms(1000);
    return next(file, bytes, count, offset);
}

int fdatasync(int file) {
    static syncing *next;
    if (!next) next = (syncing *)dlsym(RTLD_NEXT, "fdatasync");
    wait_ms(50);
    return next(file);
}
