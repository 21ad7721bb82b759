// Has the processor for some time, again and again, until it is killed: busy MILLISECONDS PAUSE.
//
// An alarm ends each time, not an amount of work: virtual time does not know of work. It does not look at the clock either: in
// virtual time each look moves the clock by a quarter of a microsecond, and takes a hundred times as long.
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t is_over;

static void ring(int number) {
    (void)number;
    is_over = 1;
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    struct itimerval busy = {.it_value = {.tv_usec = atoi(arguments[1]) * 1000}};
    struct timespec pause = {.tv_nsec = atoi(arguments[2]) * 1000000L};
    signal(SIGALRM, ring);
    for (;;) {
        is_over = 0;
        setitimer(ITIMER_REAL, &busy, NULL);
        while (!is_over) {}
        nanosleep(&pause, NULL);
    }
}
