#pragma once

#include <stddef.h>
#include <stdint.h>

// Whole messages between programs of this machine, with open files in them: unix(7), SOCK_SEQPACKET. Why shims: the headers of
// ancillary data are read and written by macros, and struct ucred needs _GNU_SOURCE.

enum { CS_MESSAGE_FILES = 4 };

struct cs_message {
    size_t length;
    int files[CS_MESSAGE_FILES];  // the receiver's to close
    int file_count;
    int32_t process;  // that sent it; 0 where the kernel does not say
    uint32_t user;
    int is_cut;  // bytes or files were left out, which the kernel has closed
};

// connect(2) by a path: -ENAMETOOLONG if no address holds it. Does not wait: -EAGAIN if too many wait already.
int cs_connect_path(int fd, const char *path);
// Has each message say who sent it (SO_PASSCRED). A listening socket hands it on to its connections.
int cs_pass_senders(int fd);
// Sends a message whole, or not: -EAGAIN if the other end has not read enough, -EPIPE if it is gone; no signal.
int cs_message_send(int fd, const void *bytes, size_t count, const int *files, int file_count);
// Receives the next message: length 0 at the end, -EAGAIN if none exists.
int cs_message_receive(int fd, void *bytes, size_t capacity, struct cs_message *out);
// Both directions end, for every holder of the socket.
int cs_shut_down(int fd);
// Two connected sockets, nonblocking.
int cs_message_pair(int out[2]);
