#pragma once

#include "cp_library.h"

// A stream that takes in what one node of the graph puts out.
struct cp_capture {
    struct cp_capture_watcher watcher;
    struct pw_thread_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct pw_stream *stream;
    struct spa_hook core_hook, registry_hook, hook;
    int awaited, is_listed, error;
    // Target of the capture.
    char *target, *description;
    char serial[24];
    int is_monitor, is_video;
    uint32_t target_id;  // SPA_ID_INVALID while it is not there
    int is_linked, has_ended;
    // For the realtime thread: nothing is handed on while it is not open, and it is busy while it hands something on.
    atomic_int is_open, is_busy;
    // A microphone's.
    enum cp_samples samples;
    uint32_t rate, channels, period, frame_size;
    uint64_t next_tick;  // of the graph's clock, when the next piece is due; 0 before the first
    // A camera's.
    struct cp_picture picture;
    uint8_t *packed;  // memory of one picture
    uint64_t number;  // of the last picture, as its source counts
};

// Events of both kinds of streams.
const struct pw_stream_events *cp_intake_events(int is_video);
// Formats to ask for: the number of parameters.
uint32_t cp_intake_formats(const struct cp_capture *c, struct spa_pod_builder *builder, const struct spa_pod **params);
// A change of the stream's state; on the connection's thread.
void cp_capture_state(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error);
