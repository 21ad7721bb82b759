#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Why shims: errno, and glibc 2.36 names pidfd_open in a header that Swift's Glibc module lacks.

uint32_t cs_getuid(void);
uint32_t cs_geteuid(void);
uint32_t cs_getgid(void);
uint32_t cs_getegid(void);
int cs_getpid(void);
// The supplementary groups: their count. With capacity 0 only the count; -EINVAL if there are more than fit.
int cs_getgroups(uint32_t *out, size_t capacity);
// The session leader of a process; 0 means this one.
int cs_getsid(int pid);
// Signal 0 asks whether the process is there: 0, -ESRCH or -EPERM (there, and somebody else's).
int cs_kill(int pid, int signal);
// Makes this process the parent of orphans among its descendants: prctl(2), PR_SET_CHILD_SUBREAPER.
int cs_adopt_orphans(void);
// A descriptor that polls readable when the process ends.
int cs_pidfd_open(int pid);
