#pragma once

#include <stddef.h>
#include <stdint.h>

// sd-bus of libsystemd, so far as one call at a time needs it. Why shims: replies come to a C callback, and
// sd_bus_call waits without a limit while the connection is being made; driven by hand, a deadline holds from the start.

// The answer to a call, once it has come.
struct cs_bus_reply {
    int error;        // 0, or a positive errno
    char name[256];   // the D-Bus name of the error, empty without one
    int64_t number;   // the answer, or the property's value, where it is a number, or 1 for authorized; else 0
    char text[256];   // the answer where it is a text, cut to this length; else empty
};

// A question to a person. Texts are UTF-8; NULL is at the end of each list.
struct cs_bus_question {
    const char *title;
    char *const *lines;
    char *const *choices;  // a word and a label for each
    char *const *details;  // a key and a value for each
};

// Begins to connect to the bus at a D-Bus address; drop it in any case.
int cs_bus_open(const char *address, void **bus);
// Sends a call without arguments as soon as the connection stands.
int cs_bus_call(void *bus, const char *destination, const char *path, const char *interface, const char *member);
// The same with one text.
int cs_bus_call_text(
    void *bus, const char *destination, const char *path, const char *interface, const char *member, const char *text);
// Puts a question to a person, by Ask of an agent: (s title, as lines, a(ss) choices, a{ss} details) → s. The answer is a text.
int cs_bus_ask(void *bus, const char *destination, const char *path, const char *interface, const struct cs_bus_question *question);
// The same for a property, a number, by org.freedesktop.DBus.Properties.
int cs_bus_get(void *bus, const char *destination, const char *path, const char *interface, const char *property);
// The same for a method that takes a thread (gettid(2)) and a priority: MakeThreadRealtime of rtkit.
int cs_bus_call_thread(
    void *bus, const char *destination, const char *path, const char *interface, const char *member, uint64_t thread,
    uint32_t priority);
// Asks polkit whether a process may do something, by CheckAuthorization of org.freedesktop.PolicyKit1.Authority; a person may be
// asked meanwhile. The number of the answer is 1 for yes. `start` is the process's start in clock ticks since the boot.
int cs_bus_check_authorization(void *bus, uint32_t process, uint64_t start, int32_t user, const char *action);
// 1 with the answer to the last call, 0 while there is none.
int cs_bus_take_reply(void *bus, struct cs_bus_reply *out);
// The descriptor to poll, for which events (they change), and until when at most on CLOCK_MONOTONIC (in nanoseconds;
// INT64_MAX without a limit).
int cs_bus_descriptor(void *bus);
int cs_bus_events(void *bus);
int64_t cs_bus_timeout_ns(void *bus);
// Does one step: 1 if there may be more, 0 if it must be polled first.
int cs_bus_process(void *bus);
void cs_bus_drop(void *bus);
