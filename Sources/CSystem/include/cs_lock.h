#pragma once

#include <stdint.h>
#include <sys/file.h>

// Why shims: the open-file-description locks need _GNU_SOURCE and a variadic fcntl.

// flock(2): LOCK_SH, LOCK_EX or LOCK_UN, with LOCK_NB; -EWOULDBLOCK if somebody else holds it.
int cs_flock(int fd, int operation);
// fcntl(2) F_OFD_SETLK over `length` bytes from `start`, 0 for all that follow, also beyond the file's end; -EAGAIN if another
// process holds it and `wait` is 0.
int cs_ofd_lock(int fd, int exclusive, int wait, int64_t start, int64_t length);
int cs_ofd_unlock(int fd, int64_t start, int64_t length);
