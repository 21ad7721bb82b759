#include "cp_library.h"

#include <math.h>
#include <spa/param/audio/format-utils.h>

// Takes up to `count` bytes out of the store.
static size_t take(struct cp_store *store, uint8_t *out, size_t count) {
    uint64_t taken = atomic_load_explicit(&store->taken, memory_order_relaxed);
    uint64_t there = atomic_load_explicit(&store->written, memory_order_acquire) - taken;
    count = SPA_MIN(count, (size_t)there);
    size_t at = taken % store->size, first = SPA_MIN(count, store->size - at);
    memcpy(out, store->bytes + at, first);
    memcpy(out + first, store->bytes, count - first);
    atomic_store_explicit(&store->taken, taken + count, memory_order_release);
    return count;
}

static size_t in_store(struct cp_store *store) {
    return (size_t)(atomic_load_explicit(&store->written, memory_order_acquire)
        - atomic_load_explicit(&store->taken, memory_order_relaxed));
}

// Frames beyond the target are what the two clocks have differed by: a part of them, a five-hundredth at most, is what the
// resampler takes more, so slowly that nobody hears it.
static void follow(struct cp_node *node, size_t frames) {
    if (node->match == NULL) return;
    double error = ((double)frames - node->target) / node->rate;
    node->drift += 0.002 * error;
    node->drift = SPA_CLAMP(node->drift, -0.002, 0.002);
    node->match->rate = 1 + SPA_CLAMP(0.05 * error + node->drift, -0.004, 0.004);
    SPA_FLAG_SET(node->match->flags, SPA_IO_RATE_MATCH_FLAG_ACTIVE);
}

// Fills the output with bytes from the store, and silence after them. Called on PipeWire's realtime thread.
static size_t fill(struct cp_node *node, uint8_t *out, size_t count) {
    size_t there = in_store(&node->store), got = 0, target = (size_t)node->target * node->frame_size;
    if (!atomic_load(&node->is_open)) {
        atomic_store(&node->store.taken, atomic_load(&node->store.written));
        node->is_primed = 0;
    } else if (node->is_primed || there >= target + count) {
        // Much more than the target is what came while nothing was taken: the latest counts.
        if (there > 4 * target + count) atomic_fetch_add(&node->store.taken, there - target - count);
        follow(node, in_store(&node->store) / node->frame_size);
        got = take(&node->store, out, count);
        node->is_primed = got == count;
    }
    memset(out + got, 0, count - got);
    return count;
}

static void process(void *data) {
    struct cp_node *node = data;
    struct pw_buffer *buffer = pw.stream_dequeue_buffer(node->stream);
    if (buffer == NULL) return;
    struct spa_data *to = &buffer->buffer->datas[0];
    if (to->data != NULL) {
        size_t frames = to->maxsize / node->frame_size;
        if (buffer->requested != 0) frames = SPA_MIN(frames, (size_t)buffer->requested);
        size_t count = fill(node, to->data, frames * node->frame_size);
        to->chunk->offset = 0;
        to->chunk->stride = (int32_t)node->frame_size;
        to->chunk->size = (uint32_t)count;
    }
    pw.stream_queue_buffer(node->stream, buffer);
}

static void io_changed(void *data, uint32_t id, void *area, uint32_t size) {
    struct cp_node *node = data;
    if (id == SPA_IO_RateMatch) node->match = size >= sizeof *node->match ? area : NULL;
}

static const struct pw_stream_events events = {
    PW_VERSION_STREAM_EVENTS, .state_changed = cp_node_state, .io_changed = io_changed, .process = process,
    .add_buffer = cp_node_add_buffer, .remove_buffer = cp_node_remove_buffer,
};

uint32_t cp_sample_format(enum cp_samples samples, uint32_t *size) {
    static const struct { uint32_t format, size; } table[] = {
        [CP_S16] = {SPA_AUDIO_FORMAT_S16_LE, 2}, [CP_S24] = {SPA_AUDIO_FORMAT_S24_32_LE, 4},
        [CP_S24_3] = {SPA_AUDIO_FORMAT_S24_LE, 3}, [CP_S32] = {SPA_AUDIO_FORMAT_S32_LE, 4},
        [CP_F32] = {SPA_AUDIO_FORMAT_F32_LE, 4},
    };
    *size = table[samples].size;
    return table[samples].format;
}

void cp_positions(struct spa_audio_info_raw *info) {
    info->position[0] = info->channels == 1 ? SPA_AUDIO_CHANNEL_MONO : SPA_AUDIO_CHANNEL_FL;
    info->position[1] = SPA_AUDIO_CHANNEL_FR;
    for (uint32_t i = 2; i < info->channels; i++) info->position[i] = SPA_AUDIO_CHANNEL_AUX0 + i;
}

int cp_microphone_open(
    void *connection, const struct cp_labels *labels, enum cp_samples samples, uint32_t rate, uint32_t channels,
    const struct cp_node_watcher *watcher, void **out) {
    if (channels == 0 || channels > SPA_AUDIO_MAX_CHANNELS || rate == 0) return -EINVAL;
    struct cp_node *node;
    int result = cp_node_new(connection, watcher, &node);
    if (result < 0) return result;
    uint32_t size;
    struct spa_audio_info_raw info = {.format = cp_sample_format(samples, &size), .rate = rate, .channels = channels};
    cp_positions(&info);
    node->frame_size = size * channels;
    node->rate = rate;
    node->target = rate / 50;
    node->store.size = (size_t)rate * node->frame_size;
    node->store.bytes = calloc(1, node->store.size);
    if (node->store.bytes == NULL) {
        free(node);
        return -ENOMEM;
    }
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &info)};
    *out = node;
    return cp_node_begin(
        node, labels, "Audio/Source", &events, PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS, params, 1);
}

size_t cp_microphone_write(void *opaque, const void *bytes, size_t count) {
    struct cp_node *node = opaque;
    struct cp_store *store = &node->store;
    uint64_t written = atomic_load_explicit(&store->written, memory_order_relaxed);
    size_t room = store->size - (size_t)(written - atomic_load_explicit(&store->taken, memory_order_acquire));
    count = SPA_MIN(count, room) / node->frame_size * node->frame_size;
    size_t at = written % store->size, first = SPA_MIN(count, store->size - at);
    memcpy(store->bytes + at, bytes, first);
    memcpy(store->bytes, (const uint8_t *)bytes + first, count - first);
    atomic_store_explicit(&store->written, written + count, memory_order_release);
    return count;
}
