#include "cp_library.h"

int cp_node_new(struct cp_connection *connection, const struct cp_node_watcher *watcher, struct cp_node **out) {
    struct cp_node *node = calloc(1, sizeof *node);
    if (node == NULL) return -ENOMEM;
    node->watcher = *watcher;
    node->connection = connection;
    node->agreed = -1;
    *out = node;
    return 0;
}

static void release(struct cp_node *node) {
    if (node->store.bytes != NULL) explicit_bzero(node->store.bytes, node->store.size);
    free(node->store.bytes);
    free(node->pictures);
    free(node);
}

int cp_node_begin(
    struct cp_node *node, const struct cp_labels *labels, const char *media_class, const struct pw_stream_events *events,
    enum pw_stream_flags flags, const struct spa_pod **params, uint32_t count) {
    char priority[16];
    snprintf(priority, sizeof priority, "%d", labels->priority);
    struct spa_dict_item items[] = {
        SPA_DICT_ITEM_INIT(PW_KEY_MEDIA_CLASS, media_class),
        SPA_DICT_ITEM_INIT(PW_KEY_MEDIA_ROLE, "Camera"),
        SPA_DICT_ITEM_INIT(PW_KEY_NODE_NAME, labels->name),
        SPA_DICT_ITEM_INIT(PW_KEY_NODE_DESCRIPTION, labels->description),
        SPA_DICT_ITEM_INIT(PW_KEY_NODE_VIRTUAL, "false"),
        SPA_DICT_ITEM_INIT(PW_KEY_PRIORITY_SESSION, priority),
    };
    struct spa_dict all = SPA_DICT_INIT_ARRAY(items);
    struct pw_thread_loop *loop = node->connection->loop;
    pw.thread_loop_lock(loop);
    int result = -ENOMEM;
    node->stream = pw.stream_new(node->connection->core, labels->description, pw.properties_new_dict(&all));
    if (node->stream != NULL) {
        pw.stream_add_listener(node->stream, &node->hook, events, node);
        result = pw.stream_connect(node->stream, PW_DIRECTION_OUTPUT, PW_ID_ANY, flags, params, count);
        if (result < 0) pw.stream_destroy(node->stream);
    }
    pw.thread_loop_unlock(loop);
    if (result < 0) release(node);
    return SPA_MIN(result, 0);
}

void cp_node_state(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    struct cp_node *node = data;
    (void)error;
    if (old == PW_STREAM_STATE_CONNECTING && state == PW_STREAM_STATE_PAUSED) {
        node->watcher.bound(node->watcher.context, pw.stream_get_node_id(node->stream));
    }
    enum cp_state told = state == PW_STREAM_STATE_ERROR ? CP_STATE_FAILED
        : state == PW_STREAM_STATE_STREAMING            ? CP_STATE_RUNNING
                                                        : CP_STATE_IDLE;
    node->watcher.state(node->watcher.context, told);
}

void cp_node_add_buffer(void *data, struct pw_buffer *buffer) {
    struct cp_node *node = data;
    for (int i = 0; i < CP_BUFFERS; i++) {
        if (node->buffers[i] != NULL) continue;
        node->buffers[i] = buffer;
        return;
    }
}

void cp_node_remove_buffer(void *data, struct pw_buffer *buffer) {
    struct cp_node *node = data;
    for (int i = 0; i < CP_BUFFERS; i++) {
        if (node->buffers[i] == buffer) node->buffers[i] = NULL;
    }
}

static void wipe(struct pw_buffer *buffer) {
    for (uint32_t i = 0; i < buffer->buffer->n_datas; i++) {
        struct spa_data *data = &buffer->buffer->datas[i];
        if (data->data != NULL) explicit_bzero(data->data, data->maxsize);
    }
}

void cp_seal(void *opaque) {
    struct cp_node *node = opaque;
    struct pw_thread_loop *loop = node->connection->loop;
    atomic_store(&node->is_open, 0);
    pw.thread_loop_lock(loop);
    // Waits for the realtime thread: what it does not process goes nowhere.
    pw.stream_set_active(node->stream, false);
    for (int i = 0; i < CP_BUFFERS; i++) {
        if (node->buffers[i] != NULL) wipe(node->buffers[i]);
    }
    pw.thread_loop_unlock(loop);
}

void cp_pass(void *node, int is_open) { atomic_store(&((struct cp_node *)node)->is_open, is_open != 0); }

void cp_close(void *opaque) {
    struct cp_node *node = opaque;
    struct pw_thread_loop *loop = node->connection->loop;
    pw.thread_loop_lock(loop);
    spa_hook_remove(&node->hook);
    pw.stream_destroy(node->stream);
    pw.thread_loop_unlock(loop);
    release(node);
}
