#define _GNU_SOURCE
#include "cs_route.h"

#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "cs_result.h"

static int errno_of(int error) {
    switch (error) {
        case EAI_SYSTEM: return -errno;
        case EAI_NONAME:
        case EAI_NODATA:
        case EAI_ADDRFAMILY: return -ENOENT;
        case EAI_AGAIN: return -EAGAIN;
        case EAI_MEMORY: return -ENOMEM;
        default: return -EIO;
    }
}

static int flattened(const struct addrinfo *from, struct cs_address *out) {
    memset(out, 0, sizeof *out);
    out->family = (uint16_t)from->ai_family;
    if (from->ai_family == AF_INET) {
        memcpy(out->bytes, &((const struct sockaddr_in *)from->ai_addr)->sin_addr, 4);
        return 1;
    }
    if (from->ai_family != AF_INET6) return 0;
    memcpy(out->bytes, &((const struct sockaddr_in6 *)from->ai_addr)->sin6_addr, 16);
    out->scope = ((const struct sockaddr_in6 *)from->ai_addr)->sin6_scope_id;
    return 1;
}

int cs_resolve(const char *host, int numeric, struct cs_address *out, size_t capacity) {
    // One socket type: otherwise each address comes once for every type.
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = numeric ? AI_NUMERICHOST : AI_ADDRCONFIG};
    struct addrinfo *list = NULL;
    int error = getaddrinfo(host, NULL, &hints, &list);
    if (error != 0) return errno_of(error);
    int count = 0;
    for (struct addrinfo *entry = list; entry != NULL && (size_t)count < capacity; entry = entry->ai_next)
        count += flattened(entry, &out[count]);
    freeaddrinfo(list);
    return count;
}

static socklen_t socket_address(const struct cs_address *from, struct sockaddr_storage *out) {
    // Any port: connect wants one, and nobody is spoken to. 9 is discard (RFC 863).
    const in_port_t port = htons(9);
    memset(out, 0, sizeof *out);
    if (from->family == AF_INET) {
        struct sockaddr_in *address = (struct sockaddr_in *)out;
        address->sin_family = AF_INET;
        address->sin_port = port;
        memcpy(&address->sin_addr, from->bytes, 4);
        return sizeof *address;
    }
    struct sockaddr_in6 *address = (struct sockaddr_in6 *)out;
    address->sin6_family = AF_INET6;
    address->sin6_port = port;
    address->sin6_scope_id = from->scope;
    memcpy(&address->sin6_addr, from->bytes, 16);
    return sizeof *address;
}

int cs_route_check(const struct cs_address *address) {
    struct sockaddr_storage to;
    socklen_t length = socket_address(address, &to);
    int fd = CS_RETRY(int, socket(address->family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (fd < 0) return fd;
    // Without it the kernel refuses a broadcast address for want of permission, and not for want of a route.
    int yes = 1;
    int result = CS_RETRY(int, setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes));
    if (result >= 0) result = CS_RETRY(int, connect(fd, (struct sockaddr *)&to, length));
    close(fd);
    return result;
}
