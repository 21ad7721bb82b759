// outlasts PID SECONDS: waits until the process is over, never longer; exit code 0 if it is not over by then.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: outlasts PID SECONDS\n");
        return 64;
    }
    struct pollfd process = {.fd = (int)syscall(SYS_pidfd_open, atoi(arguments[1]), 0), .events = POLLIN};
    if (process.fd < 0 && errno == ESRCH) return 1; // over, and waited for
    if (process.fd < 0) {
        perror("outlasts: pidfd_open");
        return 2;
    }
    return poll(&process, 1, atoi(arguments[2]) * 1000) == 0 ? 0 : 1;
}
