// Prints what it costs here to ask the kernel for something: a poll(2) that finds nothing and a look at the clock, in
// nanoseconds together, the median of some batches. A limit on how little a waiting program uses of a processor would
// else be a limit on how slow the machine may be: a system call is dear in this kernel.
#define _GNU_SOURCE
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { batches = 21, pairs = 50 };

static int64_t monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int by_value(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

int main(void) {
    int64_t prices[batches];
    for (int batch = 0; batch < batches; batch++) {
        int64_t begin = monotonic(), end = begin;
        for (int pair = 0; pair < pairs; pair++) {
            (void)poll(NULL, 0, 0);
            end = monotonic();
        }
        prices[batch] = (end - begin) / pairs;
    }
    qsort(prices, batches, sizeof prices[0], by_value);
    return printf("%" PRId64 "\n", prices[batches / 2]) < 0;
}
