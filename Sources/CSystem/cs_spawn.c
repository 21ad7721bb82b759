#define _GNU_SOURCE
#include "cs_spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cs_result.h"

int cs_pipe(int *reading, int *writing) {
    int ends[2];
    int result = CS_RETRY(int, pipe2(ends, O_CLOEXEC));
    if (result < 0) return result;
    *reading = ends[0];
    *writing = ends[1];
    return 0;
}

static int place(posix_spawn_file_actions_t *actions, int descriptor, int as) {
    if (descriptor < 0) return posix_spawn_file_actions_addopen(actions, as, "/dev/null", O_RDWR, 0);
    return posix_spawn_file_actions_adddup2(actions, descriptor, as);
}

static int place_all(posix_spawn_file_actions_t *actions, int input, int output, int diagnostics) {
    int error = place(actions, input, STDIN_FILENO);
    if (error == 0) error = place(actions, output, STDOUT_FILENO);
    if (error == 0) error = place(actions, diagnostics, STDERR_FILENO);
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    return error;
}

static int set_apart(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (error == 0)
        error = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return error;
}

int cs_spawn(
    const char *path, char *const arguments[], char *const environment[], int input, int output, int diagnostics) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return -error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        pid_t pid = 0;
        error = place_all(&actions, input, output, diagnostics);
        if (error == 0) error = set_apart(&attributes);
        if (error == 0) error = posix_spawn(&pid, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
        if (error == 0) error = -pid;
    }
    posix_spawn_file_actions_destroy(&actions);
    return -error;
}

int cs_wait(int pid, int wait, struct cs_ending *out) {
    siginfo_t info = {0};
    int result = CS_RETRY(int, waitid(P_PID, (id_t)pid, &info, WEXITED | (wait ? 0 : WNOHANG)));
    if (result < 0) return result;
    if (info.si_pid == 0) return 0;
    *out = (struct cs_ending){.is_signal = info.si_code != CLD_EXITED, .number = info.si_status};
    return 1;
}

int cs_kill_group(int group, int signal) { return CS_RETRY(int, kill(-group, signal)); }
