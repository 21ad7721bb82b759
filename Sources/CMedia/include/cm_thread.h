// The calling thread's policy, nice value and name. Glibc's Swift module lacks some of these names.
#pragma once

#include <sched.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct cm_policy {
    // SCHED_OTHER, SCHED_FIFO …
    int32_t policy;
    int32_t priority;
    // SCHED_RESET_ON_FORK, as rtkit gives it: what this thread starts is ordinary.
    int32_t resets_on_fork;
};

int32_t cm_gettid(void);
int32_t cm_policy_get(struct cm_policy *policy);
int32_t cm_policy_set(const struct cm_policy *policy);
// SCHED_FIFO at `priority`.
int32_t cm_policy_set_fifo(int32_t priority);
// Into `*value`, because a nice value may be negative.
int32_t cm_nice_get(int32_t thread, int32_t *value);
int32_t cm_nice_set(int32_t thread, int32_t value);
// At most 15 bytes and a zero.
int32_t cm_thread_name_get(char *name, int32_t capacity);
int32_t cm_thread_name_set(const char *name);

#pragma clang assume_nonnull end
