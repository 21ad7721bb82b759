#pragma once
#if !__has_include(<pipewire/pipewire.h>)
#include "../Packages/missing.h"
#endif

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pipewire/pipewire.h>
// Needs the names of the one before it.
#include <pipewire/extensions/metadata.h>
#include <spa/param/audio/raw.h>
#include <spa/pod/builder.h>

#include "CPipeWire.h"

#define CALLS(EACH) \
    EACH(context_connect) EACH(context_connect_fd) EACH(context_destroy) EACH(context_new) EACH(core_disconnect) EACH(init) \
    EACH(loop_destroy) EACH(loop_new) EACH(properties_new_dict) EACH(proxy_destroy) EACH(stream_add_listener) \
    EACH(stream_connect) EACH(stream_dequeue_buffer) EACH(stream_destroy) EACH(stream_get_node_id) EACH(stream_get_time_n) \
    EACH(stream_new) EACH(stream_queue_buffer) EACH(stream_set_active) EACH(stream_trigger_process) \
    EACH(stream_update_params) EACH(thread_loop_destroy) EACH(thread_loop_get_loop) EACH(thread_loop_lock) \
    EACH(thread_loop_new) EACH(thread_loop_signal) EACH(thread_loop_start) EACH(thread_loop_stop) \
    EACH(thread_loop_timed_wait) EACH(thread_loop_unlock)

// The functions of libpipewire-0.3, once `cp_loaded` has returned 0.
struct cp_calls {
#define MEMBER(name) __typeof__(pw_##name) *name;
    CALLS(MEMBER)
#undef MEMBER
};

extern struct cp_calls pw;
// -ELIBACC if there is no libpipewire, or one that is too old.
int cp_loaded(void);

// Connects a context; NULL with errno. `category` is what it is to the session manager, NULL for any program.
struct pw_core *cp_core(struct pw_context *context, const struct cp_remote *remote, const char *category);
// PipeWire's number of a sample format, and bytes of a sample.
uint32_t cp_sample_format(enum cp_samples samples, uint32_t *size);
// Usual positions of a number of channels.
void cp_positions(struct spa_audio_info_raw *info);
// Video format with one size and rate.
const struct spa_pod *cp_picture_format(struct spa_pod_builder *builder, const struct cp_picture *picture);
// Kind of PipeWire's raw video format; -1 for one that has no name here.
int cp_pixels_of(uint32_t format);

struct cp_connection {
    struct cp_watcher watcher;
    struct pw_thread_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct pw_metadata *metadata;  // of the session manager; NULL while there is none
    uint32_t metadata_id;
    uint32_t client;               // this one's own number
    struct spa_hook core_hook, registry_hook;
};

// The bytes of a microphone, written by one thread and read by another.
struct cp_store {
    uint8_t *bytes;
    size_t size;  // a whole number of frames
    _Atomic uint64_t written, taken;
};

enum { CP_BUFFERS = 64 };

struct cp_node {
    struct cp_node_watcher watcher;
    struct cp_connection *connection;
    struct pw_stream *stream;
    struct spa_hook hook;
    atomic_bool is_open;
    struct pw_buffer *buffers[CP_BUFFERS];  // all that the stream has, on PipeWire's thread; NULL where there is none
    // A microphone's.
    struct cp_store store;
    uint32_t frame_size, rate, target;  // bytes; Hz; frames that should be in store
    struct spa_io_rate_match *match;
    double drift;
    int is_primed;
    // A camera's.
    struct cp_picture *pictures;
    uint32_t count;
    int32_t agreed;  // index of the format; -1 while there is none
};

// Makes a node of a class, without its stream.
int cp_node_new(
    struct cp_connection *connection, const struct cp_node_watcher *watcher, struct cp_node **out);
// Makes its stream, and connects that.
int cp_node_begin(
    struct cp_node *node, const struct cp_labels *labels, const char *media_class, const struct pw_stream_events *events,
    enum pw_stream_flags flags, const struct spa_pod **params, uint32_t count);
// Events that microphones and cameras have in common.
void cp_node_add_buffer(void *data, struct pw_buffer *buffer);
void cp_node_remove_buffer(void *data, struct pw_buffer *buffer);
void cp_node_state(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error);
