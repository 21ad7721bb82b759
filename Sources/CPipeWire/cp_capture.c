#include "cp_capture.h"

#include <sched.h>

// Ends it once and permanently: nothing is passed on after this.
static void end(struct cp_capture *c, enum cp_end reason) {
    if (c->has_ended) return;
    c->has_ended = 1;
    atomic_store(&c->is_open, 0);
    // The realtime thread waits for nobody, so it is waited for: for as long as a copy takes.
    while (atomic_load(&c->is_busy)) sched_yield();
    c->watcher.ended(c->watcher.context, reason);
    pw.thread_loop_signal(c->loop, false);
}

static int is_source(const struct cp_capture *c, const char *media_class) {
    if (c->is_monitor) return spa_streq(media_class, "Audio/Sink") || spa_streq(media_class, "Audio/Duplex");
    if (c->is_video) return spa_streq(media_class, "Video/Source") || spa_streq(media_class, "Video/Source/Virtual");
    return spa_streq(media_class, "Audio/Source") || spa_streq(media_class, "Audio/Source/Virtual")
        || spa_streq(media_class, "Audio/Duplex");
}

static void note_node(struct cp_capture *c, uint32_t id, const struct spa_dict *properties) {
    if (c->target_id != SPA_ID_INVALID || !is_source(c, spa_dict_lookup(properties, PW_KEY_MEDIA_CLASS))) return;
    if (!spa_streq(spa_dict_lookup(properties, PW_KEY_NODE_NAME), c->target)) return;
    const char *serial = spa_dict_lookup(properties, "object.serial");
    if (serial != NULL) snprintf(c->serial, sizeof c->serial, "%s", serial);
    c->target_id = id;
}

// The permission is for one node: a stream that is linked to another one has ended, whoever linked it. Judged before any data of
// that link can have been passed on, since nothing is before the right link is reported.
static void note_link(struct cp_capture *c, const struct spa_dict *properties) {
    const char *output = spa_dict_lookup(properties, PW_KEY_LINK_OUTPUT_NODE), *input = spa_dict_lookup(properties, PW_KEY_LINK_INPUT_NODE);
    uint32_t from, to;
    if (c->stream == NULL || !spa_atou32(output, &from, 10) || !spa_atou32(input, &to, 10)) return;
    if (to != pw.stream_get_node_id(c->stream)) return;
    if (from != c->target_id) return end(c, CP_END_MOVED);
    c->is_linked = 1;
    pw.thread_loop_signal(c->loop, false);
}

static void came(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *properties) {
    struct cp_capture *c = data;
    (void)permissions, (void)version;
    if (properties == NULL) return;
    if (spa_streq(type, PW_TYPE_INTERFACE_Node)) note_node(c, id, properties);
    if (spa_streq(type, PW_TYPE_INTERFACE_Link)) note_link(c, properties);
}

static void went(void *data, uint32_t id) {
    struct cp_capture *c = data;
    if (c->stream != NULL && id == c->target_id) end(c, CP_END_GONE);
}

static void done(void *data, uint32_t id, int sequence) {
    struct cp_capture *c = data;
    if (id != PW_ID_CORE || sequence != c->awaited) return;
    c->is_listed = 1;
    pw.thread_loop_signal(c->loop, false);
}

static void failed(void *data, uint32_t id, int sequence, int error, const char *message) {
    struct cp_capture *c = data;
    (void)sequence, (void)message;
    if (id != PW_ID_CORE) return;
    c->error = error;
    if (c->stream != NULL && error == -EPIPE) end(c, CP_END_GONE);
    pw.thread_loop_signal(c->loop, false);
}

void cp_capture_state(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    struct cp_capture *c = data;
    (void)error, (void)old;
    if (state == PW_STREAM_STATE_ERROR) end(c, CP_END_REFUSED);
    // The session manager destroys a stream whose target has gone, possibly before that is reported.
    if (state == PW_STREAM_STATE_UNCONNECTED) end(c, CP_END_GONE);
    pw.thread_loop_signal(c->loop, false);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .done = done, .error = failed};
static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = came, .global_remove = went};

static void release(struct cp_capture *c) {
    if (c->loop != NULL) pw.thread_loop_stop(c->loop);
    // Its end is nobody's news any more.
    c->has_ended = 1;
    if (c->stream != NULL) pw.stream_destroy(c->stream);
    if (c->registry != NULL) pw.proxy_destroy((struct pw_proxy *)c->registry);
    if (c->core != NULL) pw.core_disconnect(c->core);
    if (c->context != NULL) pw.context_destroy(c->context);
    if (c->loop != NULL) pw.thread_loop_destroy(c->loop);
    if (c->packed != NULL) explicit_bzero(c->packed, c->picture.size);
    free(c->packed), free(c->target), free(c->description), free(c);
}

// Context whose data thread has realtime priority if this user may have it; without it a busy machine loses cycles. Newer
// libraries have one configuration for all.
static struct pw_context *realtime_context(struct pw_loop *loop) {
    struct spa_dict_item item = SPA_DICT_ITEM_INIT(PW_KEY_CONFIG_NAME, "client-rt.conf");
    struct pw_context *context = pw.context_new(loop, pw.properties_new_dict(&SPA_DICT_INIT(&item, 1)), 0);
    return context != NULL ? context : pw.context_new(loop, NULL, 0);
}

static int connect_core(struct cp_capture *c, const struct cp_remote *remote) {
    if ((c->loop = pw.thread_loop_new("capturegate.pw", NULL)) == NULL) return -errno;
    if ((c->context = realtime_context(pw.thread_loop_get_loop(c->loop))) == NULL) return -errno;
    if ((c->core = cp_core(c->context, remote, NULL)) == NULL) return -errno;
    pw_core_add_listener(c->core, &c->core_hook, &core_events, c);
    if ((c->registry = pw_core_get_registry(c->core, PW_VERSION_REGISTRY, 0)) == NULL) return -errno;
    pw_registry_add_listener(c->registry, &c->registry_hook, &registry_events, c);
    c->awaited = pw_core_sync(c->core, PW_ID_CORE, 0);
    return pw.thread_loop_start(c->loop);
}

static int connect_stream(struct cp_capture *c) {
    char latency[32], rate[32];
    snprintf(latency, sizeof latency, "%u/%u", c->period, c->rate);
    snprintf(rate, sizeof rate, "1/%u", c->rate);
    struct spa_dict_item items[] = {
        SPA_DICT_ITEM_INIT(PW_KEY_MEDIA_TYPE, c->is_video ? "Video" : "Audio"),
        SPA_DICT_ITEM_INIT(PW_KEY_MEDIA_CATEGORY, "Capture"),
        SPA_DICT_ITEM_INIT(PW_KEY_MEDIA_ROLE, c->is_video ? "Camera" : "Production"),
        SPA_DICT_ITEM_INIT(PW_KEY_APP_NAME, "CaptureGate"),
        SPA_DICT_ITEM_INIT(PW_KEY_NODE_NAME, "capturegate.record"),
        SPA_DICT_ITEM_INIT("target.object", c->serial[0] != 0 ? c->serial : c->target),
        SPA_DICT_ITEM_INIT(PW_KEY_NODE_DONT_RECONNECT, "true"),
        SPA_DICT_ITEM_INIT("node.dont-move", "true"),
        SPA_DICT_ITEM_INIT("stream.capture.sink", c->is_monitor ? "true" : "false"),
        // Those of microphones from here on.
        SPA_DICT_ITEM_INIT(PW_KEY_NODE_LATENCY, latency),
        SPA_DICT_ITEM_INIT("node.rate", rate),
    };
    struct spa_dict all = SPA_DICT_INIT(items, SPA_N_ELEMENTS(items) - (c->is_video ? 2 : 0));
    c->stream = pw.stream_new(c->core, c->description, pw.properties_new_dict(&all));
    if (c->stream == NULL) return -errno;
    pw.stream_add_listener(c->stream, &c->hook, cp_intake_events(c->is_video), c);
    uint8_t memory[2048];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[2];
    uint32_t count = cp_intake_formats(c, &builder, params);
    enum pw_stream_flags flags = PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS
        | PW_STREAM_FLAG_DONT_RECONNECT | PW_STREAM_FLAG_INACTIVE;
    return pw.stream_connect(c->stream, PW_DIRECTION_INPUT, PW_ID_ANY, flags, params, count);
}

// Waits for the daemon's list, and then for the link to the node.
static int open_locked(struct cp_capture *c, int seconds) {
    while (!c->is_listed && c->error == 0) {
        if (pw.thread_loop_timed_wait(c->loop, seconds) != 0) return -ETIMEDOUT;
    }
    if (c->error != 0) return c->error;
    if (c->target_id == SPA_ID_INVALID) return -ENODEV;
    int result = connect_stream(c);
    if (result < 0) return result;
    while (!c->is_linked && !c->has_ended && c->error == 0) {
        if (pw.thread_loop_timed_wait(c->loop, seconds) != 0) return -ENOLINK;
    }
    if (c->has_ended) return -ECONNREFUSED;
    return SPA_MIN(c->error, 0);
}

static int take_wish(struct cp_capture *c, const struct cp_wish *wish) {
    c->target = strdup(wish->target);
    c->description = strdup(wish->description);
    if (c->target == NULL || c->description == NULL) return -ENOMEM;
    c->is_monitor = wish->is_monitor;
    c->is_video = wish->picture != NULL;
    if (c->is_video) {
        c->picture = *wish->picture;
        c->packed = malloc(c->picture.size);
        return c->packed == NULL ? -ENOMEM : 0;
    }
    if (wish->channels == 0 || wish->channels > SPA_AUDIO_MAX_CHANNELS || wish->rate == 0 || wish->period == 0) return -EINVAL;
    c->samples = wish->samples, c->rate = wish->rate, c->channels = wish->channels, c->period = wish->period;
    cp_sample_format(c->samples, &c->frame_size);
    c->frame_size *= c->channels;
    return 0;
}

int cp_capture_open(
    const struct cp_remote *remote, int seconds, const struct cp_wish *wish, const struct cp_capture_watcher *watcher, void **out) {
    if (cp_loaded() < 0) return cp_loaded();
    struct cp_capture *c = calloc(1, sizeof *c);
    if (c == NULL) return -ENOMEM;
    c->watcher = *watcher;
    c->target_id = SPA_ID_INVALID;
    int result = take_wish(c, wish);
    if (result >= 0) result = connect_core(c, remote);
    if (result >= 0) {
        pw.thread_loop_lock(c->loop);
        result = open_locked(c, seconds);
        pw.thread_loop_unlock(c->loop);
    }
    if (result < 0) {
        release(c);
        return result;
    }
    *out = c;
    return 0;
}

int cp_capture_begin(void *opaque) {
    struct cp_capture *c = opaque;
    pw.thread_loop_lock(c->loop);
    if (!c->has_ended) atomic_store(&c->is_open, 1);
    int result = pw.stream_set_active(c->stream, true);
    pw.thread_loop_unlock(c->loop);
    return SPA_MIN(result, 0);
}

void cp_capture_close(void *opaque) {
    struct cp_capture *c = opaque;
    atomic_store(&c->is_open, 0);
    release(c);
}
