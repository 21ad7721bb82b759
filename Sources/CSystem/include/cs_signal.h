#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

// Why shims: sigset_t is filled by functions that older libcs make macros, and signalfd is not in Swift's Glibc module.

struct cs_signal {
    int number;
    int32_t pid;  // the sender
    uint32_t uid;
};

// For the calling thread and the threads it starts: call it first thing in main.
int cs_signal_block(const int *signals, size_t count);
int cs_signal_unblock(const int *signals, size_t count);
// 1 or 0: its handler is a union behind a macro.
int cs_signal_is_ignored(int signal);
// Nonblocking; polls readable while one of the (blocked) signals is pending.
int cs_signalfd(const int *signals, size_t count);
// 1 with a signal, 0 if none is pending.
int cs_signalfd_take(int fd, struct cs_signal *out);
