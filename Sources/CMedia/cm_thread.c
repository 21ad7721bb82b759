#define _GNU_SOURCE
#include "cm_thread.h"
#include "cm_fault.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int32_t cm_gettid(void) { return (int32_t)syscall(SYS_gettid); }

// By the system calls: glibc answers pthread_getschedparam from a copy that these do not change.
int32_t cm_policy_get(struct cm_policy *policy) {
    struct sched_param parameter = {0};
    int kind = CM_ERRNO(sched_getscheduler, 0);
    if (kind < 0 || CM_ERRNO(sched_getparam, 0, &parameter) < 0) return -errno;
    *policy = (struct cm_policy){kind & ~SCHED_RESET_ON_FORK, parameter.sched_priority, !!(kind & SCHED_RESET_ON_FORK)};
    return 0;
}

int32_t cm_policy_set(const struct cm_policy *policy) {
    struct sched_param parameter = {.sched_priority = policy->priority};
    int kind = policy->policy | (policy->resets_on_fork ? SCHED_RESET_ON_FORK : 0);
    return CM_ERRNO(sched_setscheduler, 0, kind, &parameter) < 0 ? -errno : 0;
}

// Without SCHED_RESET_ON_FORK: a thread that may not clear that flag could never restore its policy.
int32_t cm_policy_set_fifo(int32_t priority) {
    return cm_policy_set(&(struct cm_policy){SCHED_FIFO, priority, 0});
}

int32_t cm_nice_get(int32_t thread, int32_t *value) {
    errno = 0;
    int result = CM_ERRNO(getpriority, PRIO_PROCESS, (id_t)thread);
    if (result == -1 && errno) return -errno;
    *value = result;
    return 0;
}

int32_t cm_nice_set(int32_t thread, int32_t value) {
    return CM_ERRNO(setpriority, PRIO_PROCESS, (id_t)thread, value) < 0 ? -errno : 0;
}

int32_t cm_thread_name_get(char *name, int32_t capacity) {
    return CM_NEGATED(pthread_getname_np, pthread_self(), name, (size_t)capacity);
}

int32_t cm_thread_name_set(const char *name) { return CM_NEGATED(pthread_setname_np, pthread_self(), name); }
