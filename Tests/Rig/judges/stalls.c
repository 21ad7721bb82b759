// How long the machine itself stood still. A virtual machine is not given its processor all the time, and then
// nothing inside can be in time; a limit on a program's latency is a limit on what is left without that.
//
//   stalls watch >FILE     ticks at real-time priority until it is killed; a line for each late tick: its due and its
//                          coming, CLOCK_MONOTONIC in nanoseconds
//   stalls between A B     reads such lines and prints the nanoseconds of them that lie between A and B
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { period = 5000000, tolerance = 2000000 };

static int64_t nanoseconds(struct timespec time) { return time.tv_sec * INT64_C(1000000000) + time.tv_nsec; }

static int watch(void) {
    struct sched_param highest = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
    if (sched_setscheduler(0, SCHED_FIFO, &highest) != 0) return perror("stalls: SCHED_FIFO"), 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (int64_t due = nanoseconds(now) + period;; due += period) {
        struct timespec next = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) != 0) continue;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t came = nanoseconds(now);
        if (came - due <= tolerance) continue;
        printf("%" PRId64 " %" PRId64 "\n", due, came);
        due = came;
    }
}

static int between(int64_t from, int64_t to) {
    int64_t due, came, sum = 0;
    while (scanf("%" SCNd64 " %" SCNd64, &due, &came) == 2) {
        int64_t begin = due > from ? due : from, end = came < to ? came : to;
        if (end > begin) sum += end - begin;
    }
    return printf("%" PRId64 "\n", sum) < 0;
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "watch") == 0) return watch();
    if (count == 4 && strcmp(arguments[1], "between") == 0)
        return between(strtoll(arguments[2], NULL, 10), strtoll(arguments[3], NULL, 10));
    fputs("usage: stalls watch | stalls between A B\n", stderr);
    return 64;
}
