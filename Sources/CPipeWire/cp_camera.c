#include "cp_library.h"

#include <spa/param/video/format-utils.h>

static const uint32_t formats[] = {
    [CP_YUYV] = SPA_VIDEO_FORMAT_YUY2, [CP_UYVY] = SPA_VIDEO_FORMAT_UYVY, [CP_NV12] = SPA_VIDEO_FORMAT_NV12,
    [CP_I420] = SPA_VIDEO_FORMAT_I420, [CP_RGB24] = SPA_VIDEO_FORMAT_RGB,  [CP_BGR24] = SPA_VIDEO_FORMAT_BGR,
    [CP_GREY] = SPA_VIDEO_FORMAT_GRAY8,
};

int cp_pixels_of(uint32_t format) {
    for (size_t i = 0; i < SPA_N_ELEMENTS(formats); i++) {
        if (formats[i] == format) return (int)i;
    }
    return -1;
}

const struct spa_pod *cp_picture_format(struct spa_pod_builder *builder, const struct cp_picture *picture) {
    struct spa_rectangle size = SPA_RECTANGLE(picture->width, picture->height);
    struct spa_fraction rate = SPA_FRACTION(picture->rate_numerator, picture->rate_denominator);
    if (picture->pixels == CP_MJPEG) {
        struct spa_video_info_mjpg info = {.size = size, .framerate = rate};
        return spa_format_video_mjpg_build(builder, SPA_PARAM_EnumFormat, &info);
    }
    struct spa_video_info_raw info = {.format = formats[picture->pixels], .size = size, .framerate = rate};
    return spa_format_video_raw_build(builder, SPA_PARAM_EnumFormat, &info);
}

static int is_agreed(const struct cp_picture *picture, const struct spa_video_info *info) {
    int is_compressed = info->media_subtype == SPA_MEDIA_SUBTYPE_mjpg;
    if (is_compressed != (picture->pixels == CP_MJPEG)) return 0;
    if (!is_compressed && info->info.raw.format != formats[picture->pixels]) return 0;
    struct spa_rectangle size = is_compressed ? info->info.mjpg.size : info->info.raw.size;
    struct spa_fraction rate = is_compressed ? info->info.mjpg.framerate : info->info.raw.framerate;
    return size.width == picture->width && size.height == picture->height
        && (uint64_t)rate.num * picture->rate_denominator == (uint64_t)picture->rate_numerator * rate.denom;
}

static int read_format(const struct spa_pod *param, struct spa_video_info *info) {
    if (spa_format_parse(param, &info->media_type, &info->media_subtype) < 0) return -EINVAL;
    if (info->media_type != SPA_MEDIA_TYPE_video) return -EINVAL;
    return info->media_subtype == SPA_MEDIA_SUBTYPE_mjpg ? spa_format_video_mjpg_parse(param, &info->info.mjpg)
                                                         : spa_format_video_raw_parse(param, &info->info.raw);
}

static void ask_for_buffers(struct cp_node *node, const struct cp_picture *picture) {
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[] = {
        spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
            SPA_POD_CHOICE_RANGE_Int(4, 2, 16), SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1), SPA_PARAM_BUFFERS_size,
            SPA_POD_Int(picture->size), SPA_PARAM_BUFFERS_stride, SPA_POD_Int(picture->stride)),
        spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type, SPA_POD_Id(SPA_META_Header),
            SPA_PARAM_META_size, SPA_POD_Int(sizeof(struct spa_meta_header))),
    };
    pw.stream_update_params(node->stream, params, SPA_N_ELEMENTS(params));
}

static void param_changed(void *data, uint32_t id, const struct spa_pod *param) {
    struct cp_node *node = data;
    if (id != SPA_PARAM_Format) return;
    node->agreed = -1;
    struct spa_video_info info = {0};
    if (param == NULL || read_format(param, &info) < 0) return;
    for (uint32_t i = 0; i < node->count && node->agreed < 0; i++) {
        if (is_agreed(&node->pictures[i], &info)) node->agreed = (int32_t)i;
    }
    if (node->agreed < 0) return;
    ask_for_buffers(node, &node->pictures[node->agreed]);
    node->watcher.format(node->watcher.context, node->agreed);
}

static const struct pw_stream_events events = {
    PW_VERSION_STREAM_EVENTS, .state_changed = cp_node_state, .param_changed = param_changed,
    .add_buffer = cp_node_add_buffer, .remove_buffer = cp_node_remove_buffer,
};

enum { MOST_PICTURES = 64 };

int cp_camera_open(
    void *connection, const struct cp_labels *labels, const struct cp_picture *pictures, uint32_t count,
    const struct cp_node_watcher *watcher, void **out) {
    if (count == 0 || count > MOST_PICTURES) return -EINVAL;
    struct cp_node *node;
    int result = cp_node_new(connection, watcher, &node);
    if (result < 0) return result;
    node->pictures = calloc(count, sizeof *pictures);
    if (node->pictures == NULL) {
        free(node);
        return -ENOMEM;
    }
    memcpy(node->pictures, pictures, count * sizeof *pictures);
    node->count = count;
    uint8_t memory[MOST_PICTURES * 256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[MOST_PICTURES];
    for (uint32_t i = 0; i < count; i++) params[i] = cp_picture_format(&builder, &pictures[i]);
    *out = node;
    enum pw_stream_flags flags = PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_DRIVER;
    // Linked programs wait for a format. A stream of GStreamer that has negotiated one, and runs, fails if it is linked to another
    // node.
    if (labels->is_closed) flags |= PW_STREAM_FLAG_INACTIVE;
    return cp_node_begin(node, labels, "Video/Source", &events, flags, params, count);
}

// Copies a frame into a buffer.
static void put(
    const struct cp_picture *picture, struct spa_buffer *buffer, const uint8_t *bytes, size_t count, size_t stride, int64_t at,
    uint64_t sequence) {
    struct spa_data *to = &buffer->datas[0];
    size_t limit = SPA_MIN((size_t)picture->size, (size_t)to->maxsize), size = SPA_MIN(count, limit);
    if (picture->stride == 0 || picture->stride == stride) {
        memcpy(to->data, bytes, size);
    } else {
        // Rows that the driver pads.
        size = 0;
        for (size_t row = 0; row * stride + picture->stride <= count && size + picture->stride <= limit; row++) {
            memcpy((uint8_t *)to->data + size, bytes + row * stride, picture->stride);
            size += picture->stride;
        }
    }
    to->chunk->offset = 0;
    to->chunk->stride = (int32_t)picture->stride;
    to->chunk->size = (uint32_t)size;
    struct spa_meta_header *header = spa_buffer_find_meta_data(buffer, SPA_META_Header, sizeof *header);
    if (header != NULL) *header = (struct spa_meta_header){.pts = at, .seq = sequence};
}

int cp_camera_write(void *opaque, const void *bytes, size_t count, size_t stride, int64_t monotonic_ns, uint64_t sequence) {
    struct cp_node *node = opaque;
    struct pw_thread_loop *loop = node->connection->loop;
    pw.thread_loop_lock(loop);
    int is_open = node->agreed >= 0 && atomic_load(&node->is_open);
    struct pw_buffer *buffer = is_open ? pw.stream_dequeue_buffer(node->stream) : NULL;
    if (buffer != NULL) {
        if (buffer->buffer->datas[0].data != NULL) {
            put(&node->pictures[node->agreed], buffer->buffer, bytes, count, stride, monotonic_ns, sequence);
        }
        pw.stream_queue_buffer(node->stream, buffer);
        pw.stream_trigger_process(node->stream);
    }
    pw.thread_loop_unlock(loop);
    return buffer != NULL;
}
