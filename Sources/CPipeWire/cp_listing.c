#include "cp_library.h"

#include <spa/param/video/format-utils.h>
#include <spa/utils/json.h>
#include <time.h>

enum { MOST_NODES = 256, MOST_MODES = 128, MOST_RATE = 1000 };

struct node {
    struct pw_proxy *proxy, *port;
    struct spa_hook hook, port_hook;
    uint32_t id;
    int tells_formats;  // the node itself, not its port alone
    char *name, *description, *media_class;
    char hardware[64];
    struct cp_mode *modes;
    uint32_t mode_count;
};

struct listing {
    struct pw_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct pw_metadata *metadata;
    struct spa_hook core_hook, registry_hook, metadata_hook;
    struct node *nodes[MOST_NODES];
    uint32_t count;
    char *audio_source, *video_source;
    int with_modes, awaited, is_done, error;
};

static int is_wanted(const char *media_class) {
    static const char *const wanted[] = {
        "Audio/Source", "Audio/Source/Virtual", "Audio/Duplex", "Audio/Sink", "Video/Source", "Video/Source/Virtual",
    };
    for (size_t i = 0; i < SPA_N_ELEMENTS(wanted); i++) {
        if (spa_streq(media_class, wanted[i])) return 1;
    }
    return 0;
}

static char *copy(const char *text) { return strdup(text == NULL ? "" : text); }

// Numbers of a node's hardware, as the daemon's own modules report them.
static void read_hardware(struct node *node, const struct spa_dict *properties) {
    uint32_t card, device;
    if (spa_atou32(spa_dict_lookup(properties, "api.alsa.pcm.card"), &card, 10)
        && spa_atou32(spa_dict_lookup(properties, "api.alsa.pcm.device"), &device, 10)) {
        snprintf(node->hardware, sizeof node->hardware, "hw:%u,%u", card, device);
    }
    const char *video = spa_dict_lookup(properties, "api.v4l2.path");
    if (video != NULL) snprintf(node->hardware, sizeof node->hardware, "%s", video);
}

static void told(void *data, const struct pw_node_info *info) {
    struct node *node = data;
    if (info->props != NULL && info->change_mask & PW_NODE_CHANGE_MASK_PROPS) read_hardware(node, info->props);
}

// Values of a property that is fixed, or a choice of several; a range's are its ends. The first of a choice is its default, which
// comes once more among the others.
static uint32_t values(const struct spa_pod *pod, uint32_t *choice, const void **first, uint32_t *size) {
    uint32_t count;
    const struct spa_pod *inner = spa_pod_get_values(pod, &count, choice);
    *first = SPA_POD_BODY_CONST(inner);
    *size = SPA_POD_BODY_SIZE(inner);
    if (*choice == SPA_CHOICE_None || count < 2) return SPA_MIN(count, 1u);
    *first = SPA_PTROFF(*first, *size, const void);
    return count - 1;
}

static void read_rates(struct cp_mode *mode, const struct spa_pod *pod) {
    if (pod == NULL) return;
    uint32_t choice, size;
    const void *first;
    uint32_t count = values(pod, &choice, &first, &size);
    if (size != sizeof(struct spa_fraction)) return;
    int is_range = choice == SPA_CHOICE_Range || choice == SPA_CHOICE_Step;
    if (is_range) count = SPA_MIN(count, 2u);
    for (uint32_t i = 0; i < count && mode->rate_count < CP_RATES; i++) {
        struct spa_fraction rate = ((const struct spa_fraction *)first)[i];
        // The ends of a range may be "none" and "any".
        if (is_range && rate.num == 0) rate = SPA_FRACTION(1, 1);
        if (is_range && rate.denom != 0 && rate.num / rate.denom > MOST_RATE) rate = SPA_FRACTION(MOST_RATE, 1);
        if (rate.num == 0 || rate.denom == 0) continue;
        mode->rates[mode->rate_count++] = (struct cp_rate){rate.num, rate.denom};
    }
    mode->takes_rates_between = is_range;
}

static void add_mode(struct node *node, const struct cp_mode *mode) {
    struct cp_mode *more = realloc(node->modes, (node->mode_count + 1) * sizeof *more);
    if (more == NULL) return;
    node->modes = more;
    node->modes[node->mode_count++] = *mode;
}

// One mode for each size of a format; a range of sizes is one mode with its smallest.
static void add_sizes(struct node *node, enum cp_pixels pixels, const struct spa_pod *sizes, const struct spa_pod *rates) {
    uint32_t choice, size;
    const void *first;
    uint32_t count = values(sizes, &choice, &first, &size);
    if (size != sizeof(struct spa_rectangle)) return;
    const struct spa_rectangle *each = first;
    struct cp_mode mode = {.pixels = pixels};
    read_rates(&mode, rates);
    if ((choice == SPA_CHOICE_Range || choice == SPA_CHOICE_Step) && count >= 2) {
        mode.least_width = each[0].width, mode.least_height = each[0].height;
        mode.width = each[1].width, mode.height = each[1].height;
        mode.width_step = count >= 3 ? each[2].width : 1, mode.height_step = count >= 3 ? each[2].height : 1;
        return add_mode(node, &mode);
    }
    for (uint32_t i = 0; i < count; i++) {
        mode.width = mode.least_width = each[i].width, mode.height = mode.least_height = each[i].height;
        add_mode(node, &mode);
    }
}

static void add_format(struct node *node, uint32_t id, const struct spa_pod *pod) {
    uint32_t type, subtype;
    if (id != SPA_PARAM_EnumFormat || node->mode_count >= MOST_MODES || spa_format_parse(pod, &type, &subtype) < 0) return;
    const struct spa_pod_prop *sizes = spa_pod_find_prop(pod, NULL, SPA_FORMAT_VIDEO_size);
    const struct spa_pod_prop *rates = spa_pod_find_prop(pod, NULL, SPA_FORMAT_VIDEO_framerate);
    const struct spa_pod_prop *formats = spa_pod_find_prop(pod, NULL, SPA_FORMAT_VIDEO_format);
    if (type != SPA_MEDIA_TYPE_video || sizes == NULL) return;
    const struct spa_pod *rate = rates == NULL ? NULL : &rates->value;
    if (subtype == SPA_MEDIA_SUBTYPE_mjpg) return add_sizes(node, CP_MJPEG, &sizes->value, rate);
    if (subtype != SPA_MEDIA_SUBTYPE_raw || formats == NULL) return;
    uint32_t choice, size;
    const void *first;
    uint32_t count = values(&formats->value, &choice, &first, &size);
    if (size != sizeof(uint32_t)) return;
    for (uint32_t i = 0; i < count; i++) {
        int pixels = cp_pixels_of(((const uint32_t *)first)[i]);
        if (pixels >= 0) add_sizes(node, (enum cp_pixels)pixels, &sizes->value, rate);
    }
}

static void node_param(void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *pod) {
    struct node *node = data;
    (void)sequence, (void)index, (void)next;
    node->tells_formats = 1;
    add_format(node, id, pod);
}

// Parameter of a node that leaves it to its port; a node is queried first, and so answers first.
static void port_param(void *data, int sequence, uint32_t id, uint32_t index, uint32_t next, const struct spa_pod *pod) {
    struct node *node = data;
    (void)sequence, (void)index, (void)next;
    if (!node->tells_formats) add_format(node, id, pod);
}

static const struct pw_node_events node_events = {PW_VERSION_NODE_EVENTS, .info = told, .param = node_param};
static const struct pw_port_events port_events = {PW_VERSION_PORT_EVENTS, .param = port_param};

// The name in {"name": "…"}; empty if none exists.
static void read_name(const char *value, char *name, int size) {
    struct spa_json outer, object;
    char key[16];
    name[0] = 0;
    spa_json_init(&outer, value, strlen(value));
    if (spa_json_enter_object(&outer, &object) <= 0) return;
    while (spa_json_get_string(&object, key, sizeof key) > 0) {
        const char *skipped;
        if (strcmp(key, "name") != 0) {
            if (spa_json_next(&object, &skipped) <= 0) return;
        } else if (spa_json_get_string(&object, name, size) <= 0) {
            name[0] = 0;
        }
    }
}

static int property(void *data, uint32_t subject, const char *key, const char *type, const char *value) {
    struct listing *l = data;
    (void)type;
    if (subject != PW_ID_CORE || key == NULL || value == NULL) return 0;
    char **to = spa_streq(key, "default.audio.source") ? &l->audio_source
        : spa_streq(key, "default.video.source")       ? &l->video_source
                                                        : NULL;
    char name[1024];
    if (to == NULL) return 0;
    read_name(value, name, sizeof name);
    free(*to);
    *to = copy(name);
    return 0;
}

static const struct pw_metadata_events metadata_events = {PW_VERSION_METADATA_EVENTS, .property = property};

static void add_node(struct listing *l, uint32_t id, uint32_t version, const struct spa_dict *properties) {
    const char *media_class = spa_dict_lookup(properties, PW_KEY_MEDIA_CLASS), *name = spa_dict_lookup(properties, PW_KEY_NODE_NAME);
    if (!is_wanted(media_class) || name == NULL || l->count == MOST_NODES) return;
    struct node *node = calloc(1, sizeof *node);
    if (node == NULL) return;
    const char *description = spa_dict_lookup(properties, PW_KEY_NODE_DESCRIPTION);
    node->id = id;
    node->name = copy(name);
    node->description = copy(description == NULL ? name : description);
    node->media_class = copy(media_class);
    l->nodes[l->count++] = node;
    node->proxy = pw_registry_bind(l->registry, id, PW_TYPE_INTERFACE_Node, SPA_MIN(version, (uint32_t)PW_VERSION_NODE), 0);
    if (node->proxy == NULL) return;
    pw_node_add_listener((struct pw_node *)node->proxy, &node->hook, &node_events, node);
    if (l->with_modes && strncmp(media_class, "Video/", 6) == 0) {
        pw_node_enum_params((struct pw_node *)node->proxy, 0, SPA_PARAM_EnumFormat, 0, UINT32_MAX, NULL);
    }
}

static void add_port(struct listing *l, uint32_t id, uint32_t version, const struct spa_dict *properties) {
    uint32_t owner;
    if (!l->with_modes || !spa_atou32(spa_dict_lookup(properties, PW_KEY_NODE_ID), &owner, 10)) return;
    if (!spa_streq(spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION), "out")) return;
    for (uint32_t i = 0; i < l->count; i++) {
        struct node *node = l->nodes[i];
        if (node->id != owner || node->port != NULL || strncmp(node->media_class, "Video/", 6) != 0) continue;
        node->port = pw_registry_bind(l->registry, id, PW_TYPE_INTERFACE_Port, SPA_MIN(version, (uint32_t)PW_VERSION_PORT), 0);
        if (node->port == NULL) return;
        pw_port_add_listener((struct pw_port *)node->port, &node->port_hook, &port_events, node);
        pw_port_enum_params((struct pw_port *)node->port, 0, SPA_PARAM_EnumFormat, 0, UINT32_MAX, NULL);
    }
}

static void came(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *properties) {
    struct listing *l = data;
    (void)permissions;
    if (properties == NULL) return;
    if (spa_streq(type, PW_TYPE_INTERFACE_Node)) return add_node(l, id, version, properties);
    if (spa_streq(type, PW_TYPE_INTERFACE_Port)) return add_port(l, id, version, properties);
    if (l->metadata != NULL || !spa_streq(type, PW_TYPE_INTERFACE_Metadata)) return;
    if (!spa_streq(spa_dict_lookup(properties, PW_KEY_METADATA_NAME), "default")) return;
    l->metadata = pw_registry_bind(l->registry, id, PW_TYPE_INTERFACE_Metadata, SPA_MIN(version, (uint32_t)PW_VERSION_METADATA), 0);
    if (l->metadata != NULL) pw_metadata_add_listener(l->metadata, &l->metadata_hook, &metadata_events, l);
}

static void done(void *data, uint32_t id, int sequence) {
    struct listing *l = data;
    if (id == PW_ID_CORE && sequence == l->awaited) l->is_done = 1;
}

static void failed(void *data, uint32_t id, int sequence, int error, const char *message) {
    struct listing *l = data;
    (void)sequence, (void)message;
    if (id == PW_ID_CORE && l->error == 0) l->error = error;
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .done = done, .error = failed};
static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = came};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

// Waits until the daemon has answered all requests.
static int round_trip(struct listing *l, int64_t deadline) {
    l->is_done = 0;
    l->awaited = pw_core_sync(l->core, PW_ID_CORE, 0);
    while (!l->is_done && l->error == 0) {
        int64_t left = deadline - now();
        if (left <= 0) return -ETIMEDOUT;
        int result = pw_loop_iterate(l->loop, (int)left);
        if (result < 0 && result != -EINTR) return result;
    }
    return l->error;
}

static int ask(struct listing *l, const struct cp_remote *remote, int milliseconds) {
    int64_t deadline = now() + milliseconds;
    if ((l->loop = pw.loop_new(NULL)) == NULL) return -errno;
    if ((l->context = pw.context_new(l->loop, NULL, 0)) == NULL) return -errno;
    if ((l->core = cp_core(l->context, remote, NULL)) == NULL) return -errno;
    pw_core_add_listener(l->core, &l->core_hook, &core_events, l);
    if ((l->registry = pw_core_get_registry(l->core, PW_VERSION_REGISTRY, 0)) == NULL) return -errno;
    pw_registry_add_listener(l->registry, &l->registry_hook, &registry_events, l);
    pw_loop_enter(l->loop);
    // All objects arrive in the first round trip, the answers about them in the second.
    int result = round_trip(l, deadline);
    if (result >= 0) result = round_trip(l, deadline);
    pw_loop_leave(l->loop);
    return result;
}

static void tell(struct listing *l, const struct cp_visitor *visitor) {
    for (uint32_t i = 0; i < l->count; i++) {
        struct node *node = l->nodes[i];
        if (node->name == NULL || node->description == NULL || node->media_class == NULL) continue;
        int is_video = strncmp(node->media_class, "Video/", 6) == 0;
        const char *standard = is_video ? l->video_source : l->audio_source;
        struct cp_found found = {
            .name = node->name, .description = node->description, .media_class = node->media_class,
            .hardware = node->hardware, .is_default = standard != NULL && spa_streq(standard, node->name),
            .modes = node->modes, .mode_count = node->mode_count,
        };
        visitor->node(visitor->context, &found);
    }
}

static void release(struct listing *l) {
    for (uint32_t i = 0; i < l->count; i++) {
        struct node *node = l->nodes[i];
        if (node->proxy != NULL) pw.proxy_destroy(node->proxy);
        if (node->port != NULL) pw.proxy_destroy(node->port);
        free(node->name), free(node->description), free(node->media_class), free(node->modes), free(node);
    }
    if (l->metadata != NULL) pw.proxy_destroy((struct pw_proxy *)l->metadata);
    if (l->registry != NULL) pw.proxy_destroy((struct pw_proxy *)l->registry);
    if (l->core != NULL) pw.core_disconnect(l->core);
    if (l->context != NULL) pw.context_destroy(l->context);
    if (l->loop != NULL) pw.loop_destroy(l->loop);
    free(l->audio_source), free(l->video_source);
    free(l);
}

int cp_list(const struct cp_remote *remote, int milliseconds, int with_modes, const struct cp_visitor *visitor) {
    if (cp_loaded() < 0) return cp_loaded();
    struct listing *l = calloc(1, sizeof *l);
    if (l == NULL) return -ENOMEM;
    l->with_modes = with_modes;
    int result = ask(l, remote, milliseconds);
    if (result >= 0) tell(l, visitor);
    release(l);
    return SPA_MIN(result, 0);
}
