// Counts what capture threads do between two waits: calls that allocate or free, calls that lock, and futex calls to the
// kernel; and looks how they are scheduled. Loaded with LD_PRELOAD by capture-thread and realtime-kit; says a line a thread
// when the process ends.
//
//   COUNT_REPORT=FILE   where the lines go
//   COUNT_PLANT=WHAT    does that once on each capture thread, so that the counters can be seen to count: allocation,
//                       lock, futex
//   COUNT_TURNS=N COUNT_THREADS=M    ends the program by SIGTERM once M capture threads have made N turns
//
// A capture thread is one while it bears a name that starts with "capturegate.". Its turns begin with poll(2). The first
// ones are left out: pages, bindings and buffers come into being there. What follows the last poll, the end, is so too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { warm_up = 10, planted_turn = 20, most_threads = 64 };
enum kind { allocation, release, lock, futex, kinds };
static const char *const names[kinds] = {"allocations", "releases", "locks", "futexes"};

struct thread {
    char name[32];
    long turns;
    // Of the current turn, and of all finished ones.
    long current[kinds], all[kinds];
    // At the first turn, and after the last one.
    int policy, priority, policy_after;
    int is_watched;
};

static struct thread threads[most_threads];
static atomic_int thread_count;
static long wanted_turns, wanted_threads;
static atomic_long ready_threads;
// Without the library's help, which allocates.
static __thread struct thread *mine __attribute__((tls_model("initial-exec")));

static void count(enum kind kind) {
    if (mine) mine->current[kind]++;
}

#define REAL(function) ({ \
    static __typeof__(&function) real; \
    if (!real) real = (__typeof__(&function))dlsym(RTLD_NEXT, #function); \
    real; })

// glibc's own names for these: the search for the next ones would allocate.
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) { count(allocation); return __libc_malloc(size); }
void *calloc(size_t items, size_t size) { count(allocation); return __libc_calloc(items, size); }
void *realloc(void *old, size_t size) { count(allocation); return __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { count(allocation); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
void free(void *memory) { if (memory) count(release); __libc_free(memory); }

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *memory = memalign(alignment, size);
    if (!memory) return ENOMEM;
    *out = memory;
    return 0;
}

#define LOCKS(function, type) int function(type *lock_) { count(lock); return REAL(function)(lock_); }
LOCKS(pthread_mutex_lock, pthread_mutex_t)
LOCKS(pthread_mutex_trylock, pthread_mutex_t)
LOCKS(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCKS(pthread_rwlock_tryrdlock, pthread_rwlock_t)
LOCKS(pthread_rwlock_wrlock, pthread_rwlock_t)
LOCKS(pthread_rwlock_trywrlock, pthread_rwlock_t)
LOCKS(sem_wait, sem_t)
LOCKS(sem_trywait, sem_t)
int pthread_spin_lock(pthread_spinlock_t *lock_) { count(lock); return REAL(pthread_spin_lock)(lock_); }

// What calls the kernel without any of these names, a contended lock of Swift's or of glibc's own, is trapped on the way:
// the handler counts it and makes the call, told from others by the upper half of a register that the kernel ignores.
static const uint64_t passed = UINT64_C(0x63676374) << 32;

static void on_futex(int signal, siginfo_t *why, void *context) {
    (void)signal;
    if (why->si_syscall != SYS_futex) abort();
    int saved = errno;
    count(futex);
#if defined(__x86_64__)
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    long result = syscall(SYS_futex, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8],
                          (uint64_t)r[REG_R9] << 32 >> 32 | passed);
    r[REG_RAX] = result < 0 ? -errno : result;
#elif defined(__aarch64__)
    unsigned long long *r = ((ucontext_t *)context)->uc_mcontext.regs;
    long result = syscall(SYS_futex, r[0], r[1], r[2], r[3], r[4], r[5] << 32 >> 32 | passed);
    r[0] = (unsigned long long)(result < 0 ? -errno : result);
#else
#error "The registers of a system call are not known here"
#endif
    errno = saved;
}

// For the calling thread only, and permanently: a thread that has it already needs no second one.
static int watch_futexes(void) {
    static __thread int is_watched __attribute__((tls_model("initial-exec")));
    if (is_watched) return 1;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5]) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(passed >> 32), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    struct sigaction action = {.sa_sigaction = on_futex, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (sigaction(SIGSYS, &action, NULL) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return 0;
    is_watched = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
    return is_watched;
}

static void begin(const char *name) {
    int at = atomic_fetch_add(&thread_count, 1);
    if (at >= most_threads) return;
    struct thread *thread = &threads[at];
    snprintf(thread->name, sizeof thread->name, "%s", name);
    thread->is_watched = watch_futexes();
    mine = thread;
}

int pthread_setname_np(pthread_t thread, const char *name) {
    if (thread == pthread_self()) {
        if (mine) mine->policy_after = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
        mine = NULL;
        if (strncmp(name, "capturegate.", 12) == 0) begin(name);
    }
    return REAL(pthread_setname_np)(thread, name);
}

// By way of the program's own bindings, as any library's call.
static void plant(const char *what) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static uint32_t word;
    if (strcmp(what, "allocation") == 0) {
        void *(*volatile allocate)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "malloc");
        void (*volatile give_back)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "free");
        give_back(allocate(100));
    }
    if (strcmp(what, "lock") == 0) {
        int (*volatile take)(pthread_mutex_t *) = (int (*)(pthread_mutex_t *))dlsym(RTLD_DEFAULT, "pthread_mutex_lock");
        take(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    if (strcmp(what, "futex") == 0) syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void turn(struct thread *thread) {
    long number = ++thread->turns;
    if (number == 1) {
        struct sched_param parameter = {0};
        thread->policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
        sched_getparam(0, &parameter);
        thread->priority = parameter.sched_priority;
    }
    for (int kind = 0; kind < kinds; kind++) {
        if (number > warm_up) thread->all[kind] += thread->current[kind];
        thread->current[kind] = 0;
    }
    const char *what = number == planted_turn ? getenv("COUNT_PLANT") : NULL;
    if (what) plant(what);
    if (number == wanted_turns && atomic_fetch_add(&ready_threads, 1) + 1 == wanted_threads) kill(getpid(), SIGTERM);
}

__attribute__((constructor)) static void read_wishes(void) {
    const char *turns = getenv("COUNT_TURNS"), *count = getenv("COUNT_THREADS");
    wanted_turns = turns ? atol(turns) : 0;
    wanted_threads = count ? atol(count) : 1;
}

int poll(struct pollfd *descriptors, nfds_t descriptor_count, int milliseconds) {
    if (mine) turn(mine);
    return REAL(poll)(descriptors, descriptor_count, milliseconds);
}

static void report(void) {
    const char *path = getenv("COUNT_REPORT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file < 0) return;
    int count = atomic_load(&thread_count);
    for (int at = 0; at < count && at < most_threads; at++) {
        struct thread *thread = &threads[at];
        dprintf(file, "%s turns=%ld policy=%d priority=%d after=%d", thread->name, thread->turns, thread->policy,
                thread->priority, thread->policy_after);
        for (int kind = 0; kind < futex; kind++) dprintf(file, " %s=%ld", names[kind], thread->all[kind]);
        if (thread->is_watched) dprintf(file, " %s=%ld\n", names[futex], thread->all[futex]);
        else dprintf(file, " %s=unwatched\n", names[futex]);
    }
    close(file);
}

// The program ends so, past all destructors.
void _exit(int status) {
    report();
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}
