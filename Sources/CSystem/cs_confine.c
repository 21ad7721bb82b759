#define _GNU_SOURCE
#include "cs_confine.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cs_result.h"

// -- Landlock and seccomp

// Newer than the headers of Debian 12.
struct ruleset_attributes {
    uint64_t handled_access_fs;
    uint64_t handled_access_net;
    uint64_t scoped;
};

int cs_landlock_abi(void) {
    return CS_RETRY(int, (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

int cs_landlock_create(uint64_t accesses, uint64_t scopes) {
    struct ruleset_attributes attributes = {.handled_access_fs = accesses, .scoped = scopes};
    // An older kernel takes a longer struct whose unknown part is zero.
    return CS_RETRY(int, (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
}

int cs_landlock_allow(int ruleset, int path, uint64_t accesses) {
    struct landlock_path_beneath_attr rule = {.allowed_access = accesses, .parent_fd = path};
    return CS_RETRY(int, (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0));
}

#ifdef SYS_open
#define CALL_OPEN SYS_open
#define CALL_CREAT SYS_creat
#else
#define CALL_OPEN (-1)
#define CALL_CREAT (-1)
#endif

int cs_call_number(int call) {
    static const int numbers[] = {
        [CS_CALL_OPEN] = CALL_OPEN,
        [CS_CALL_CREAT] = CALL_CREAT,
        [CS_CALL_OPENAT] = SYS_openat,
        [CS_CALL_OPENAT2] = SYS_openat2,
        [CS_CALL_CONNECT] = SYS_connect,
        [CS_CALL_IOCTL] = SYS_ioctl,
        [CS_CALL_SOCKET] = SYS_socket,
        [CS_CALL_IO_URING_SETUP] = SYS_io_uring_setup,
        [CS_CALL_IO_URING_ENTER] = SYS_io_uring_enter,
        [CS_CALL_IO_URING_REGISTER] = SYS_io_uring_register,
        [CS_CALL_KILL] = SYS_kill,
        [CS_CALL_TGKILL] = SYS_tgkill,
        [CS_CALL_TKILL] = SYS_tkill,
        [CS_CALL_RT_SIGQUEUEINFO] = SYS_rt_sigqueueinfo,
        [CS_CALL_RT_TGSIGQUEUEINFO] = SYS_rt_tgsigqueueinfo,
        [CS_CALL_PIDFD_OPEN] = SYS_pidfd_open,
        [CS_CALL_PRLIMIT64] = SYS_prlimit64,
        [CS_CALL_SCHED_SETSCHEDULER] = SYS_sched_setscheduler,
        [CS_CALL_SCHED_SETPARAM] = SYS_sched_setparam,
        [CS_CALL_SCHED_SETATTR] = SYS_sched_setattr,
        [CS_CALL_SCHED_SETAFFINITY] = SYS_sched_setaffinity,
        [CS_CALL_SETPRIORITY] = SYS_setpriority,
        [CS_CALL_IOPRIO_SET] = SYS_ioprio_set,
        [CS_CALL_SENDTO] = SYS_sendto,
        [CS_CALL_SENDMSG] = SYS_sendmsg,
        [CS_CALL_SENDMMSG] = SYS_sendmmsg,
    };
    return call >= 0 && call < (int)(sizeof numbers / sizeof numbers[0]) ? numbers[call] : -1;
}

uint32_t cs_audit_architecture(void) {
#if defined(__x86_64__)
    return AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    return AUDIT_ARCH_AARCH64;
#else
#error "The filter of `run` knows x86_64 and aarch64: add the architecture's AUDIT_ARCH here."
#endif
}

int cs_reports_calls(void) {
    uint32_t action = SECCOMP_RET_USER_NOTIF;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

// -- The guard and the program: after fork, calls that are safe in a signal handler alone

struct message {
    int kind;
    int number;
    int detail;
};

static void send_message(int control, int kind, int number, int detail, int descriptor) {
    struct message message = {kind, number, detail};
    struct iovec piece = {&message, sizeof message};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } room = {0};
    struct msghdr envelope = {.msg_iov = &piece, .msg_iovlen = 1};
    if (descriptor >= 0) {
        envelope.msg_control = &room;
        envelope.msg_controllen = sizeof room;
        struct cmsghdr *header = CMSG_FIRSTHDR(&envelope);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    // A supervisor that is gone closes the socket, which the guard sees.
    (void)CS_RETRY(ssize_t, sendmsg(control, &envelope, MSG_NOSIGNAL));
}

static _Noreturn void give_up(int control, int step, int error) {
    send_message(control, CS_CONFINED_FAILED, error, step, -1);
    _exit(127);
}

static int install(const struct cs_confinement *confinement) {
    struct sock_fprog program = {
        .len = (unsigned short)confinement->filter_length, .filter = (struct sock_filter *)confinement->filter};
    _Static_assert(sizeof(struct sock_filter) == sizeof(struct cs_filter_step), "a step of a filter is 8 bytes");
    unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
#ifdef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
    // Linux 5.19: a signal does not interrupt what the supervisor already works on.
    int waiting = CS_RETRY(int, (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                            flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program));
    if (waiting != -EINVAL) return waiting;
#endif
    return CS_RETRY(int, (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
}

static int restrict_self(int ruleset) {
    return ruleset < 0 ? 0 : CS_RETRY(int, (int)syscall(SYS_landlock_restrict_self, ruleset, 0));
}

static _Noreturn void become_program(const struct cs_confinement *confinement, int control, pid_t guard) {
    // The end of the guard is the end of the program, however it comes.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != guard) _exit(127);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int error = restrict_self(confinement->ruleset);
    if (error < 0) give_up(control, CS_STEP_RULESET, -error);
    if (confinement->filter_length > 0) {
        int listener = install(confinement);
        if (listener < 0) give_up(control, CS_STEP_FILTER, -listener);
        send_message(control, CS_CONFINED_LISTENER, 0, 0, listener);
        close(listener);
    }
    execve(confinement->path, confinement->arguments, confinement->environment);
    give_up(control, CS_STEP_EXEC, errno);
}

// All processes that this one may signal: in a scoped domain its own descendants, all at once. Otherwise its children, and their
// children as they become its own.
static void kill_all(bool is_scoped) {
    if (is_scoped) {
        kill(-1, SIGKILL);
        return;
    }
    char text[4096];
    int children = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t length = children < 0 ? -1 : read(children, text, sizeof text - 1);
    if (children >= 0) close(children);
    pid_t child = 0;
    for (ssize_t at = 0; at < length; at++) {
        if (text[at] >= '0' && text[at] <= '9') {
            child = child * 10 + (text[at] - '0');
        } else if (child > 0) {
            kill(child, SIGKILL);
            child = 0;
        }
    }
}

// Takes the ends of children. False when none is left.
static bool reap(int control, pid_t program) {
    for (;;) {
        int status = 0;
        pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended == 0) return true;
        if (ended < 0) return errno == EINTR;
        if (ended != program) continue;
        if (WIFEXITED(status)) send_message(control, CS_CONFINED_EXITED, WEXITSTATUS(status), 0, -1);
        if (WIFSIGNALED(status)) send_message(control, CS_CONFINED_KILLED, WTERMSIG(status), 0, -1);
    }
}

static _Noreturn void watch(int control, int signals, pid_t program, bool is_scoped) {
    bool is_ending = false;
    while (reap(control, program)) {
        if (is_ending) kill_all(is_scoped);
        struct pollfd items[2] = {{.fd = signals, .events = POLLIN}, {.fd = is_ending ? -1 : control, .events = POLLIN}};
        // While ending without a scope, new children may turn up at any time.
        if (poll(items, 2, is_ending ? 1 : -1) < 0) continue;
        struct signalfd_siginfo info;
        if (items[0].revents != 0) (void)CS_RETRY(ssize_t, read(signals, &info, sizeof info));
        if (items[1].revents != 0) is_ending = true;
    }
    _exit(0);
}

static _Noreturn void become_guard(const struct cs_confinement *confinement, int control) {
    sigset_t all, child;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    // An ignored SIGCHLD would leave nothing to wait for.
    signal(SIGCHLD, SIG_DFL);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        give_up(control, CS_STEP_PRIVILEGES, errno);
    int error = restrict_self(confinement->scope);
    if (error < 0) give_up(control, CS_STEP_SCOPE, -error);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    pid_t guard = getpid(), program = signals < 0 ? -1 : fork();
    if (program == 0) become_program(confinement, control, guard);
    if (program < 0) give_up(control, CS_STEP_FORK, errno);
    send_message(control, CS_CONFINED_STARTED, program, 0, -1);
    // Its files in /proc belong to root from now on. Otherwise the program could use its oom_score_adj to make the kernel end it,
    // and the program's children would continue.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    // Keeps none of the supervisor's descriptors open: neither its files nor the ends of pipes.
    unsigned low = control < signals ? control : signals, high = control < signals ? signals : control;
    if (low > 0) syscall(SYS_close_range, 0U, low - 1, 0);
    if (high > low + 1) syscall(SYS_close_range, low + 1, high - 1, 0);
    syscall(SYS_close_range, high + 1, ~0U, 0);
    watch(control, signals, program, confinement->scope >= 0);
}

int cs_confined_start(const struct cs_confinement *confinement, int *control) {
    int ends[2];
    int error = CS_RETRY(int, socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
    if (error < 0) return error;
    pid_t guard = fork();
    if (guard == 0) become_guard(confinement, ends[1]);
    error = guard < 0 ? -errno : guard;
    close(ends[1]);
    if (guard < 0) {
        close(ends[0]);
    } else {
        *control = ends[0];
    }
    return error;
}

int cs_confined_read(int control, struct cs_confined_event *out) {
    struct message message;
    struct iovec piece = {&message, sizeof message};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } room = {0};
    struct msghdr envelope = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = sizeof room};
    ssize_t length = CS_RETRY(ssize_t, recvmsg(control, &envelope, MSG_CMSG_CLOEXEC));
    if (length < 0) return (int)length;
    if (length != (ssize_t)sizeof message) return 0;
    *out = (struct cs_confined_event){message.kind, message.number, message.detail};
    struct cmsghdr *header = CMSG_FIRSTHDR(&envelope);
    if (header != NULL && header->cmsg_type == SCM_RIGHTS) memcpy(&out->number, CMSG_DATA(header), sizeof(int));
    return 1;
}

int cs_confined_kill(int control) {
    char order = 'K';
    return (int)CS_RETRY(ssize_t, send(control, &order, 1, MSG_NOSIGNAL));
}
