#pragma once

#include <stddef.h>
#include <stdint.h>

// sd-bus of libsystemd, with the parts for one call at a time, and signals between calls. Why shims: replies come to a C callback,
// and sd_bus_call waits without a limit while the connection is being made. These shims keep a deadline from the start.

// The answer to a call, once it has come.
struct cs_bus_reply {
    int error;         // 0, or a positive errno
    const char *name;  // the D-Bus name of the error, empty without one; valid until the next call is sent
};

// Begins to connect to the bus at a D-Bus address; drop it in any case.
int cs_bus_open(const char *address, void **bus);
// 1 with the answer to the last call, 0 if it has not arrived.
int cs_bus_take_reply(void *bus, struct cs_bus_reply *out);
// A call: begun, filled with its values in order, and sent as soon as the connection is made. Types are those of the D-Bus
// Specification. Beginning another call drops one that was begun.
int cs_bus_begin(void *bus, const char *destination, const char *path, const char *interface, const char *member);
// A text (s) or a path (o): -EINVAL for an invalid one.
int cs_bus_append_text(void *bus, char type, const char *text);
// A number or a truth value: y, b, i, u, x or t.
int cs_bus_append_number(void *bus, char type, int64_t number);
// An array (a), a structure (r), an entry of a dictionary (e) or a variant (v), whose values follow until it is closed.
int cs_bus_open_container(void *bus, char type, const char *contents);
int cs_bus_close_container(void *bus);
// Its answer is taken as any other, and then read.
int cs_bus_send(void *bus);
// Keeps signals of an interface from now on, from any sender, for cs_bus_next.
int cs_bus_listen(void *bus, const char *interface, const char *member);
// Keeps calls to an object of this program, and answers each with nothing.
int cs_bus_serve(void *bus, const char *path);
// 1 with the oldest kept signal or call, which the following functions then read; 0 if none exists.
int cs_bus_next(void *bus);

// Sender and kind of a message, each empty if none exists, and valid while the message is read.
struct cs_bus_head {
    const char *sender;
    const char *path;
    const char *interface;
    const char *member;
};

// Message being read: 0 if none exists. Each value has a type and, if it contains others, their types.
int cs_bus_take_head(void *bus, struct cs_bus_head *out);
int cs_bus_peek(void *bus, char *type, const char **contents);
// A text, path or signature, valid as long as the message is read.
int cs_bus_read_text(void *bus, char type, const char **text);
// A whole number, a truth value, or a fraction (d), which goes to `real`.
int cs_bus_read_number(void *bus, char type, int64_t *number, double *real);
// New descriptor for the open file that is the first value; -ENOENT if none exists.
int cs_bus_first_file(void *bus);
int cs_bus_enter(void *bus, char type, const char *contents);
int cs_bus_leave(void *bus);
// Passes over values of these types, such as open files.
int cs_bus_skip(void *bus, const char *types);
// The descriptor to poll, for which events (they change), and until when at most on CLOCK_MONOTONIC (in nanoseconds;
// INT64_MAX without a limit).
int cs_bus_descriptor(void *bus);
int cs_bus_events(void *bus);
int64_t cs_bus_timeout_ns(void *bus);
// Does one step: 1 if there may be more, 0 if it must be polled first.
int cs_bus_process(void *bus);
void cs_bus_drop(void *bus);
