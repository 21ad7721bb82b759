#include "cp_library.h"

#include <spa/param/props.h>
#include <spa/pod/builder.h>

static uint32_t number(const struct spa_dict *properties, const char *key, uint32_t otherwise) {
    uint32_t value;
    const char *text = properties == NULL ? NULL : spa_dict_lookup(properties, key);
    return text != NULL && spa_atou32(text, &value, 10) ? value : otherwise;
}

static void tell_client(struct cp_connection *c, uint32_t id, const struct spa_dict *properties) {
    if (id == c->client) return;
    // The daemon lets no client write those that begin with pipewire.sec.
    struct cp_client client = {
        .id = id,
        .process = (int32_t)number(properties, PW_KEY_SEC_PID, 0),
        .user = number(properties, PW_KEY_SEC_UID, UINT32_MAX),
    };
    c->watcher.client_came(c->watcher.context, &client);
}

static void tell_peer(struct cp_connection *c, uint32_t id, const struct spa_dict *properties) {
    const char *media_class = spa_dict_lookup(properties, PW_KEY_MEDIA_CLASS);
    struct cp_peer peer = {
        .id = id,
        .client = number(properties, PW_KEY_CLIENT_ID, UINT32_MAX),
        .media_class = media_class == NULL ? "" : media_class,
        .wants_other = spa_dict_lookup(properties, "target.object") != NULL
            || spa_dict_lookup(properties, "node.target") != NULL
            || spa_atob(spa_dict_lookup(properties, "stream.capture.sink")),
    };
    c->watcher.node_came(c->watcher.context, &peer);
}

static void bind_metadata(struct cp_connection *c, uint32_t id, uint32_t version, const struct spa_dict *properties) {
    if (c->metadata != NULL || !spa_streq(spa_dict_lookup(properties, PW_KEY_METADATA_NAME), "default")) return;
    c->metadata = pw_registry_bind(c->registry, id, PW_TYPE_INTERFACE_Metadata, SPA_MIN(version, (uint32_t)PW_VERSION_METADATA), 0);
    c->metadata_id = id;
}

static void came(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *properties) {
    struct cp_connection *c = data;
    (void)permissions;
    if (properties == NULL) return;
    if (spa_streq(type, PW_TYPE_INTERFACE_Client)) tell_client(c, id, properties);
    if (spa_streq(type, PW_TYPE_INTERFACE_Node)) tell_peer(c, id, properties);
    if (spa_streq(type, PW_TYPE_INTERFACE_Metadata)) bind_metadata(c, id, version, properties);
    if (spa_streq(type, PW_TYPE_INTERFACE_Link)) {
        c->watcher.link_came(
            c->watcher.context, id, number(properties, PW_KEY_LINK_OUTPUT_NODE, UINT32_MAX),
            number(properties, PW_KEY_LINK_INPUT_NODE, UINT32_MAX));
    }
}

static void went(void *data, uint32_t id) {
    struct cp_connection *c = data;
    if (c->metadata != NULL && id == c->metadata_id) {
        pw.proxy_destroy((struct pw_proxy *)c->metadata);
        c->metadata = NULL;
    }
    c->watcher.gone(c->watcher.context, id);
}

static void failed(void *data, uint32_t id, int sequence, int error, const char *message) {
    struct cp_connection *c = data;
    (void)sequence, (void)message;
    if (id == PW_ID_CORE && error == -EPIPE) c->watcher.ended(c->watcher.context, error);
}

static void bound(void *data, uint32_t id, uint32_t global) {
    struct cp_connection *c = data;
    if (id == PW_ID_CLIENT) c->client = global;
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .error = failed, .bound_id = bound};
static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = came, .global_remove = went};

static void release(struct cp_connection *c) {
    if (c->loop != NULL) pw.thread_loop_stop(c->loop);
    if (c->metadata != NULL) pw.proxy_destroy((struct pw_proxy *)c->metadata);
    if (c->registry != NULL) pw.proxy_destroy((struct pw_proxy *)c->registry);
    if (c->core != NULL) pw.core_disconnect(c->core);
    if (c->context != NULL) pw.context_destroy(c->context);
    if (c->loop != NULL) pw.thread_loop_destroy(c->loop);
    free(c);
}

static int prepare(struct cp_connection *c, const char *remote) {
    if ((c->loop = pw.thread_loop_new("capturegate.pw", NULL)) == NULL) return -errno;
    if ((c->context = pw.context_new(pw.thread_loop_get_loop(c->loop), NULL, 0)) == NULL) return -errno;
    // A manager sees all, and may say who else does.
    if ((c->core = cp_core(c->context, &(struct cp_remote){.name = remote, .socket = -1}, "Manager")) == NULL) return -errno;
    pw_core_add_listener(c->core, &c->core_hook, &core_events, c);
    if ((c->registry = pw_core_get_registry(c->core, PW_VERSION_REGISTRY, 0)) == NULL) return -errno;
    pw_registry_add_listener(c->registry, &c->registry_hook, &registry_events, c);
    return pw.thread_loop_start(c->loop);
}

int cp_connect(const char *remote, const struct cp_watcher *watcher, void **connection) {
    if (cp_loaded() < 0) return cp_loaded();
    struct cp_connection *c = calloc(1, sizeof *c);
    if (c == NULL) return -ENOMEM;
    c->watcher = *watcher;
    c->client = UINT32_MAX;
    int result = prepare(c, remote);
    if (result < 0) {
        release(c);
        return result;
    }
    *connection = c;
    return 0;
}

void cp_disconnect(void *connection) { release(connection); }

int cp_show(void *connection, uint32_t client, uint32_t node, int is_shown) {
    struct cp_connection *c = connection;
    pw.thread_loop_lock(c->loop);
    struct pw_client *proxy = pw_registry_bind(c->registry, client, PW_TYPE_INTERFACE_Client, PW_VERSION_CLIENT, 0);
    int result = -ENOMEM;
    if (proxy != NULL) {
        struct pw_permission one = PW_PERMISSION_INIT(node, is_shown ? PW_PERM_ALL : 0);
        result = pw_client_update_permissions(proxy, 1, &one);
        pw.proxy_destroy((struct pw_proxy *)proxy);
    }
    pw.thread_loop_unlock(c->loop);
    return SPA_MIN(result, 0);
}

int cp_link(void *connection, uint32_t output, uint32_t input) {
    struct cp_connection *c = connection;
    char from[16], to[16];
    snprintf(from, sizeof from, "%u", output);
    snprintf(to, sizeof to, "%u", input);
    struct spa_dict_item items[] = {
        SPA_DICT_ITEM_INIT(PW_KEY_LINK_OUTPUT_NODE, from),
        SPA_DICT_ITEM_INIT(PW_KEY_LINK_INPUT_NODE, to),
        SPA_DICT_ITEM_INIT(PW_KEY_OBJECT_LINGER, "true"),
    };
    struct spa_dict all = SPA_DICT_INIT_ARRAY(items);
    pw.thread_loop_lock(c->loop);
    struct pw_proxy *link = pw_core_create_object(c->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &all, 0);
    if (link != NULL) pw.proxy_destroy(link);
    pw.thread_loop_unlock(c->loop);
    return link == NULL ? -ENOMEM : 0;
}

int cp_unlink(void *connection, uint32_t link) {
    struct cp_connection *c = connection;
    pw.thread_loop_lock(c->loop);
    int result = pw_registry_destroy(c->registry, link);
    pw.thread_loop_unlock(c->loop);
    return SPA_MIN(result, 0);
}

int cp_mute_monitors(void *connection, uint32_t node) {
    struct cp_connection *c = connection;
    uint8_t memory[128];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *muted = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props, SPA_PROP_monitorMute, SPA_POD_Bool(true));
    pw.thread_loop_lock(c->loop);
    struct pw_node *proxy = pw_registry_bind(c->registry, node, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    int result = -ENOMEM;
    if (proxy != NULL) {
        result = pw_node_set_param(proxy, SPA_PARAM_Props, 0, muted);
        pw.proxy_destroy((struct pw_proxy *)proxy);
    }
    pw.thread_loop_unlock(c->loop);
    return SPA_MIN(result, 0);
}

int cp_aim(void *connection, uint32_t stream, uint32_t node) {
    struct cp_connection *c = connection;
    char text[16];
    snprintf(text, sizeof text, "%u", node);
    pw.thread_loop_lock(c->loop);
    int result = c->metadata == NULL ? -ENODEV : pw_metadata_set_property(c->metadata, stream, "target.node", "Spa:Id", text);
    pw.thread_loop_unlock(c->loop);
    return SPA_MIN(result, 0);
}
