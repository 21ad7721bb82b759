// Prints CLOCK_MONOTONIC in nanoseconds; with an argument, copies standard input line by line, each line
// preceded by the time at which it came. The shell has no clock of this resolution.
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static int64_t monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int main(int count, char **arguments) {
    (void)arguments;
    if (count < 2) return printf("%" PRId64 "\n", monotonic()) < 0;
    static char line[1 << 20];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) printf("%" PRId64 " %s", monotonic(), line);
    return 0;
}
