#define _GNU_SOURCE
#include "cm_thread.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int32_t cm_gettid(void) { return (int32_t)syscall(SYS_gettid); }

int32_t cm_policy_get(struct cm_policy *policy) {
    struct sched_param parameter = {0};
    int kind = 0;
    int result = pthread_getschedparam(pthread_self(), &kind, &parameter);
    *policy = (struct cm_policy){kind, parameter.sched_priority};
    return -result;
}

int32_t cm_policy_set(const struct cm_policy *policy) {
    struct sched_param parameter = {.sched_priority = policy->priority};
    return -pthread_setschedparam(pthread_self(), policy->policy, &parameter);
}

int32_t cm_policy_set_fifo(int32_t priority) {
    struct sched_param parameter = {.sched_priority = priority};
    // By the system call: pthread_setschedparam refuses the flag in some versions of glibc.
    return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) < 0 ? -errno : 0;
}

int32_t cm_nice_get(int32_t thread, int32_t *value) {
    errno = 0;
    int result = getpriority(PRIO_PROCESS, (id_t)thread);
    if (result == -1 && errno) return -errno;
    *value = result;
    return 0;
}

int32_t cm_nice_set(int32_t thread, int32_t value) {
    return setpriority(PRIO_PROCESS, (id_t)thread, value) < 0 ? -errno : 0;
}

int32_t cm_thread_name_get(char *name, int32_t capacity) {
    return -pthread_getname_np(pthread_self(), name, (size_t)capacity);
}

int32_t cm_thread_name_set(const char *name) { return -pthread_setname_np(pthread_self(), name); }
