#pragma once

#include <stdint.h>

// Why shims: struct ucred needs _GNU_SOURCE, SO_PEERPIDFD is newer than glibc's headers, and the length of a socket's address
// is an offset of a C struct.

// -ENAMETOOLONG for a path that no address holds.
int cs_bind_path(int fd, const char *path);
int cs_listen(int fd, int backlog);
// Nonblocking, as is what it gives.
int cs_accept(int fd);
// 1 if it is a listening socket for whole messages between programs of this machine, otherwise 0.
int cs_is_packet_listener(int fd);

struct cs_peer {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

// Process that connected, as it was then.
int cs_peer_credentials(int fd, struct cs_peer *out);
// A descriptor that polls readable when the process that connected has ended; -ENOPROTOOPT before Linux 6.5.
int cs_peer_pidfd(int fd);
