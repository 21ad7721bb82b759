// Loaded with LD_PRELOAD: storing a partial file takes PARTIAL_DISK_MS, and fails with PARTIAL_DISK_ERRNO where that is said; the
// fifth write to one takes PARTIAL_DISK_WRITE_MS, as where the kernel makes a writer wait for a disk. Each time that a partial file
// was stored, the file that PARTIAL_DISK_LOG names gets a line "BEGIN END NAME", in nanoseconds of CLOCK_MONOTONIC.
// Everything else, the grant store among it, is on a disk that works.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int syncing(int);
typedef ssize_t writing(int, const void *, size_t);

static int has_partial_name(int file, char path[4096]) {
    char link[64];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, 4095);
    if (length < 8) return 0;
    path[length] = 0;
    return strcmp(path + length - 8, ".partial") == 0;
}

static int is_partial(int file) {
    char path[4096];
    return has_partial_name(file, path);
}

static long long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void note(long long begin, const char *path) {
    const char *log = getenv("PARTIAL_DISK_LOG");
    int file = log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file < 0) return;
    dprintf(file, "%lld %lld %s\n", begin, nanoseconds(), path);
    close(file);
}

static void wait_for(const char *variable) {
    const char *wait = getenv(variable);
    long ms = wait ? atol(wait) : 0;
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&left, &left) < 0 && errno == EINTR) continue;
}

static int behind(const char *name, int file) {
    syncing *next = (syncing *)dlsym(RTLD_NEXT, name);
    char path[4096];
    if (!has_partial_name(file, path)) return next(file);
    const char *failure = getenv("PARTIAL_DISK_ERRNO");
    long long begin = nanoseconds();
    wait_for("PARTIAL_DISK_MS");
    if (!failure) {
        int result = next(file);
        int error = errno;
        note(begin, path);
        errno = error;
        return result;
    }
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
