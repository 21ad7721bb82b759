#define _GNU_SOURCE
#include "cs_listen.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "cs_result.h"

// asm-generic/socket.h, of Linux 6.5.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

int cs_bind_path(int fd, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length >= sizeof address.sun_path) return -ENAMETOOLONG;
    memcpy(address.sun_path, path, length + 1);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
    return CS_RETRY(int, bind(fd, (const struct sockaddr *)&address, size));
}

int cs_listen(int fd, int backlog) { return CS_RETRY(int, listen(fd, backlog)); }

int cs_accept(int fd) { return CS_RETRY(int, accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)); }

static int option(int fd, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, name, &value, &size) < 0 ? -1 : value;
}

int cs_is_packet_listener(int fd) {
    return option(fd, SO_DOMAIN) == AF_UNIX && option(fd, SO_TYPE) == SOCK_SEQPACKET && option(fd, SO_ACCEPTCONN) == 1;
}

int cs_peer_credentials(int fd, struct cs_peer *out) {
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    int result = CS_RETRY(int, getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size));
    if (result >= 0) *out = (struct cs_peer){.pid = peer.pid, .uid = peer.uid, .gid = peer.gid};
    return result;
}

int cs_peer_pidfd(int fd) {
    int process = -1;
    socklen_t size = sizeof process;
    int result = CS_RETRY(int, getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &process, &size));
    return result < 0 ? result : process;
}
