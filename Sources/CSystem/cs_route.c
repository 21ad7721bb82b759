#define _GNU_SOURCE
#include "cs_route.h"

#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

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
    // One socket type: else each address comes once for every type.
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

int cs_netlink_open(void) { return CS_RETRY(int, socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)); }

int64_t cs_netlink_send(int fd, const void *bytes, size_t count) {
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    return CS_RETRY(int64_t, sendto(fd, bytes, count, 0, (struct sockaddr *)&kernel, sizeof kernel));
}

int64_t cs_netlink_receive(int fd, void *bytes, size_t capacity) {
    struct sockaddr_nl sender = {0};
    socklen_t length = sizeof sender;
    int64_t count = CS_RETRY(
        int64_t, recvfrom(fd, bytes, capacity, MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&sender, &length));
    if (count < 0) return count;
    if (sender.nl_pid != 0) return -EPERM;
    return (size_t)count > capacity ? -EMSGSIZE : count;
}
