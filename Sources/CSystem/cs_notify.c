#define _GNU_SOURCE
#include "cs_notify.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "cs_result.h"

// Newer than the headers of Debian 12.
#define SET_FLAGS SECCOMP_IOW(4, uint64_t)
#define SYNCHRONOUS_WAKE_UP 1UL

int cs_report_on_same_processor(int listener) { return CS_RETRY(int, ioctl(listener, SET_FLAGS, SYNCHRONOUS_WAKE_UP)); }

int cs_report_receive(int listener, struct cs_reported_call *out) {
    struct seccomp_notif report;
    memset(&report, 0, sizeof report);
    int result = ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &report);
    if (result < 0) return -errno;
    *out = (struct cs_reported_call){.id = report.id, .thread = report.pid, .number = report.data.nr};
    memcpy(out->arguments, report.data.args, sizeof out->arguments);
    return 0;
}

int cs_report_is_valid(int listener, uint64_t id) {
    return CS_RETRY(int, ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id));
}

static int answer(int listener, struct seccomp_notif_resp response) {
    return CS_RETRY(int, ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response));
}

int cs_report_answer(int listener, uint64_t id, int64_t value, int error) {
    return answer(listener, (struct seccomp_notif_resp){.id = id, .val = value, .error = -error});
}

int cs_report_continue(int listener, uint64_t id) {
    return answer(listener, (struct seccomp_notif_resp){.id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE});
}

int cs_report_inject(int listener, uint64_t id, int descriptor, int closes_on_exec) {
    struct seccomp_notif_addfd addition = {
        .id = id,
        .flags = SECCOMP_ADDFD_FLAG_SEND,
        .srcfd = (uint32_t)descriptor,
        .newfd_flags = closes_on_exec ? O_CLOEXEC : 0,
    };
    return CS_RETRY(int, ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &addition));
}

int cs_pidfd_open_thread(int thread) {
    // PIDFD_THREAD.
    return CS_RETRY(int, (int)syscall(SYS_pidfd_open, thread, O_EXCL));
}

int cs_pidfd_getfd(int process, int descriptor) {
    return CS_RETRY(int, (int)syscall(SYS_pidfd_getfd, process, descriptor, 0));
}

int64_t cs_memory_read(int process, uint64_t address, void *out, size_t count) {
    struct iovec here = {out, count}, there = {(void *)(uintptr_t)address, count};
    return CS_RETRY(int64_t, process_vm_readv(process, &here, 1, &there, 1, 0));
}

int64_t cs_memory_write(int process, uint64_t address, const void *bytes, size_t count) {
    struct iovec here = {(void *)bytes, count}, there = {(void *)(uintptr_t)address, count};
    return CS_RETRY(int64_t, process_vm_writev(process, &here, 1, &there, 1, 0));
}

int cs_openat2(int directory, const char *path, uint64_t flags, uint64_t resolve) {
    struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = resolve};
    return CS_RETRY(int, (int)syscall(SYS_openat2, directory, path, &how, sizeof how));
}

int cs_ioctl(int fd, uint32_t request, void *argument) { return CS_RETRY(int, ioctl(fd, request, argument)); }

// Not started again after a signal: connect(2) then continues by itself.
int cs_connect(int fd, const void *address, uint32_t length) {
    return connect(fd, address, length) < 0 ? -errno : 0;
}

static int option(int fd, int name) {
    int value = 0;
    socklen_t length = sizeof value;
    int result = CS_RETRY(int, getsockopt(fd, SOL_SOCKET, name, &value, &length));
    return result < 0 ? result : value;
}

int cs_socket_domain(int fd) { return option(fd, SO_DOMAIN); }

int cs_socket_type(int fd) { return option(fd, SO_TYPE); }

int cs_socket(int domain, int type) {
    return CS_RETRY(int, socket(domain, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Newer than the headers of Debian 12.
enum { PEER_PIDFD = 77 };

int cs_peer_process(int fd) {
    struct ucred peer;
    int process = -1;
    socklen_t length = sizeof process;
    int result = CS_RETRY(int, getsockopt(fd, SOL_SOCKET, PEER_PIDFD, &process, &length));
    if (result < 0) return result == -EINVAL ? -ESRCH : result;
    length = sizeof peer;
    result = CS_RETRY(int, getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length));
    // Readable once it has ended: its number may then be anybody's.
    struct pollfd ended = {.fd = process, .events = POLLIN};
    if (result == 0) result = CS_RETRY(int, poll(&ended, 1, 0));
    close(process);
    return result < 0 ? result : result > 0 ? -ESRCH : peer.pid;
}

int cs_peer_path(int fd, char *out, size_t size) {
    struct sockaddr_un address = {0};
    socklen_t length = sizeof address;
    int result = CS_RETRY(int, getpeername(fd, (struct sockaddr *)&address, &length));
    if (result < 0) return result;
    size_t bytes = strnlen(address.sun_path, sizeof address.sun_path);
    if (address.sun_family != AF_UNIX || bytes >= size) return 0;
    memcpy(out, address.sun_path, bytes);
    return (int)bytes;
}

// Takes copies of the files in the next message, and closes them again: 1 if there were any, 0 if not, -EAGAIN at the end.
static int peek(int fd) {
    char bytes[4096];
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(253 * sizeof(int)) + 256];  // SCM_MAX_FD, and what else may come with them
    } room;
    struct iovec piece = {bytes, sizeof bytes};
    struct msghdr envelope = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = sizeof room};
    ssize_t length = CS_RETRY(ssize_t, recvmsg(fd, &envelope, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
    if (length < 0) return (int)length;
    int found = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&envelope); header != NULL; header = CMSG_NXTHDR(&envelope, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        found = 1;
        for (size_t at = CMSG_LEN(0); at < header->cmsg_len; at += sizeof(int)) {
            int file;
            memcpy(&file, (char *)header + at, sizeof file);
            close(file);
        }
    }
    return found ? 1 : length == 0 ? -EAGAIN : 0;
}

int cs_carries_files(int fd) {
    if (cs_socket_domain(fd) != AF_UNIX) return 0;
    // Each search begins after the last match.
    int offset = 0, found = 0;
    int result = CS_RETRY(int, setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset));
    for (int looks = 0; result == 0 && found == 0; looks++) found = looks < 1 << 20 ? peek(fd) : 1;
    offset = -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset);
    return found == 1;
}

int cs_duplicate(int fd) { return CS_RETRY(int, fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

int cs_set_nonblocking(int fd, int is_nonblocking) {
    int flags = CS_RETRY(int, fcntl(fd, F_GETFL));
    if (flags < 0) return flags;
    return CS_RETRY(int, fcntl(fd, F_SETFL, is_nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK));
}

int cs_register_open(void) { return CS_RETRY(int, epoll_create1(EPOLL_CLOEXEC)); }

int cs_register_note(int registry, int descriptor, uint64_t mark, int reserved, int rest) {
    // No event is requested: polling a camera for frames would start it (vb2_poll).
    struct epoll_event event = {.events = 0, .data.u64 = mark};
    int result = CS_RETRY(int, dup3(descriptor, reserved, O_CLOEXEC));
    if (result < 0) return result;
    result = CS_RETRY(int, epoll_ctl(registry, EPOLL_CTL_MOD, reserved, &event));
    if (result == -ENOENT) result = CS_RETRY(int, epoll_ctl(registry, EPOLL_CTL_ADD, reserved, &event));
    int back = CS_RETRY(int, dup3(rest, reserved, O_CLOEXEC));
    return result < 0 ? result : back;
}

int cs_readiness_open(void) { return CS_RETRY(int, epoll_create1(EPOLL_CLOEXEC)); }

int cs_readiness_arm(int queue, int descriptor, uint64_t mark) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u64 = mark};
    int result = CS_RETRY(int, epoll_ctl(queue, EPOLL_CTL_MOD, descriptor, &event));
    return result == -ENOENT ? CS_RETRY(int, epoll_ctl(queue, EPOLL_CTL_ADD, descriptor, &event)) : result;
}

int cs_readiness_forget(int queue, int descriptor) {
    return CS_RETRY(int, epoll_ctl(queue, EPOLL_CTL_DEL, descriptor, NULL));
}

int cs_readiness_next(int queue, uint64_t *mark) {
    struct epoll_event event;
    int result = CS_RETRY(int, epoll_wait(queue, &event, 1, -1));
    if (result > 0) *mark = event.data.u64;
    return result;
}
