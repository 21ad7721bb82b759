// standstill FILE: writes down when this machine stood still, until it is ended by a signal.
//
// A thread on each processor asks to be woken each 2 ms, before all that is measured where this user may ask for that
// (SCHED_RR 2). Where it comes late, by 5 ms or more, nobody ran there: a hypervisor had taken the processor away, or the
// kernel was busy with itself. A line each: BEGIN END, nanoseconds of CLOCK_MONOTONIC.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { nap = 2000000, late = 5000000 };

static int lines;

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void *witness(void *processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((int)(intptr_t)processor, &set);
    (void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
    struct sched_param first = {.sched_priority = 2};
    (void)pthread_setschedparam(pthread_self(), SCHED_RR, &first);
    for (int64_t due = nanoseconds() + nap;; due = nanoseconds() + nap) {
        struct timespec until = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        int64_t woken = nanoseconds();
        if (woken - due < late) continue;
        char line[64];
        int length = snprintf(line, sizeof(line), "%lld %lld\n", (long long)due, (long long)woken);
        if (write(lines, line, (size_t)length) != length) exit(1);
    }
}

int main(int count, char **words) {
    if (count != 2 || (lines = open(words[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) < 0) {
        fprintf(stderr, "usage: standstill FILE\n");
        return 64;
    }
    for (long processor = sysconf(_SC_NPROCESSORS_ONLN) - 1; processor >= 0; processor--) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, witness, (void *)(intptr_t)processor) != 0) return 1;
    }
    pause();
}
