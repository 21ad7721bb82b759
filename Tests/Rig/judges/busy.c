// Has the processor for some time, again and again, until it is killed: busy MILLISECONDS PAUSE.
// By the clock, and not by an amount of work: in virtual time that takes none, or some, and a look at the clock takes a little.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    int64_t busy = atoi(arguments[1]) * 1000000LL;
    struct timespec pause = {.tv_nsec = atoi(arguments[2]) * 1000000L};
    for (;;) {
        for (int64_t begun = now(); now() - begun < busy;) {}
        nanosleep(&pause, NULL);
    }
}
