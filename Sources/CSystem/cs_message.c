#define _GNU_SOURCE
#include "cs_message.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "cs_result.h"

int cs_connect_path(int fd, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length >= sizeof address.sun_path) return -ENAMETOOLONG;
    memcpy(address.sun_path, path, length + 1);
    return CS_RETRY(int, connect(fd, (struct sockaddr *)&address, sizeof address));
}

int cs_pass_senders(int fd) {
    int yes = 1;
    return CS_RETRY(int, setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes));
}

int cs_message_send(int fd, const void *bytes, size_t count, const int *files, int file_count) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(CS_MESSAGE_FILES * sizeof(int))];
    } room = {0};
    struct iovec piece = {(void *)bytes, count};
    struct msghdr envelope = {.msg_iov = &piece, .msg_iovlen = 1};
    if (file_count < 0 || file_count > CS_MESSAGE_FILES) return -EINVAL;
    if (file_count > 0) {
        size_t size = (size_t)file_count * sizeof(int);
        envelope.msg_control = &room;
        envelope.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *header = CMSG_FIRSTHDR(&envelope);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(header), files, size);
    }
    return (int)CS_RETRY(ssize_t, sendmsg(fd, &envelope, MSG_NOSIGNAL | MSG_DONTWAIT));
}

int cs_message_receive(int fd, void *bytes, size_t capacity, struct cs_message *out) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(CS_MESSAGE_FILES * sizeof(int))];
    } room;
    struct iovec piece = {bytes, capacity};
    struct msghdr envelope = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = sizeof room};
    ssize_t length = CS_RETRY(ssize_t, recvmsg(fd, &envelope, MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
    if (length < 0) return (int)length;
    *out = (struct cs_message){
        .length = (size_t)length, .is_cut = (envelope.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0};
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&envelope); header != NULL; header = CMSG_NXTHDR(&envelope, header)) {
        if (header->cmsg_level != SOL_SOCKET) continue;
        size_t size = header->cmsg_len - CMSG_LEN(0);
        if (header->cmsg_type == SCM_CREDENTIALS && size >= sizeof(struct ucred)) {
            struct ucred sender;
            memcpy(&sender, CMSG_DATA(header), sizeof sender);
            out->process = sender.pid;
            out->user = sender.uid;
        }
        if (header->cmsg_type == SCM_RIGHTS && size <= sizeof out->files) {
            memcpy(out->files, CMSG_DATA(header), size);
            out->file_count = (int)(size / sizeof(int));
        }
    }
    return 0;
}

int cs_shut_down(int fd) { return CS_RETRY(int, shutdown(fd, SHUT_RDWR)); }

int cs_message_pair(int out[2]) {
    return CS_RETRY(int, socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, out));
}
