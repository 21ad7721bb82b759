// Tries to get hold of a device node in every way that is known, by one program and what it starts. It says of each way:
//
//   leak NAME: HOW      an open file of the node was had that can be read, mapped or controlled, or what guards it was reached
//   held NAME: WHY      by the last error
//   lost NAME: WHY      the way came to no end
//
// and at last "N leak, M held, K lost". Run bare, most must leak; run under supervision, none. It is linked statically: it is
// the static program of those ways that need one, too.
//
//   reach [--races N] [--server FILE] [--store FOLDER] NODE    all ways; races open N times altogether. FILE is the socket of
//                                a server outside of the run, in a folder that is XDG_RUNTIME_DIR to the supervisor; FOLDER
//                                has the decisions, which nothing in the run may change
//   reach --serve FILE NODE      is such a server: it hands the open node to whoever connects to FILE, or to its abstract like
//   reach --plain NODE           opens it; exits with 1 if it got it
//   reach --carry NODE COMMAND   runs a command whose descriptor 9 is a socket in which the open node waits
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *node, *node_folder, *node_name, *server, *store;
static dev_t device;
static pid_t program, guard, supervisor;
static char work[64] = "/tmp/reach.XXXXXX";
static long races = 100000;

// -- judging

static int refused(int error) { return error == EBADF || error == EACCES || error == EPERM; }

static int is_node(int fd) {
    struct stat status;
    return fd >= 0 && fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == device;
}

// The file is closed. A device that answers anything but a refusal was reached.
static int usable(int fd) {
    if (fd < 0) return 0;
    int leaks = 0;
    if (is_node(fd)) {
        char byte, facts[104]; // VIDIOC_QUERYCAP
        fcntl(fd, F_SETFL, O_NONBLOCK);
        leaks |= read(fd, &byte, 1) >= 0 || !refused(errno);
        leaks |= ioctl(fd, 0x80685600, facts) >= 0 || !refused(errno);
        void *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
        leaks |= map != MAP_FAILED;
        if (map != MAP_FAILED) munmap(map, 4096);
        errno = EACCES;
    }
    int error = errno;
    close(fd);
    errno = error;
    return leaks;
}

// Both with and without a question to the supervisor.
static int opens(const char *path) {
    return usable(open(path, O_RDWR)) || usable(open(path, O_RDONLY)) || usable(open(path, O_RDONLY | O_CLOEXEC));
}

static int opens_at(int folder, const char *path) {
    return usable(openat(folder, path, O_RDWR)) || usable(openat(folder, path, O_RDONLY | O_CLOEXEC));
}

static char *text(char *into, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *text(char *into, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(into, PATH_MAX, format, list);
    va_end(list);
    return into;
}

// -- plain ways

static int plain(void) { return usable(open(node, O_RDWR)); }
static int reading(void) { return usable(open(node, O_RDONLY)); }
static int reading_unseen(void) { return usable(open(node, O_RDONLY | O_CLOEXEC)); }
static int writing(void) { return usable(open(node, O_WRONLY)); }
static int not_blocking(void) { return usable(open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)); }
// Neither to read nor to write: for ioctl alone.
static int mode_three(void) { return usable(open(node, 3)) || usable(open(node, 3 | O_CLOEXEC)); }
static int creating(void) { return usable((int)syscall(SYS_openat, AT_FDCWD, node, O_RDWR | O_CREAT | O_TRUNC, 0666)); }
#ifdef SYS_creat
static int creat_call(void) { return usable((int)syscall(SYS_creat, node, 0666)); }
#endif
// Flags of no meaning that a filter may trip over.
static int odd_flags(void) {
    return usable((int)syscall(SYS_openat, AT_FDCWD, node, 0xFFFFFFFF00000000ul | O_RDWR)) ||
           usable((int)syscall(SYS_openat, AT_FDCWD, node, O_RDONLY | O_CLOEXEC | O_NOATIME | O_LARGEFILE | FASYNC));
}
static int openat_folder(void) {
    return opens_at(open(node_folder, O_PATH | O_DIRECTORY), node_name) ||
           opens_at(open(node_folder, O_RDONLY | O_DIRECTORY), node_name);
}
static int openat2_call(void) {
    struct open_how how[2] = {{.flags = O_RDWR}}, unseen = {.flags = O_RDONLY | O_CLOEXEC}, path = {.flags = O_PATH};
    return usable((int)syscall(SYS_openat2, AT_FDCWD, node, how, sizeof how)) ||
           usable((int)syscall(SYS_openat2, AT_FDCWD, node, &unseen, sizeof unseen)) ||
           usable((int)syscall(SYS_openat2, AT_FDCWD, node, &path, sizeof path));
}

// -- by another name

static int reopened(void) {
    char name[PATH_MAX];
    int fd = open(node, O_PATH);
    return opens(text(name, "/proc/self/fd/%d", fd)) || opens(text(name, "/dev/fd/%d", fd)) ||
           opens(text(name, "/proc/thread-self/fd/%d", fd));
}
static int fchdir_folder(void) {
    if (fchdir(open(node_folder, O_PATH)) != 0) return 0;
    return opens(node_name);
}
static int chdir_folder(void) { return chdir(node_folder) == 0 && opens(node_name); }
static int symbolic_link(void) {
    char link[PATH_MAX];
    return symlink(node, text(link, "%s/symlink", work)) == 0 && opens(link);
}
static int links_of_links(void) {
    char folder[PATH_MAX], link[PATH_MAX], through[PATH_MAX];
    if (symlink(node_folder, text(folder, "%s/folder", work)) != 0) return 0;
    if (symlink(text(through, "folder/../folder/%s", node_name), text(link, "%s/chain", work)) != 0) return 0;
    return opens(link) || opens(text(through, "%s/folder/%s", work, node_name));
}
static int relative(void) {
    char path[PATH_MAX];
    if (chdir("/proc/self") != 0) return 0;
    return opens(text(path, "../../../%s", node + 1)) || opens(text(path, "//%s//.//%s", node_folder, node_name)) ||
           opens(text(path, "%s/../%s/%s", node_folder, strrchr(node_folder, '/') + 1, node_name));
}
static int by_number(void) {
    char path[PATH_MAX];
    return opens(text(path, "/dev/char/%u:%u", major(device), minor(device)));
}
static int root_of(const char *process) {
    char path[PATH_MAX];
    return opens(text(path, "/proc/%s/root%s", process, node));
}
static int own_root(void) { return root_of("self") || root_of("thread-self"); }
static int first_root(void) { return root_of("1"); }
static int root_of_pid(pid_t process) {
    char number[PATH_MAX];
    return root_of(text(number, "%d", process));
}
static int supervisor_root(void) { return root_of_pid(supervisor) || root_of_pid(guard); }
static int files_of(pid_t process) {
    char path[PATH_MAX];
    for (int fd = 0; fd < 64; fd++)
        if (opens(text(path, "/proc/%d/fd/%d", process, fd))) return 1;
    return 0;
}
static int supervisor_files(void) { return files_of(supervisor) || files_of(guard); }

// -- by a name elsewhere

static const char *const elsewhere[] = {NULL, "/dev/shm", "/dev", "/tmp", "/var/tmp"};
static char *other_name(char *into, int at, const char *what) {
    return text(into, "%s/reach-%s.%d", at == 0 ? node_folder : elsewhere[at], what, getpid());
}

static int hard_link(void) {
    char name[PATH_MAX], source[PATH_MAX];
    int leaks = 0, fd = open(node, O_PATH);
    for (int at = 0; at < 5 && !leaks; at++) {
        if (link(node, other_name(name, at, "link")) != 0 &&
            linkat(AT_FDCWD, text(source, "/proc/self/fd/%d", fd), AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0)
            continue;
        leaks = opens(name);
        unlink(name);
    }
    return leaks;
}
static int renamed(void) {
    char name[PATH_MAX];
    for (int at = 0; at < 5; at++) {
        if (rename(node, other_name(name, at, "moved")) != 0) continue;
        int leaks = opens(name);
        return rename(name, node) == 0 ? leaks : 1;
    }
    return 0;
}
static int exchanged(void) {
    char name[PATH_MAX];
    for (int at = 0; at < 5; at++) {
        int fd = open(other_name(name, at, "exchange"), O_CREAT | O_RDWR, 0600);
        if (fd < 0) continue;
        close(fd);
        int leaks = 0;
        if (renameat2(AT_FDCWD, node, AT_FDCWD, name, RENAME_EXCHANGE) == 0) {
            leaks = opens(name);
            if (renameat2(AT_FDCWD, node, AT_FDCWD, name, RENAME_EXCHANGE) != 0) return 1;
        }
        unlink(name);
        if (leaks) return 1;
    }
    return 0;
}
static int made_node(void) {
    char name[PATH_MAX];
    int leaks = 0;
    for (int at = 0; at < 5 && !leaks; at++) {
        if (mknod(other_name(name, at, "node"), S_IFCHR | 0666, device) != 0) continue;
        leaks = opens(name);
        unlink(name);
    }
    return leaks;
}

// Full rights, over a separate mount table.
static int own_user(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNS); }
static int made_node_as_own_user(void) { return own_user() == 0 && made_node(); }

static int bound(void) {
    char name[PATH_MAX];
    int fd = open(text(name, "%s/bound", work), O_CREAT | O_RDWR, 0600);
    if (fd >= 0) close(fd);
    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    if (mount(node, name, NULL, MS_BIND, NULL) != 0 || !opens(name))
        return mount(node, "/dev/null", NULL, MS_BIND, NULL) == 0 && opens("/dev/null");
    return 1;
}
static int bound_mount(void) { return unshare(CLONE_NEWNS) == 0 && bound(); }
static int bound_mount_as_own_user(void) { return own_user() == 0 && bound(); }
static int remounted(void) {
    char name[PATH_MAX];
    return mkdir(text(name, "%s/mounted", work), 0700) == 0 && mount("devtmpfs", name, "devtmpfs", 0, NULL) == 0 &&
           opens_at(open(name, O_PATH), node_name);
}
static int second_devtmpfs(void) { return unshare(CLONE_NEWNS) == 0 && remounted(); }
static int second_devtmpfs_as_own_user(void) { return own_user() == 0 && remounted(); }
static int cloned(void) {
    char name[PATH_MAX];
    int folder = (int)syscall(SYS_open_tree, AT_FDCWD, node_folder, 1 /* OPEN_TREE_CLONE */);
    if (folder >= 0 && opens_at(folder, node_name)) return 1;
    int file = (int)syscall(SYS_open_tree, AT_FDCWD, node, 1);
    return file >= 0 && opens(text(name, "/proc/self/fd/%d", file));
}
static int cloned_tree(void) { return cloned() || (unshare(CLONE_NEWNS) == 0 && cloned()); }
static int cloned_tree_as_own_user(void) { return own_user() == 0 && cloned(); }
static int new_mount(void) {
    int context = (int)syscall(SYS_fsopen, "devtmpfs", 0);
    if (context < 0 || syscall(SYS_fsconfig, context, 6 /* CMD_CREATE */, NULL, NULL, 0) != 0) return 0;
    int mounted = (int)syscall(SYS_fsmount, context, 0, 0);
    return mounted >= 0 && opens_at(mounted, node_name);
}
static int new_mount_as_own_user(void) { return own_user() == 0 && new_mount(); }
static int new_root(void) {
    char name[PATH_MAX];
    return chroot(node_folder) == 0 && chdir("/") == 0 && opens(text(name, "/%s", node_name));
}
static int new_root_as_own_user(void) { return own_user() == 0 && new_root(); }
static int pivoted_as_own_user(void) {
    char name[PATH_MAX], old[PATH_MAX];
    if (own_user() != 0 || mkdir(text(name, "%s/pivot", work), 0700) != 0) return 0;
    if (mount("tmpfs", name, "tmpfs", 0, NULL) != 0 || mkdir(text(old, "%s/old", name), 0700) != 0) return 0;
    return syscall(SYS_pivot_root, name, old) == 0 && opens(text(name, "/old%s", node));
}

// -- by other calls

static int ring_open(int flags) {
    struct io_uring_params parameters = {0};
    int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
    if (ring < 0) return -1;
    size_t size = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
    char *queue = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
    size_t ended = parameters.cq_off.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe);
    char *done = mmap(NULL, ended, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
    struct io_uring_sqe *entries = mmap(NULL, 4 * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
    if (queue == MAP_FAILED || done == MAP_FAILED || entries == MAP_FAILED) return -1;
    memset(entries, 0, sizeof *entries);
    entries->opcode = IORING_OP_OPENAT;
    entries->fd = AT_FDCWD;
    entries->addr = (uintptr_t)node;
    entries->open_flags = (unsigned)flags;
    *(unsigned *)(queue + parameters.sq_off.array) = 0;
    *(unsigned *)(queue + parameters.sq_off.tail) += 1;
    if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0) return -1;
    int result = ((struct io_uring_cqe *)(done + parameters.cq_off.cqes))->res;
    if (result < 0) errno = -result;
    return result;
}
static int io_ring(void) { return usable(ring_open(O_RDWR)) || usable(ring_open(O_RDONLY | O_CLOEXEC)); }

#ifdef __x86_64__
static int low_open(int flags) {
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (low == MAP_FAILED) return -1;
    strcpy(low, node);
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(5), "b"(low), "c"(flags), "d"(0) : "memory", "r8", "r9", "r10", "r11");
    if ((int)result < 0) errno = -(int)result;
    return (int)result;
}
static int thirty_two_bits(void) { return usable(low_open(O_RDWR)) || usable(low_open(O_RDONLY | O_CLOEXEC)); }
static int x32(void) {
    return usable((int)syscall(0x40000000 + SYS_open, node, O_RDWR)) ||
           usable((int)syscall(0x40000000 + SYS_openat, AT_FDCWD, node, O_RDWR));
}
#endif

static int by_handle(void) {
    struct {
        struct file_handle head;
        unsigned char bytes[MAX_HANDLE_SZ];
    } handle = {.head.handle_bytes = MAX_HANDLE_SZ};
    int mount_id;
    if (name_to_handle_at(AT_FDCWD, node, &handle.head, &mount_id, 0) != 0) return 0;
    int folder = open(node_folder, O_RDONLY | O_DIRECTORY);
    return usable(open_by_handle_at(folder, &handle.head, O_RDWR)) ||
           usable(open_by_handle_at(folder, &handle.head, O_RDONLY | O_CLOEXEC));
}
static int by_handle_as_own_user(void) { return own_user() == 0 && by_handle(); }

// -- by another program or thread

static int ends_with(pid_t child, int code) {
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == code;
}
static int memory_file(void) {
    int from = open("/proc/self/exe", O_RDONLY), to = memfd_create("reach", 0);
    struct stat status;
    if (from < 0 || to < 0 || fstat(from, &status) != 0) return 0;
    for (off_t at = 0; at < status.st_size;)
        if (sendfile(to, from, &at, (size_t)(status.st_size - at)) <= 0) return 0;
    return to;
}
static int executed(int flags) {
    int file = memory_file();
    pid_t child = fork();
    if (child == 0) {
        char *arguments[] = {"reach", "--plain", (char *)node, NULL}, name[PATH_MAX];
        if (flags != 0) syscall(SYS_execveat, file, "", arguments, environ, flags);
        else execv(text(name, "/proc/self/fd/%d", file), arguments);
        _exit(0);
    }
    return ends_with(child, 1);
}
static int memory_executed(void) { return executed(0); }
static int execveat_call(void) { return executed(AT_EMPTY_PATH); }

static void send_file(int to, int fd) {
    char byte = 'f', room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    sendmsg(to, &message, MSG_NOSIGNAL);
}
static int receive_file(int from) {
    char byte, room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct timeval patience = {.tv_sec = 2};
    setsockopt(from, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (recvmsg(from, &message, 0) <= 0 || CMSG_FIRSTHDR(&message) == NULL) return -1;
    int fd;
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}
static int passed(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) return 0;
    pid_t child = fork();
    if (child == 0) {
        int fd = open(node, O_RDWR);
        if (fd >= 0) send_file(ends[1], fd);
        if ((fd = open(node, O_RDONLY | O_CLOEXEC)) >= 0) send_file(ends[1], fd);
        if ((fd = open(node, O_PATH)) >= 0) send_file(ends[1], fd);
        _exit(0);
    }
    close(ends[1]);
    waitpid(child, NULL, 0);
    // The sender has ended by now: what it sent is in nobody's table.
    int leaks = 0, got;
    while (!leaks && (got = receive_file(ends[0])) >= 0) {
        char name[PATH_MAX];
        leaks = opens(text(name, "/proc/self/fd/%d", got)) || usable(got);
    }
    return leaks;
}
static int carried(void) { return usable(receive_file(9)); }
static int inherited(void) {
    for (int fd = 0; fd < 256; fd++)
        if (is_node(fd)) return usable(fd);
    return 0;
}
static int not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0) == 0 && opens(node); }
static void *own_table(void *leaks) {
    if (unshare(CLONE_FILES | CLONE_FS) == 0) *(int *)leaks = opens(node) || openat_folder();
    return NULL;
}
static int table_of_its_own(void) {
    int leaks = 0;
    pthread_t thread;
    return pthread_create(&thread, NULL, own_table, &leaks) == 0 && pthread_join(thread, NULL) == 0 && leaks;
}
static void *open_often(void *count) {
    for (int i = 0; i < 3; i++)
        if (usable(open(node, i % 2 ? O_RDWR : O_RDONLY | O_NONBLOCK))) atomic_fetch_add((atomic_int *)count, 1);
    return NULL;
}
// More calls at once than a supervisor may want to answer.
static int exhausted(void) {
    enum { MOST = 300 };
    pthread_t threads[MOST];
    atomic_int count = 0;
    int made = 0;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    while (made < MOST && pthread_create(&threads[made], &small, open_often, &count) == 0) made++;
    for (int i = 0; i < made; i++) pthread_join(threads[i], NULL);
    return count > 0;
}
static int second_listener(void) {
    struct sock_filter steps[] = {{0x06, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog filter = {1, steps};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter) >= 0;
}
static int tracee_opens(void) {
    // A tracer replaces the call that was checked by another one.
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        _exit(usable(open(node, O_RDWR)) ? 1 : 0);
    }
    int status;
    waitpid(child, &status, 0);
    while (ptrace(PTRACE_SYSCALL, child, NULL, NULL) == 0 && waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {}
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

// -- against who guards

static int either(int (*of)(pid_t)) { return of(supervisor) || of(guard); }

static int traces(pid_t process) {
    if (ptrace(PTRACE_SEIZE, process, NULL, NULL) != 0) return 0;
    ptrace(PTRACE_DETACH, process, NULL, NULL);
    return 1;
}
static int takes_file(pid_t process) {
    int pidfd = (int)syscall(SYS_pidfd_open, process, 0);
    for (int fd = 0; pidfd >= 0 && fd < 64; fd++)
        if (syscall(SYS_pidfd_getfd, pidfd, fd, 0) >= 0) return 1;
    return 0;
}
static int reads_memory(pid_t process) {
    char path[PATH_MAX], line[256];
    uint64_t at = 0, word;
    FILE *maps = fopen(text(path, "/proc/%d/maps", process), "re");
    if (maps != NULL && fgets(line, sizeof line, maps) != NULL) at = strtoull(line, NULL, 16);
    struct iovec here = {&word, sizeof word}, there = {(void *)(uintptr_t)at, sizeof word};
    if (at != 0 && process_vm_readv(process, &here, 1, &there, 1, 0) > 0) return 1;
    return open(text(path, "/proc/%d/mem", process), O_RDWR) >= 0;
}
static int signals(pid_t process) {
    siginfo_t info = {.si_code = SI_QUEUE, .si_signo = SIGWINCH};
    int pidfd = (int)syscall(SYS_pidfd_open, process, 0);
    return kill(process, SIGWINCH) == 0 || syscall(SYS_tgkill, process, process, SIGWINCH) == 0 ||
           syscall(SYS_tkill, process, SIGWINCH) == 0 || syscall(SYS_rt_sigqueueinfo, process, SIGWINCH, &info) == 0 ||
           syscall(SYS_pidfd_send_signal, pidfd, SIGWINCH, NULL, 0) == 0;
}
static char state(pid_t process) {
    char path[PATH_MAX], line[512] = "";
    FILE *file = fopen(text(path, "/proc/%d/stat", process), "re");
    if (file == NULL || fgets(line, sizeof line, file) == NULL) return '?';
    fclose(file);
    char *end = strrchr(line, ')');
    return end == NULL ? '?' : end[2];
}
// The kernel sends it for a file whose owner the process is made.
static int stops_by_file(pid_t process) {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK) != 0 || fcntl(ends[0], F_SETOWN, process) != 0) return 0;
    fcntl(ends[0], F_SETSIG, SIGSTOP);
    fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    if (write(ends[1], "x", 1) != 1) return 0;
    for (int i = 0; i < 20; i++) {
        // No owner from now on: closing the ends would send it again.
        if (state(process) == 'T') return fcntl(ends[0], F_SETOWN, 0), kill(process, SIGCONT), 1;
        usleep(5000);
    }
    return 0;
}
static int limits(pid_t process) {
    struct rlimit old;
    return prlimit(process, RLIMIT_CORE, NULL, &old) == 0 && prlimit(process, RLIMIT_CORE, &old, NULL) == 0;
}
static int slows(pid_t process) {
    struct sched_param none = {0};
    return sched_setscheduler(process, SCHED_OTHER, &none) == 0 || setpriority(PRIO_PROCESS, (id_t)process, 0) == 0;
}
// The kernel then ends it first where memory is short. Root may do so to anybody.
static int sacrifices(pid_t process) {
    char path[PATH_MAX];
    return geteuid() != 0 && open(text(path, "/proc/%d/oom_score_adj", process), O_WRONLY | O_CLOEXEC) >= 0;
}
static int sacrificing(void) { return sacrifices(guard); }
static int tracing(void) { return either(traces); }
static int taking_files(void) { return either(takes_file); }
static int reading_memory(void) { return either(reads_memory); }
static int signalling(void) { return either(signals); }
static int stopping_by_file(void) { return either(stops_by_file); }
static int limiting(void) { return either(limits); }
static int slowing(void) { return either(slows); }

// A group of processes that is frozen takes nothing back.
static int freezing(void) {
    static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/freezer", "/sys/fs/cgroup/cpu"};
    char line[PATH_MAX], path[PATH_MAX];
    FILE *file = fopen(text(path, "/proc/%d/cgroup", supervisor), "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = 0;
        const char *group = strrchr(line, ':') + 1;
        for (int i = 0; i < 4; i++)
            if (open(text(path, "%s%s/cgroup.procs", mounts[i], group), O_WRONLY | O_CLOEXEC) >= 0) return 1;
    }
    return 0;
}
static int entered(void) {
    char path[PATH_MAX];
    static const char *const kinds[] = {"user", "mnt", "pid"};
    int pidfd = (int)syscall(SYS_pidfd_open, supervisor, 0);
    if (pidfd >= 0 && syscall(SYS_setns, pidfd, CLONE_NEWNS) == 0) return opens(node);
    for (int i = 0; i < 3; i++) {
        int fd = open(text(path, "/proc/%d/ns/%s", i == 2 ? 1 : supervisor, kinds[i]), O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && setns(fd, 0) == 0 && opens(node)) return 1;
    }
    return 0;
}
static int typing(void) {
    int front = posix_openpt(O_RDWR | O_NOCTTY);
    if (front < 0 || grantpt(front) != 0 || unlockpt(front) != 0 || setsid() < 0) return 0;
    int back = open(ptsname(front), O_RDWR);
    ioctl(back, TIOCSCTTY, 0);
    return ioctl(back, TIOCSTI, "x") == 0 || syscall(SYS_ioctl, back, 0xFFFFFFFF00000000ul | TIOCSTI, "x") == 0;
}
// A program that can write the decisions needs no permission.
static int deciding(void) {
    char path[PATH_MAX];
    if (store == NULL) return 0;
    if (open(text(path, "%s/grants.sqlite", store), O_RDWR | O_CLOEXEC) >= 0) return 1;
    if (open(text(path, "%s/reach.new", store), O_RDWR | O_CREAT, 0600) >= 0) return unlink(path), 1;
    char moved[PATH_MAX];
    return rename(store, text(moved, "%s.moved", store)) == 0 && (rename(moved, store), 1);
}

// -- by a server outside of the run

static socklen_t address_of(struct sockaddr_un *address, const char *path, int is_abstract) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    size_t length = strnlen(path, sizeof address->sun_path - 2);
    memcpy(address->sun_path + is_abstract, path, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
}
static int asks(const char *path, int is_abstract) {
    struct sockaddr_un address;
    socklen_t length = address_of(&address, path, is_abstract);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), leaks = 0;
    if (server != NULL && connect(fd, (struct sockaddr *)&address, length) == 0) leaks = usable(receive_file(fd));
    int error = errno;
    close(fd);
    errno = error;
    return leaks;
}
static int connected(void) { return asks(server, 0); }
static int connected_abstract(void) { return asks(server, 1); }
static int connected_by_link(void) {
    char link[PATH_MAX];
    return server != NULL && symlink(server, text(link, "%s/server", work)) == 0 && asks(link, 0);
}
static int connected_relative(void) {
    char folder[PATH_MAX];
    if (server == NULL) return 0;
    *strrchr(text(folder, "%s", server), '/') = 0;
    return chdir(folder) == 0 && asks(strrchr(server, '/') + 1, 0);
}
// The same socket, by the name of one that is harmless.
static char *harmless_name(char *into, const char *what) {
    text(into, "%s", server);
    text(strrchr(into, '/'), "/wayland-%s", what);
    return into;
}
static int connected_by_hard_link(void) {
    char name[PATH_MAX];
    if (server == NULL || link(server, harmless_name(name, "link")) != 0) return 0;
    int leaks = asks(name, 0);
    unlink(name);
    return leaks;
}
static int connected_renamed(void) {
    char name[PATH_MAX];
    if (server == NULL || rename(server, harmless_name(name, "moved")) != 0) return 0;
    int leaks = asks(name, 0);
    rename(name, server);
    return leaks;
}

// -- races: another thread changes what a call means, after it was looked at and before it is made

static atomic_int racing;
static char *raced_path;
static struct sockaddr_un raced_address;
static char one[PATH_MAX], two[PATH_MAX];
static int raced_fd, first_fd, second_fd;

static void *change_path(void *unused) {
    size_t length = strlen(one) + 1;
    while (racing) {
        memcpy(raced_path, one, length);
        memcpy(raced_path, two, length);
    }
    return unused;
}
static void *change_link(void *unused) {
    while (racing) renameat2(AT_FDCWD, one, AT_FDCWD, two, RENAME_EXCHANGE);
    return unused;
}
static void *change_file(void *unused) {
    while (racing) {
        dup2(first_fd, raced_fd);
        dup2(second_fd, raced_fd);
    }
    return unused;
}
static void *change_folder(void *unused) {
    while (racing) {
        if (chdir(work) != 0 || chdir(node_folder) != 0) break;
    }
    return unused;
}
static void *change_address(void *unused) {
    while (racing) {
        memcpy(raced_address.sun_path, one, strlen(one) + 1);
        memcpy(raced_address.sun_path, two, strlen(two) + 1);
    }
    return unused;
}

// The descriptors' number in the table is read first: it costs no more than the race.
static long race(void *(*change)(void *), int folder, const char *path, long count) {
    static const int flags[] = {O_RDWR, O_RDONLY, O_RDONLY | O_CLOEXEC, 3};
    pthread_t thread;
    long leaks = 0;
    racing = 1;
    if (pthread_create(&thread, NULL, change, NULL) != 0) return -1;
    for (long i = 0; i < count; i++) {
        int fd = openat(folder, path, flags[i & 3]);
        if (fd >= 0) leaks += usable(fd);
    }
    racing = 0;
    pthread_join(thread, NULL);
    return leaks;
}
static long path_race(long count) {
    static char path[PATH_MAX];
    raced_path = path;
    text(one, "%s", node);
    // Of one length, so that each half-written one is none.
    int longer = (int)strlen(node) - 9;
    if (longer < 0) longer = 0;
    text(two, "%.*s/dev/null", longer, "////////////////////////////////////////");
    strcpy(path, two);
    return race(change_path, AT_FDCWD, path, count);
}
static long link_race(long count) {
    text(one, "%s/one", work);
    text(two, "%s/two", work);
    if (symlink(node, one) != 0 || symlink("/dev/null", two) != 0) return -1;
    return race(change_link, AT_FDCWD, two, count);
}
static int decoy(void) {
    char path[PATH_MAX];
    return symlink("/dev/null", text(path, "%s/%s", work, node_name));
}
static long folder_race(long count) {
    decoy();
    first_fd = open(node_folder, O_PATH), second_fd = open(work, O_PATH), raced_fd = dup(second_fd);
    return race(change_file, raced_fd, node_name, count);
}
static long chdir_race(long count) {
    decoy();
    return chdir(work) == 0 ? race(change_folder, AT_FDCWD, node_name, count) : -1;
}
// A descriptor of the node that is no more than a name is exchanged with a harmless one.
static long control_race(long count) {
    char facts[104];
    long leaks = 0;
    pthread_t thread;
    first_fd = open(node, O_PATH), second_fd = open("/dev/null", O_RDWR), raced_fd = dup(second_fd);
    int mode = open(node, 3);
    if (mode >= 0) first_fd = mode;
    racing = 1;
    if (pthread_create(&thread, NULL, change_file, NULL) != 0) return -1;
    for (long i = 0; i < count; i++) leaks += ioctl(raced_fd, 0x80685600, facts) >= 0;
    racing = 0;
    pthread_join(thread, NULL);
    return leaks;
}
static long address_race(long count) {
    if (server == NULL) return 0;
    struct sockaddr_un own;
    pthread_t thread;
    long leaks = 0;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    socklen_t length = address_of(&own, text(one, "%s/own", work), 0);
    if (bind(listener, (struct sockaddr *)&own, length) != 0 || listen(listener, 128) != 0) return -1;
    text(two, "%s", server);
    address_of(&raced_address, two, 0);
    racing = 1;
    if (pthread_create(&thread, NULL, change_address, NULL) != 0) return -1;
    for (long i = 0; i < count; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), peer;
        struct timeval soon = {.tv_usec = 1000};
        if (connect(fd, (struct sockaddr *)&raced_address, sizeof raced_address) == 0) {
            while ((peer = accept(listener, NULL, NULL)) >= 0) close(peer);
            setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
            leaks += usable(receive_file(fd));
        }
        close(fd);
    }
    racing = 0;
    pthread_join(thread, NULL);
    return leaks;
}

// -- all of them

static const struct way {
    const char *name;
    int (*attempt)(void);
    // Instead, with a share of all openings in hundredths.
    long (*race)(long);
    int share;
} ways[] = {
    {"plain", plain, NULL, 0},
    {"read only", reading, NULL, 0},
    {"read only, unseen by the filter", reading_unseen, NULL, 0},
    {"write only", writing, NULL, 0},
    {"not blocking", not_blocking, NULL, 0},
    {"mode 3", mode_three, NULL, 0},
    {"created", creating, NULL, 0},
#ifdef SYS_creat
    {"creat", creat_call, NULL, 0},
#endif
    {"odd flags", odd_flags, NULL, 0},
    {"openat", openat_folder, NULL, 0},
    {"openat2", openat2_call, NULL, 0},
    {"O_PATH, reopened", reopened, NULL, 0},
    {"fchdir", fchdir_folder, NULL, 0},
    {"chdir", chdir_folder, NULL, 0},
    {"symbolic link", symbolic_link, NULL, 0},
    {"links of links", links_of_links, NULL, 0},
    {"relative path", relative, NULL, 0},
    {"name by number", by_number, NULL, 0},
    {"own root", own_root, NULL, 0},
    {"root of process 1", first_root, NULL, 0},
    {"root of the supervisor", supervisor_root, NULL, 0},
    {"files of the supervisor", supervisor_files, NULL, 0},
    {"hard link", hard_link, NULL, 0},
    {"renamed", renamed, NULL, 0},
    {"exchanged", exchanged, NULL, 0},
    {"mknod", made_node, NULL, 0},
    {"mknod as own user", made_node_as_own_user, NULL, 0},
    {"bind mount", bound_mount, NULL, 0},
    {"bind mount as own user", bound_mount_as_own_user, NULL, 0},
    {"second devtmpfs", second_devtmpfs, NULL, 0},
    {"second devtmpfs as own user", second_devtmpfs_as_own_user, NULL, 0},
    {"open_tree", cloned_tree, NULL, 0},
    {"open_tree as own user", cloned_tree_as_own_user, NULL, 0},
    {"fsmount", new_mount, NULL, 0},
    {"fsmount as own user", new_mount_as_own_user, NULL, 0},
    {"chroot", new_root, NULL, 0},
    {"chroot as own user", new_root_as_own_user, NULL, 0},
    {"pivot_root as own user", pivoted_as_own_user, NULL, 0},
    {"io_uring", io_ring, NULL, 0},
#ifdef __x86_64__
    {"int 0x80", thirty_two_bits, NULL, 0},
    {"x32", x32, NULL, 0},
#endif
    {"file handle", by_handle, NULL, 0},
    {"file handle as own user", by_handle_as_own_user, NULL, 0},
    {"static program in memory", memory_executed, NULL, 0},
    {"execveat", execveat_call, NULL, 0},
    {"passed by a child that ended", passed, NULL, 0},
    {"waiting in an inherited socket", carried, NULL, 0},
    {"inherited", inherited, NULL, 0},
    {"not dumpable", not_dumpable, NULL, 0},
    {"table of its own", table_of_its_own, NULL, 0},
    {"300 threads", exhausted, NULL, 0},
    {"second listener", second_listener, NULL, 0},
    {"traced child", tracee_opens, NULL, 0},
    {"ptrace", tracing, NULL, 0},
    {"pidfd_getfd", taking_files, NULL, 0},
    {"memory of the supervisor", reading_memory, NULL, 0},
    {"signals", signalling, NULL, 0},
    {"signals by a file", stopping_by_file, NULL, 0},
    {"limits of the supervisor", limiting, NULL, 0},
    {"priority of the supervisor", slowing, NULL, 0},
    {"guard of which memory is taken first", sacrificing, NULL, 0},
    {"frozen group", freezing, NULL, 0},
    {"namespaces of the supervisor", entered, NULL, 0},
    {"typing into the terminal", typing, NULL, 0},
    {"decisions written", deciding, NULL, 0},
    {"server", connected, NULL, 0},
    {"abstract server", connected_abstract, NULL, 0},
    {"server by a symbolic link", connected_by_link, NULL, 0},
    {"server by a relative path", connected_relative, NULL, 0},
    {"server by a hard link", connected_by_hard_link, NULL, 0},
    {"server renamed", connected_renamed, NULL, 0},
    {"race of paths", NULL, path_race, 45},
    {"race of links", NULL, link_race, 20},
    {"race of folders", NULL, folder_race, 15},
    {"race of working folders", NULL, chdir_race, 15},
    {"race of controls", NULL, control_race, 4},
    {"race of addresses", NULL, address_race, 1},
};

struct verdict {
    long leaks, count;
    int error;
};

// In a separate process, which may change itself freely. Returns 1 for a leak, 0, or -1 if it was lost.
static int judge(const struct way *way, struct verdict *verdict) {
    *verdict = (struct verdict){0};
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(way->race != NULL ? 600 : 60);
        errno = 0;
        verdict->count = races * way->share / 100;
        verdict->leaks = way->race != NULL ? way->race(verdict->count) : way->attempt();
        verdict->error = errno;
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return -1;
    return verdict->leaks > 0;
}

static pid_t parent_of(pid_t process) {
    char path[PATH_MAX], line[512] = "";
    FILE *file = fopen(text(path, "/proc/%d/stat", process), "re");
    pid_t parent = 0;
    if (file != NULL && fgets(line, sizeof line, file) != NULL && strrchr(line, ')') != NULL)
        sscanf(strrchr(line, ')') + 4, "%d", &parent);
    if (file != NULL) fclose(file);
    return parent;
}

static int run_all(void) {
    struct verdict *verdict = mmap(NULL, sizeof *verdict, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int counts[3] = {0};
    program = getpid(), guard = getppid(), supervisor = parent_of(guard);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char folder[PATH_MAX];
        snprintf(work, sizeof work, "/tmp/reach.XXXXXX");
        if (mkdtemp(work) == NULL) return perror(work), 70;
        int result = judge(&ways[i], verdict);
        counts[result < 0 ? 2 : !result]++;
        const char *word = result < 0 ? "lost" : result ? "leak" : "held";
        if (ways[i].race != NULL) {
            printf("%s %s: %ld of %ld\n", word, ways[i].name, verdict->leaks, verdict->count);
        } else {
            printf("%s %s: %s\n", word, ways[i].name, result > 0 ? "reached" : strerror(verdict->error));
        }
        if (fork() == 0) execl("/bin/rm", "rm", "-rf", text(folder, "%s", work), NULL), _exit(127);
        wait(NULL);
    }
    printf("%d leak, %d held, %d lost\n", counts[0], counts[1], counts[2]);
    return counts[0] > 0 || counts[2] > 0;
}

static int serve(const char *path) {
    struct sockaddr_un address;
    struct pollfd listeners[2];
    for (int i = 0; i < 2; i++) {
        socklen_t length = address_of(&address, path, i);
        listeners[i] = (struct pollfd){.fd = socket(AF_UNIX, SOCK_STREAM, 0), .events = POLLIN};
        if (bind(listeners[i].fd, (struct sockaddr *)&address, length) != 0 || listen(listeners[i].fd, 128) != 0)
            return perror(path), 70;
    }
    chmod(path, 0666);
    puts("serving");
    fflush(stdout);
    while (poll(listeners, 2, -1) >= 0) {
        for (int i = 0; i < 2; i++) {
            if (listeners[i].revents == 0) continue;
            int peer = accept(listeners[i].fd, NULL, NULL), fd = open(node, O_RDWR);
            if (peer >= 0 && fd >= 0) send_file(peer, fd);
            if (fd >= 0) close(fd);
            if (peer >= 0) close(peer);
        }
    }
    return 70;
}

static int carry(char **command) {
    int ends[2], fd = open(node, O_RDWR);
    if (fd < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return perror(node), 70;
    send_file(ends[1], fd);
    dup2(ends[0], 9);
    close(ends[0]);
    close(fd);
    if (ends[1] == 9) return 70;
    execv(command[0], command);
    return perror(command[0]), 70;
}

static void set_node(const char *path) {
    static char folder[PATH_MAX];
    struct stat status;
    if (path[0] != '/' || stat(path, &status) != 0 || !S_ISCHR(status.st_mode)) {
        fprintf(stderr, "reach: %s is no path of a device node\n", path);
        exit(64);
    }
    node = path;
    node_name = strrchr(path, '/') + 1;
    text(folder, "%.*s", (int)(node_name - path - 1), path);
    node_folder = folder;
    device = status.st_rdev;
}

int main(int count, char **arguments) {
    char **last = arguments + count;
    signal(SIGPIPE, SIG_IGN);
    for (arguments++; arguments + 1 < last && strncmp(*arguments, "--", 2) == 0; arguments += 2) {
        if (strcmp(*arguments, "--plain") == 0) return set_node(arguments[1]), plain() || reading_unseen();
        if (strcmp(*arguments, "--serve") == 0 && arguments + 2 < last) return set_node(arguments[2]), serve(arguments[1]);
        if (strcmp(*arguments, "--carry") == 0 && arguments + 2 < last) return set_node(arguments[1]), carry(arguments + 2);
        if (strcmp(*arguments, "--races") == 0) races = atol(arguments[1]);
        if (strcmp(*arguments, "--server") == 0) server = arguments[1];
        if (strcmp(*arguments, "--store") == 0) store = arguments[1];
    }
    if (arguments >= last) return fprintf(stderr, "reach: name a node\n"), 64;
    set_node(*arguments);
    return run_all();
}
