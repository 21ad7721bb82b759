// Preloaded (LD_PRELOAD) into the rig kernel where its time is virtual. Makes that time independent of the machine's speed.
//
// In virtual time (arch/um/kernel/time.c, TT_MODE_BASIC) the clock jumps while all processes sleep. While a process computes, the
// kernel sets an alarm of the host for the next event, so real time passes. On a slow or busy machine, a program that computes
// for a moment then finds many new frames. This library multiplies the time of that alarm, as if the guest computed faster. The
// alarm is still needed, for programs that compute until the clock has moved.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef int call(timer_t, int, const struct itimerspec *, struct itimerspec *);

static const int64_t second = 1000000000, factor = 20, most = 1000000;

int timer_settime(timer_t timer, int flags, const struct itimerspec *new, struct itimerspec *old) {
    call *next = (call *)dlsym(RTLD_NEXT, "timer_settime");
    // With nothing to wait for, the alarm is centuries away, and stays there.
    if (new->it_value.tv_sec >= most) return next(timer, flags, new, old);
    int64_t wait = (new->it_value.tv_sec * second + new->it_value.tv_nsec) * factor;
    struct itimerspec later = {new->it_interval, {wait / second, wait % second}};
    return next(timer, flags, &later, old);
}
