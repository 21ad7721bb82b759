// Preloaded (LD_PRELOAD) into the rig kernel, lets it run on processors whose register state is larger than it knows.
//
// User-mode Linux 6.12 gets and sets its processes' registers in 2696 bytes, which was all of them up to AVX-512. Where there
// is AMX the state is larger, and the host then refuses to set a part of it (EFAULT; ptrace(2), NT_X86_XSTATE). Here the
// part is set as a whole whose other components are in their initial state: nothing inside may use them anyway, since that
// takes a permission (arch_prctl(2), ARCH_REQ_XCOMP_PERM) which that kernel does not give.
#define _GNU_SOURCE
#include <cpuid.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

typedef long call(int, ...);

enum { most = 64 * 1024, components_at = 512, components = 63 };

// How large the host's state is (Intel SDM 1, 13.5: CPUID.0DH.0H), bytes.
static size_t whole_size(int pid) {
    static unsigned char state[most];
    struct iovec place = {state, sizeof(state)};
    call *next = (call *)dlsym(RTLD_NEXT, "ptrace");
    return next(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &place) < 0 ? 0 : place.iov_len;
}

// Components within this number of bytes, in ptrace's format (CPUID.0DH.iH: size and offset).
static uint64_t components_within(size_t size) {
    uint64_t within = 3; // x87 and SSE, in the legacy region
    for (unsigned i = 2; i < components; i++) {
        unsigned length, offset, c, d;
        if (__get_cpuid_count(0x0d, i, &length, &offset, &c, &d) && length && offset + length <= size)
            within |= (uint64_t)1 << i;
    }
    return within;
}

static long set_whole(call *next, int pid, const struct iovec *part) {
    static unsigned char state[most];
    static uint64_t within;
    static size_t size;
    if (!size) {
        size = whole_size(pid);
        within = components_within(part->iov_len);
    }
    if (part->iov_len >= size) return next(PTRACE_SETREGSET, pid, NT_X86_XSTATE, part);
    memcpy(state, part->iov_base, part->iov_len);
    uint64_t used;
    memcpy(&used, state + components_at, sizeof(used));
    used &= within;
    memcpy(state + components_at, &used, sizeof(used));
    struct iovec whole = {state, size};
    return next(PTRACE_SETREGSET, pid, NT_X86_XSTATE, &whole);
}

long ptrace(enum __ptrace_request request, ...) {
    va_list list;
    va_start(list, request);
    int pid = va_arg(list, int);
    void *address = va_arg(list, void *), *data = va_arg(list, void *);
    va_end(list);
    call *next = (call *)dlsym(RTLD_NEXT, "ptrace");
    if (request == PTRACE_SETREGSET && (uintptr_t)address == NT_X86_XSTATE) return set_whole(next, pid, data);
    return next((int)request, pid, address, data);
}
