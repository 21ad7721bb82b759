// disk-witness FILE LOG: how late this machine stores data, until a signal ends it.
//
// Each 50 ms it stores a few bytes in FILE, at ordinary priority, as a recorder does. If they are stored 20 ms late or more, LOG
// gets a line "DUE STORED": microseconds of CLOCK_REALTIME.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { pause_us = 50000, late_us = 20000 };

static int64_t microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

int main(int count, char **words) {
    int file = count == 3 ? open(words[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    int log = count == 3 ? open(words[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file < 0 || log < 0) {
        fprintf(stderr, "usage: disk-witness FILE LOG\n");
        return 64;
    }
    for (;;) {
        int64_t due = microseconds() + pause_us;
        struct timespec pause = {.tv_nsec = pause_us * INT64_C(1000)};
        nanosleep(&pause, NULL);
        if (pwrite(file, &due, sizeof(due), 0) != sizeof(due) || fdatasync(file) < 0) return 74;
        int64_t stored = microseconds();
        if (stored - due < late_us) continue;
        char line[64];
        int length = snprintf(line, sizeof(line), "%lld %lld\n", (long long)due, (long long)stored);
        if (write(log, line, (size_t)length) != length) return 74;
    }
}
