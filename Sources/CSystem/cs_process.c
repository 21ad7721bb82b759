#define _GNU_SOURCE
#include "cs_process.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cs_result.h"

uint32_t cs_getuid(void) { return getuid(); }

uint32_t cs_geteuid(void) { return geteuid(); }

uint32_t cs_getgid(void) { return getgid(); }

uint32_t cs_getegid(void) { return getegid(); }

int cs_getpid(void) { return getpid(); }

_Static_assert(sizeof(gid_t) == sizeof(uint32_t), "group ids are 32 bits wide on Linux");

int cs_getgroups(uint32_t *out, size_t capacity) { return CS_RETRY(int, getgroups((int)capacity, out)); }

int cs_getsid(int pid) { return CS_RETRY(int, getsid(pid)); }

int cs_kill(int pid, int signal) { return CS_RETRY(int, kill(pid, signal)); }

int cs_adopt_orphans(void) { return CS_RETRY(int, prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)); }

int cs_pidfd_open(int pid) { return CS_RETRY(int, (int)syscall(SYS_pidfd_open, pid, 0)); }
