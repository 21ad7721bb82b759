#pragma once

#include <stddef.h>
#include <stdint.h>

// Landlock, a seccomp filter, and the start of a program under both. Why shims: glibc wraps none of these calls, the structs are
// in kernel headers that Swift's Glibc module lacks, and between fork and exec only C may run. The caller decides what is allowed
// and which calls are reported.

// Version of Landlock that this kernel supports: -ENOSYS or -EOPNOTSUPP if it has none.
int cs_landlock_abi(void);
// landlock_create_ruleset(2) of accesses that are refused unless a rule allows them, and of what the domain may not reach
// outside of it: a descriptor.
int cs_landlock_create(uint64_t accesses, uint64_t scopes);
// landlock_add_rule(2) of a file, or of a directory and all below it, open with O_PATH.
int cs_landlock_allow(int ruleset, int path, uint64_t accesses);

// struct sock_filter.
struct cs_filter_step {
    uint16_t code;
    uint8_t if_true;
    uint8_t if_false;
    uint32_t value;
};

// The numbers of this architecture; -1 for calls that it does not have.
enum {
    CS_CALL_OPEN = 0,
    CS_CALL_CREAT,
    CS_CALL_OPENAT,
    CS_CALL_OPENAT2,
    CS_CALL_CONNECT,
    CS_CALL_IOCTL,
    CS_CALL_SOCKET,
    CS_CALL_IO_URING_SETUP,
    CS_CALL_IO_URING_ENTER,
    CS_CALL_IO_URING_REGISTER,
    CS_CALL_KILL,
    CS_CALL_TGKILL,
    CS_CALL_TKILL,
    CS_CALL_RT_SIGQUEUEINFO,
    CS_CALL_RT_TGSIGQUEUEINFO,
    CS_CALL_PIDFD_OPEN,
    CS_CALL_PRLIMIT64,
    CS_CALL_SCHED_SETSCHEDULER,
    CS_CALL_SCHED_SETPARAM,
    CS_CALL_SCHED_SETATTR,
    CS_CALL_SCHED_SETAFFINITY,
    CS_CALL_SETPRIORITY,
    CS_CALL_IOPRIO_SET,
    CS_CALL_SENDTO,
    CS_CALL_SENDMSG,
    CS_CALL_SENDMMSG,
};
int cs_call_number(int call);
// AUDIT_ARCH_… of this architecture.
uint32_t cs_audit_architecture(void);
// 1 if the kernel reports calls to a supervisor (SECCOMP_RET_USER_NOTIF).
int cs_reports_calls(void);

struct cs_confinement {
    const char *path;  // absolute
    char *const *arguments;
    char *const *environment;
    int scope;    // a ruleset for the guard and all below it; -1: none
    int ruleset;  // a ruleset for the program and all below it; -1: none
    const struct cs_filter_step *filter;
    size_t filter_length;  // 0: no filter
};

// Forks a guard, which starts the program under the rulesets and the filter, is the parent of all its orphans, and ends all
// of them when `control` closes or CS_CONFINED_KILL is written to it. The answer is the guard's pid; `control` is a socket on
// which cs_confined_read finds what happens, closed by the guard when no process is left.
int cs_confined_start(const struct cs_confinement *confinement, int *control);

enum {
    CS_CONFINED_LISTENER = 1,  // the filter's listener, in `number`: yours to close
    CS_CONFINED_STARTED,       // the program's pid
    CS_CONFINED_FAILED,        // the program could not be started: an errno in `number`, the step in `detail`
    CS_CONFINED_EXITED,        // the program ended by itself with `number`
    CS_CONFINED_KILLED,        // the program ended by signal `number`
};

// Steps at which a start can fail.
enum {
    CS_STEP_PRIVILEGES = 1,
    CS_STEP_SCOPE,
    CS_STEP_RULESET,
    CS_STEP_FILTER,
    CS_STEP_EXEC,
    CS_STEP_FORK,
};

struct cs_confined_event {
    int kind;
    int number;
    int detail;
};

// 1 with an event, 0 when the guard is gone; waits.
int cs_confined_read(int control, struct cs_confined_event *out);
// Makes the guard end the program and all its children.
int cs_confined_kill(int control);
