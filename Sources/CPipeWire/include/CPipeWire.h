#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

// PipeWire's client library: connected clients, links, and nodes that pass on the frames that a session captures. It is loaded
// when a connection is first made, so that the program needs it nowhere else. Why shims: PipeWire's own functions are inline ones,
// vtables and variadic macros, and its callbacks come on its own threads.
//
// A connection has a thread, on which all of `cp_watcher` and `cp_node_watcher` is called; functions that close something must not
// be called from there. All other functions may be called on any thread, but not at the same time as one that closes the same
// object. Results are >= 0 or -errno.

#ifndef CAPTUREGATE_SHIMS
#pragma clang attribute push( \
    __attribute__((availability(swift, unavailable, message = "the C shims are CaptureGate's own"))), \
    apply_to = function)
#endif

// A program that is connected to the daemon.
struct cp_client {
    uint32_t id;
    int32_t process;  // as the daemon has it from the kernel; 0 for the daemon's own
    uint32_t user;    // the same; UINT32_MAX where it is not known
};

// A node of the graph.
struct cp_peer {
    uint32_t id;
    uint32_t client;           // UINT32_MAX for the daemon's own
    const char *media_class;   // such as Stream/Input/Audio; never NULL
    int wants_other;           // it names its target itself, or wants to hear what is played
};

struct cp_watcher {
    void *context;
    void (*client_came)(void *context, const struct cp_client *client);
    void (*node_came)(void *context, const struct cp_peer *peer);
    void (*link_came)(void *context, uint32_t link, uint32_t output, uint32_t input);
    void (*gone)(void *context, uint32_t id);  // any of them, and what was never told of
    void (*ended)(void *context, int error);   // the daemon has gone; -errno
};

// Connects; -ELIBACC if there is no libpipewire, or one that is too old. `remote` is a socket's name or path, NULL for the user's
// daemon. Existing objects are reported, too.
int cp_connect(const char *remote, const struct cp_watcher *watcher, void **connection);
// All nodes must have been closed.
void cp_disconnect(void *connection);
// Lets a client see a node and link to it, or not: its permissions of that global.
int cp_show(void *connection, uint32_t client, uint32_t node, int is_shown);
// Links the first free ports of two nodes, until one of them goes.
int cp_link(void *connection, uint32_t output, uint32_t input);
// Destroys a link.
int cp_unlink(void *connection, uint32_t link);
// Silences the outputs, if any, through which others could listen to a node's input.
int cp_mute_monitors(void *connection, uint32_t node);
// Asks the session manager to link a stream to a node, by the metadata that desktops move streams with; -ENODEV if there is no
// metadata.
int cp_aim(void *connection, uint32_t stream, uint32_t node);

// Error of `cp_connect` without a library.
enum { cp_no_library = ELIBACC };

enum cp_state {
    CP_STATE_IDLE,
    CP_STATE_RUNNING,  // what is written arrives
    CP_STATE_FAILED,
};

struct cp_node_watcher {
    void *context;
    void (*bound)(void *context, uint32_t node);  // its number in the graph
    void (*state)(void *context, enum cp_state state);
    void (*format)(void *context, int32_t index);  // of the picture formats, as agreed with whoever is linked
};

struct cp_labels {
    const char *name;         // for programs
    const char *description;  // for persons
    int is_closed;            // nothing ever comes from it: silence, and of a camera not even a format
    int priority;             // a session manager prefers the highest for who does not choose
};

enum cp_samples { CP_S16, CP_S24, CP_S24_3, CP_S32, CP_F32 };

// A node of class Audio/Source: interleaved samples, little endian. Its watcher's `format` is not called.
int cp_microphone_open(
    void *connection, const struct cp_labels *labels, enum cp_samples samples, uint32_t rate, uint32_t channels,
    const struct cp_node_watcher *watcher, void **node);
// Puts periods into a second of store, from one thread: bytes that found room. The graph's clock takes them out; what the two
// clocks differ by is resampled away.
size_t cp_microphone_write(void *node, const void *bytes, size_t count);

enum cp_pixels { CP_YUYV, CP_UYVY, CP_NV12, CP_I420, CP_RGB24, CP_BGR24, CP_GREY, CP_MJPEG };

struct cp_picture {
    enum cp_pixels pixels;
    uint32_t width, height;
    uint32_t rate_numerator, rate_denominator;  // pictures a second
    uint32_t stride, size;                      // bytes; a compressed picture's size is a limit
};

// A node of class Video/Source, which drives its part of the graph. `pictures` are in the order of preference, 1 to 64.
int cp_camera_open(
    void *connection, const struct cp_labels *labels, const struct cp_picture *pictures, uint32_t count,
    const struct cp_node_watcher *watcher, void **node);
// Passes on a frame, whose rows are `stride` bytes apart: 1, or 0 if no buffer has been returned.
int cp_camera_write(void *node, const void *bytes, size_t count, size_t stride, int64_t monotonic_ns, uint64_t sequence);

// Lets written frames pass, or not, as at first: then silence or no frames are sent.
void cp_pass(void *node, int is_open);
// Stops the node permanently and erases its buffers, before anybody who was linked to it since then gets any: allowed only on the
// thread of the connection.
void cp_seal(void *node);
// Destroys the node; nothing is called afterwards.
void cp_close(void *node);

// Way to a daemon.
struct cp_remote {
    const char *name;  // a socket's name or path; NULL for the user's daemon
    int socket;        // one that is connected already, and stays the caller's; -1 for none
};

struct cp_rate {
    uint32_t numerator, denominator;  // pictures a second
};

enum { CP_RATES = 16 };

// Size of a video format, or range of sizes, with its rates.
struct cp_mode {
    enum cp_pixels pixels;
    uint32_t width, height;              // the largest of a range
    uint32_t least_width, least_height;  // the same where there is one size alone
    uint32_t width_step, height_step;    // of a range
    struct cp_rate rates[CP_RATES];
    uint32_t rate_count;
    int takes_rates_between;             // the rates are the ends of a range
};

// A node that something can be captured from.
struct cp_found {
    const char *name, *description, *media_class;  // never NULL
    const char *hardware;  // ALSA's name or the device file of what is behind it; empty where the daemon does not tell
    int is_default;        // by the session manager's word
    const struct cp_mode *modes;
    uint32_t mode_count;
};

struct cp_visitor {
    void *context;
    void (*node)(void *context, const struct cp_found *node);
};

// Reports all sources and sinks, on the caller's thread; `with_modes` queries cameras for theirs, too. -ETIMEDOUT if the daemon
// does not answer in time.
int cp_list(const struct cp_remote *remote, int milliseconds, int with_modes, const struct cp_visitor *visitor);

// Target of a capture, and its format.
struct cp_wish {
    const char *target;       // the node's name
    const char *description;  // of the stream, for persons
    int is_monitor;           // what a sink plays
    enum cp_samples samples;
    uint32_t rate, channels;
    uint32_t period;                   // frames, the most of one piece
    const struct cp_picture *picture;  // NULL for a microphone
};

// Some audio frames, or a video frame, lent for a call.
struct cp_piece {
    const void *bytes;
    size_t count;          // 0 for a picture that did not come whole
    int64_t monotonic_ns;  // when its first frame was taken; 0 where that is not known
    uint64_t lost;         // frames that are missing before it
};

enum cp_end {
    CP_END_GONE,     // the node or the daemon has gone
    CP_END_REFUSED,  // they do not agree on a format, or the daemon has refused the stream
    CP_END_MOVED,    // somebody has linked the stream to another node
};

struct cp_capture_watcher {
    void *context;
    void *ring;                                               // for `piece`
    void (*piece)(void *ring, const struct cp_piece *piece);  // on PipeWire's realtime thread
    void (*ended)(void *context, enum cp_end end);            // at most once, on the connection's thread; no piece comes after it
};

// Links a stream to a node, and to no other. Nothing is captured yet. -ENODEV if there is no such node, -ENOLINK if no session
// manager links it, -ECONNREFUSED if it is refused.
int cp_capture_open(
    const struct cp_remote *remote, int seconds, const struct cp_wish *wish, const struct cp_capture_watcher *watcher, void **capture);
// Error of `cp_capture_open` if nobody links the stream.
enum { cp_not_linked = ENOLINK };

// Captures from now on.
int cp_capture_begin(void *capture);
// Disconnects; nothing is called afterwards. Not on the connection's thread.
void cp_capture_close(void *capture);

#ifndef CAPTUREGATE_SHIMS
#pragma clang attribute pop
#endif
