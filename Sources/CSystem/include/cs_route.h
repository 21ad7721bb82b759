#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// Names, addresses and the kernel's routes. Why shims: sockaddr is a family of records behind casts, and getaddrinfo has its own
// error numbers.

enum {
    CS_FAMILY_IPV4 = AF_INET,
    CS_FAMILY_IPV6 = AF_INET6,
};

struct cs_address {
    uint16_t family;    // CS_FAMILY_IPV4 or CS_FAMILY_IPV6
    uint8_t bytes[16];  // in network order; the first 4 of IPv4
    uint32_t scope;     // the interface of a link-local IPv6 address, else 0
};

// getaddrinfo(3): number of addresses written, at most `capacity`. `numeric` accepts only addresses and never waits; otherwise
// names are resolved (AI_ADDRCONFIG), which may wait for name servers. Its own errors become -ENOENT (no such name), -EAGAIN (no
// name server answered), -ENOMEM and -EIO.
int cs_resolve(const char *host, int numeric, struct cs_address *out, size_t capacity);

// connect(2) of a datagram socket, which finds the route and sends nothing: 0, or the -errno that a packet would get
// (-ENETUNREACH, -EHOSTUNREACH, -EACCES of a prohibited route, -EINVAL of a blackhole).
int cs_route_check(const struct cs_address *address);
