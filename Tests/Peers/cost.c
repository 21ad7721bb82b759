// cost WORK WHO LOG COMMAND...: runs a command and prints what it took, as a line of JSON: seconds by the clock, of
// processor for itself and its children, and of processor for the whole machine, its kernel's threads included.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

// How long the machine's one processor has had nothing to do (proc(5), the second number of uptime).
static double idle(void) {
    FILE *file = fopen("/proc/uptime", "re");
    double up, idle;
    if (!file || fscanf(file, "%lf %lf", &up, &idle) != 2) {
        perror("cost: /proc/uptime");
        exit(2);
    }
    fclose(file);
    return idle;
}

static void become(char **command, const char *log) {
    int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0) {
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
        execvp(command[0], command);
    }
    perror(command[0]);
    _exit(127);
}

int main(int count, char **words) {
    if (count < 5) {
        fprintf(stderr, "usage: cost WORK WHO LOG COMMAND...\n");
        return 64;
    }
    double before = now(), quiet = idle();
    pid_t child = fork();
    if (child == 0) become(words + 4, words[3]);
    int status = 0;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) < 0) {
        perror("cost");
        return 2;
    }
    double wall = now() - before;
    printf("{\"work\":\"%s\",\"who\":\"%s\",\"exit\":%d,\"wall\":%.3f,\"process\":%.6f,\"machine\":%.3f}\n", words[1],
        words[2], WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), wall,
        seconds(used.ru_utime) + seconds(used.ru_stime), wall - (idle() - quiet));
    return 0;
}
