#define _GNU_SOURCE
#include "peers.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { slots = 256 };

struct ticks {
    int64_t first, period, bytes, count, *late;
    int32_t priority, achieved, timer, signal, stop;
    unsigned char *ring, *source;
    _Alignas(64) _Atomic uint64_t published;
    _Alignas(64) _Atomic int over;
};

static int64_t now(void) {
    struct timespec instant;
    clock_gettime(CLOCK_MONOTONIC, &instant);
    return (int64_t)instant.tv_sec * 1000000000 + instant.tv_nsec;
}

static void *tick(void *context) {
    struct ticks *ticks = context;
    struct sched_param parameter = {.sched_priority = ticks->priority};
    ticks->achieved = sched_setscheduler(0, SCHED_FIFO, &parameter) == 0;
    for (int64_t number = 0; number < ticks->count; number++) {
        int64_t due = ticks->first + number * ticks->period;
        while (now() < due) {
            struct itimerspec when = {{0, 0}, {due / 1000000000, due % 1000000000}};
            struct pollfd both[] = {{ticks->timer, POLLIN, 0}, {ticks->stop, POLLIN, 0}};
            timerfd_settime(ticks->timer, TFD_TIMER_ABSTIME, &when, NULL);
            poll(both, 2, 1000);
        }
        memcpy(ticks->ring + number % slots * ticks->bytes, ticks->source, (size_t)ticks->bytes);
        atomic_store_explicit(&ticks->published, (uint64_t)number + 1, memory_order_release);
        uint64_t one = 1;
        if (write(ticks->signal, &one, sizeof one) < 0) break;
        ticks->late[number] = now() - due;
    }
    return NULL;
}

// Reads the published ticks as they arrive.
static void *listen_to(void *context) {
    struct ticks *ticks = context;
    unsigned char *target = malloc((size_t)ticks->bytes);
    uint64_t read_so_far = 0, count;
    while (target && !atomic_load(&ticks->over)) {
        struct pollfd signal = {ticks->signal, POLLIN, 0};
        poll(&signal, 1, 100);
        if (read(ticks->signal, &count, sizeof count) < 0) continue;
        for (; read_so_far < atomic_load_explicit(&ticks->published, memory_order_acquire); read_so_far++)
            memcpy(target, ticks->ring + read_so_far % slots * (uint64_t)ticks->bytes, (size_t)ticks->bytes);
    }
    free(target);
    return NULL;
}

int32_t peer_ticks(
    int64_t first, int64_t period, int64_t bytes, int32_t priority, int64_t *late, int64_t count, int32_t *achieved) {
    struct ticks ticks = {
        .first = first, .period = period, .bytes = bytes, .count = count, .late = late, .priority = priority,
        .timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), .signal = eventfd(0, EFD_NONBLOCK),
        .stop = eventfd(0, EFD_NONBLOCK), .ring = calloc(slots, (size_t)bytes), .source = calloc(1, (size_t)bytes),
    };
    pthread_t ticker, reader;
    int result = ticks.timer < 0 || ticks.signal < 0 || ticks.stop < 0 || !ticks.ring || !ticks.source ? ENOMEM : 0;
    if (!result) result = pthread_create(&reader, NULL, listen_to, &ticks);
    if (!result) {
        result = pthread_create(&ticker, NULL, tick, &ticks);
        if (!result) pthread_join(ticker, NULL);
        atomic_store(&ticks.over, 1);
        pthread_join(reader, NULL);
    }
    *achieved = ticks.achieved;
    close(ticks.timer);
    close(ticks.signal);
    close(ticks.stop);
    free(ticks.ring);
    free(ticks.source);
    return -result;
}
