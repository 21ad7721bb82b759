#pragma once

#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// Names, addresses and the kernel's routes. Why shims: sockaddr is a family of records behind casts, getaddrinfo has
// error numbers of its own, and rtnetlink(7)'s constants are enumerations and macros by turns.

enum {
    CS_FAMILY_IPV4 = AF_INET,
    CS_FAMILY_IPV6 = AF_INET6,
    CS_NETLINK_ERROR = NLMSG_ERROR,
    CS_NETLINK_REQUEST = NLM_F_REQUEST,
    CS_ROUTE_GET = RTM_GETROUTE,
    CS_ROUTE_NEW = RTM_NEWROUTE,
    CS_ROUTE_ATTRIBUTE_TO = RTA_DST,
    CS_ROUTE_ATTRIBUTE_INTERFACE = RTA_OIF,
    CS_ROUTE_UNICAST = RTN_UNICAST,
    CS_ROUTE_LOCAL = RTN_LOCAL,
    CS_ROUTE_BROADCAST = RTN_BROADCAST,
    CS_ROUTE_ANYCAST = RTN_ANYCAST,
    CS_ROUTE_MULTICAST = RTN_MULTICAST,
    CS_ROUTE_UNREACHABLE = RTN_UNREACHABLE,
    CS_ROUTE_BLACKHOLE = RTN_BLACKHOLE,
    CS_ROUTE_PROHIBITED = RTN_PROHIBIT,
    CS_ROUTE_SCOPE_UNIVERSE = RT_SCOPE_UNIVERSE,
};

struct cs_address {
    uint16_t family;    // CS_FAMILY_IPV4 or CS_FAMILY_IPV6
    uint8_t bytes[16];  // in network order; the first 4 of IPv4
    uint32_t scope;     // the interface of a link-local IPv6 address, else 0
};

// getaddrinfo(3): how many addresses were written, at most `capacity`. `numeric` takes addresses alone and never waits;
// else names are looked up (AI_ADDRCONFIG), which may wait for name servers. Its own errors become -ENOENT (no such
// name), -EAGAIN (no name server answered), -ENOMEM and -EIO.
int cs_resolve(const char *host, int numeric, struct cs_address *out, size_t capacity);

// A socket of NETLINK_ROUTE.
int cs_netlink_open(void);
// To the kernel.
int64_t cs_netlink_send(int fd, const void *bytes, size_t count);
// One datagram: -EAGAIN if there is none (the kernel answers while it takes the request), -EMSGSIZE if it is longer
// than `capacity`, -EPERM if another process sent it.
int64_t cs_netlink_receive(int fd, void *bytes, size_t capacity);
