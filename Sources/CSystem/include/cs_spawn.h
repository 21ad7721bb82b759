#pragma once

#include <stdint.h>

// Why shims: posix_spawn's attributes are opaque records filled by calls that return their errors, and waitid's answer
// is a union behind macros.

enum { CS_NO_DESCRIPTOR = -1 };

// Both ends close on exec.
int cs_pipe(int *reading, int *writing);

// posix_spawn(3) of the program at an absolute path: its pid. It leads a new session, so that a signal to its process group
// reaches all its children and no terminal reaches it; no signal is blocked or ignored; it has only the three given descriptors
// (CS_NO_DESCRIPTOR: /dev/null).
int cs_spawn(
    const char *path, char *const arguments[], char *const environment[], int input, int output, int diagnostics);

struct cs_ending {
    int is_signal;  // 1: killed by `number`, 0: exited with it
    int number;
};

// waitid(2): 1 with how the child ended, 0 if it has not and `wait` is 0; -ECHILD where somebody else took the answer.
int cs_wait(int pid, int wait, struct cs_ending *out);
// A signal to each process of a group.
int cs_kill_group(int group, int signal);
