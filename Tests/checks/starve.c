// Runs a program that lacks something, for the script beside it.
//
//   starve [OPTION...] -- PROGRAM [ARGUMENT...]
//
//   -n COUNT  -p COUNT            most open files, most processes of its user
//   -v BYTES  -d BYTES  -s BYTES  -f BYTES   most address space, data, stack, file size
//   -u USER   as this user        -c NUMBER  with that descriptor closed
//   -0        with no argument at all, not even its name
//   -t SECONDS   how long it may take (20)
//
// The exit code is the program's; 128 and the number of a signal that ended it; 124 where it did not end; 125 where it
// could not be started.
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST = 8 };

static struct {
    int resources[MOST], limits, closed[MOST], closings, user, bare, seconds;
    rlim_t values[MOST];
} wish = {.user = -1, .seconds = 20};

static pid_t child;

static void fail(const char *what) {
    fprintf(stderr, "starve: %s: %s\n", what, strerror(errno));
    _exit(125);
}

static int resource_of(int option) {
    switch (option) {
    case 'n': return RLIMIT_NOFILE;
    case 'p': return RLIMIT_NPROC;
    case 'v': return RLIMIT_AS;
    case 'd': return RLIMIT_DATA;
    case 's': return RLIMIT_STACK;
    case 'f': return RLIMIT_FSIZE;
    default: return -1;
    }
}

static void read_options(int argc, char **argv) {
    int option;
    while ((option = getopt(argc, argv, "+n:p:v:d:s:f:u:c:0t:")) != -1) {
        int resource = resource_of(option);
        if (wish.limits == MOST || wish.closings == MOST || option == '?') _exit(125);
        if (resource >= 0) {
            wish.resources[wish.limits] = resource;
            wish.values[wish.limits++] = strtoull(optarg, NULL, 10);
        } else if (option == 'u') wish.user = atoi(optarg);
        else if (option == 'c') wish.closed[wish.closings++] = atoi(optarg);
        else if (option == '0') wish.bare = 1;
        else wish.seconds = atoi(optarg);
    }
    if (optind >= argc) _exit(125);
}

static void start(char **command) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    if (wish.user >= 0 && (setgroups(0, NULL) < 0 || setgid((gid_t)wish.user) < 0)) fail("setgid");
    for (int i = 0; i < wish.closings; i++) close(wish.closed[i]);
    for (int i = 0; i < wish.limits; i++) {
        struct rlimit limit = {wish.values[i], wish.values[i]};
        if (setrlimit(wish.resources[i], &limit) < 0) fail("setrlimit");
    }
    // After the limits: otherwise this program would keep root's permissions.
    if (wish.user >= 0 && setuid((uid_t)wish.user) < 0) fail("setuid");
    char *none[] = {NULL};
    execve(command[0], wish.bare ? none : command, environ);
    fail("execve");
}

static volatile sig_atomic_t is_late;

static void kill_child(int signal) {
    (void)signal;
    is_late = 1;
    kill(-child, SIGKILL);
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    child = fork();
    if (child < 0) fail("fork");
    if (child == 0) start(argv + optind);
    setpgid(child, child);
    signal(SIGALRM, kill_child);
    alarm((unsigned)wish.seconds);
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) fail("waitpid");
    }
    // What it started ends with it.
    kill(-child, SIGKILL);
    if (is_late) return 124;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
