#pragma once

#include <stddef.h>
#include <stdint.h>

// Reported calls of a confined process, and the calls with which a supervisor makes them itself: seccomp_unotify(2). Why shims:
// glibc wraps none of them, and the structs are in kernel headers that Swift's Glibc module lacks.

struct cs_reported_call {
    uint64_t id;
    uint32_t thread;  // its id in this pid namespace
    int32_t number;
    uint64_t arguments[6];
};

// Calls are reported, and answered, on the processor that the caller runs on: Linux 6.6, otherwise -EINVAL or -ENOTTY.
int cs_report_on_same_processor(int listener);
// Waits for a call: -ENOENT if its thread was killed meanwhile (call again).
int cs_report_receive(int listener, struct cs_reported_call *out);
// 0 while the thread still waits for the answer: its id has not been given to another one.
int cs_report_is_valid(int listener, uint64_t id);
// The call returns `value`, or fails with `error` (positive).
int cs_report_answer(int listener, uint64_t id, int64_t value, int error);
// The kernel makes the call as if there were no filter; its arguments may have changed since they were read.
int cs_report_continue(int listener, uint64_t id);
// The call returns a new descriptor of `descriptor`'s description: its number. Linux 5.14.
int cs_report_inject(int listener, uint64_t id, int descriptor, int closes_on_exec);

// A descriptor of a thread's process, by the thread's own table of descriptors where the kernel can (Linux 6.9).
int cs_pidfd_open_thread(int thread);
// A duplicate of another process's descriptor: the same description. Needs the right to trace it.
int cs_pidfd_getfd(int process, int descriptor);
// process_vm_readv(2) and process_vm_writev(2): bytes copied, fewer where the memory ends.
int64_t cs_memory_read(int process, uint64_t address, void *out, size_t count);
int64_t cs_memory_write(int process, uint64_t address, const void *bytes, size_t count);

enum {
    CS_RESOLVE_NO_MAGIC_LINKS = 0x02,
    CS_RESOLVE_CACHED = 0x20,
};
// openat2(2); O_CLOEXEC is added.
int cs_openat2(int directory, const char *path, uint64_t flags, uint64_t resolve);
// ioctl(2) with a pointer or a number.
int cs_ioctl(int fd, uint32_t request, void *argument);
int cs_connect(int fd, const void *address, uint32_t length);
// The domain, or the type, of a socket.
int cs_socket_domain(int fd);
int cs_socket_type(int fd);
// A new socket of a domain and type, close-on-exec and non-blocking.
int cs_socket(int domain, int type);
// The process that listens at a connected Unix socket, if it still runs: -ESRCH otherwise. Linux 6.5.
int cs_peer_process(int fd);
// The path that the socket at the other end was bound to, whatever it is called by now: its length, or 0 if it has none.
int cs_peer_path(int fd, char *out, size_t size);
// 1 if a message that waits in a Unix socket has open files in it.
int cs_carries_files(int fd);
// New descriptor for an open file, closed on exec.
int cs_duplicate(int fd);
int cs_set_nonblocking(int fd, int is_nonblocking);

// An epoll(7) instance as a register of open descriptions: it knows one as long as anybody has it open or mapped, and does not
// keep it open itself.
int cs_register_open(void);
// Notes a description, known or not, with a mark, which /proc/self/fdinfo shows. Each is noted under the number `reserved`,
// which belongs to the caller and is open; its own description is kept in `rest`. One call at a time.
int cs_register_note(int registry, int descriptor, uint64_t mark, int reserved, int rest);

// An epoll(7) instance whose descriptors are each reported once: EPOLLIN with EPOLLONESHOT, until they are armed again.
int cs_readiness_open(void);
int cs_readiness_arm(int queue, int descriptor, uint64_t mark);
// Forgets a descriptor, armed or not.
int cs_readiness_forget(int queue, int descriptor);
// Waits without a limit for one that is ready; its mark in `mark`.
int cs_readiness_next(int queue, uint64_t *mark);
