#define _GNU_SOURCE
#include "cs_signal.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "cs_result.h"

static sigset_t set_of(const int *signals, size_t count) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t index = 0; index < count; index++) sigaddset(&set, signals[index]);
    return set;
}

int cs_signal_block(const int *signals, size_t count) {
    sigset_t set = set_of(signals, count);
    return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int cs_signal_unblock(const int *signals, size_t count) {
    sigset_t set = set_of(signals, count);
    return -pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int cs_signal_is_ignored(int signal) {
    struct sigaction action;
    int result = CS_RETRY(int, sigaction(signal, NULL, &action));
    return result < 0 ? result : action.sa_handler == SIG_IGN;
}

int cs_signalfd(const int *signals, size_t count) {
    sigset_t set = set_of(signals, count);
    return CS_RETRY(int, signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int cs_signalfd_take(int fd, struct cs_signal *out) {
    struct signalfd_siginfo info;
    int64_t count = CS_RETRY(int64_t, read(fd, &info, sizeof info));
    if (count == -EAGAIN) return 0;
    if (count < 0) return (int)count;
    *out = (struct cs_signal){.number = (int)info.ssi_signo, .pid = (int32_t)info.ssi_pid, .uid = info.ssi_uid};
    return 1;
}
