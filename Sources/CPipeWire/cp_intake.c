#include "cp_capture.h"

#include <linux/dma-buf.h>
#include <spa/param/audio/format-utils.h>
#include <spa/param/video/format-utils.h>
#include <sys/ioctl.h>

static void hand_on(struct cp_capture *c, const void *bytes, size_t count, int64_t at, uint64_t lost) {
    struct cp_piece piece = {.bytes = bytes, .count = count, .monotonic_ns = at, .lost = lost};
    c->watcher.piece(c->watcher.ring, &piece);
}

static uint64_t in_frames(const struct cp_capture *c, uint64_t ticks, struct spa_fraction tick) {
    return tick.denom == 0 ? 0 : ticks * tick.num * c->rate / tick.denom;
}

// Frames that are missing before these: the graph's clock continued without the stream. A gap longer than half of the arrived
// frames counts; a shorter one comes from the resampler. A clock that jumps by more than ten seconds is another clock.
static uint64_t missing(struct cp_capture *c, const struct pw_time *time, uint64_t frames) {
    uint64_t now = in_frames(c, time->ticks, time->rate), due = c->next_tick;
    c->next_tick = now + frames;
    if (due == 0 || now <= due || now - due < frames / 2 || now - due > 10 * (uint64_t)c->rate) return 0;
    return now - due;
}

static void take_sound(struct cp_capture *c, struct pw_buffer *buffer) {
    struct spa_data *data = &buffer->buffer->datas[0];
    if (data->data == NULL || data->chunk->offset > data->maxsize) return;
    uint32_t size = SPA_MIN(data->chunk->size, data->maxsize - data->chunk->offset);
    uint64_t frames = size / c->frame_size;
    struct pw_time time = {0};
    if (frames == 0 || pw.stream_get_time_n(c->stream, &time, sizeof time) < 0) return;
    // The delay is how long the first frame has been under way.
    int64_t delay = time.rate.denom == 0 ? 0 : time.delay * (int64_t)SPA_NSEC_PER_SEC * time.rate.num / time.rate.denom;
    int64_t at = time.now - delay;
    uint64_t lost = missing(c, &time, frames);
    const uint8_t *bytes = SPA_PTROFF(data->data, data->chunk->offset, const uint8_t);
    for (uint64_t done = 0; done < frames; lost = 0) {
        uint64_t part = SPA_MIN(frames - done, (uint64_t)c->period);
        hand_on(c, bytes + done * c->frame_size, part * c->frame_size, at + (int64_t)(done * SPA_NSEC_PER_SEC / c->rate), lost);
        done += part;
    }
}

// Rows of each colour plane of a format, and bytes of a row, of the first one's.
struct plane { uint32_t rows, row; };

static uint32_t planes_of(const struct cp_picture *p, struct plane planes[3]) {
    planes[0] = (struct plane){p->height, p->stride};
    if (p->pixels == CP_NV12) planes[1] = (struct plane){(p->height + 1) / 2, p->stride};
    if (p->pixels == CP_I420) planes[1] = planes[2] = (struct plane){(p->height + 1) / 2, (p->stride + 1) / 2};
    return p->pixels == CP_NV12 ? 2 : p->pixels == CP_I420 ? 3 : 1;
}

// Copies a frame's rows without their padding. Its planes are in separate memory, or follow each other in one block.
static size_t pack(struct cp_capture *c, struct spa_buffer *buffer) {
    struct plane planes[3];
    uint32_t count = planes_of(&c->picture, planes);
    size_t done = 0, from = 0;
    for (uint32_t i = 0; i < count; i++) {
        int is_own = buffer->n_datas >= count;
        struct spa_data *data = &buffer->datas[is_own ? i : 0];
        size_t whole = data->chunk->stride > 0 ? (size_t)data->chunk->stride : planes[0].row;
        size_t stride = is_own ? SPA_MAX(whole, (size_t)planes[i].row) : planes[i].row == planes[0].row ? whole : (whole + 1) / 2;
        if (is_own) from = 0;
        if (data->data == NULL || stride < planes[i].row) return 0;
        size_t start = data->chunk->offset + from, needed = start + (planes[i].rows - 1) * stride + planes[i].row;
        if (needed > data->maxsize || done + (size_t)planes[i].rows * planes[i].row > c->picture.size) return 0;
        const uint8_t *bytes = SPA_PTROFF(data->data, start, const uint8_t);
        for (uint32_t row = 0; row < planes[i].rows; row++) memcpy(c->packed + done + row * planes[i].row, bytes + row * stride, planes[i].row);
        done += (size_t)planes[i].rows * planes[i].row;
        from += planes[i].rows * stride;
    }
    return done;
}

// Has a device's memory read as it is now.
static void synchronise(struct spa_buffer *buffer, uint64_t flags) {
    struct dma_buf_sync sync = {.flags = flags | DMA_BUF_SYNC_READ};
    for (uint32_t i = 0; i < buffer->n_datas; i++) {
        if (buffer->datas[i].type == SPA_DATA_DmaBuf) (void)ioctl((int)buffer->datas[i].fd, DMA_BUF_IOCTL_SYNC, &sync);
    }
}

// Frames that are missing before this one, by the numbers of a source that counts them; a source that starts counting again has
// lost none.
static uint64_t skipped(struct cp_capture *c, const struct spa_meta_header *header) {
    uint64_t before = c->number;
    c->number = header == NULL ? 0 : header->seq;
    return before == 0 || c->number <= before || c->number - before > 1000 ? 0 : c->number - before - 1;
}

static void take_picture(struct cp_capture *c, struct pw_buffer *buffer) {
    struct spa_buffer *b = buffer->buffer;
    if (b->n_datas == 0 || b->datas[0].data == NULL) return;
    struct spa_data *data = &b->datas[0];
    struct spa_meta_header *header = spa_buffer_find_meta_data(b, SPA_META_Header, sizeof *header);
    int64_t at = header == NULL ? 0 : SPA_MAX(header->pts, INT64_C(0));
    uint64_t lost = skipped(c, header);
    int is_broken = (header != NULL && header->flags & SPA_META_HEADER_FLAG_CORRUPTED)
        || data->chunk->flags & SPA_CHUNK_FLAG_CORRUPTED;
    if (is_broken) return hand_on(c, c->packed, 0, at, lost);
    synchronise(b, DMA_BUF_SYNC_START);
    if (c->picture.pixels == CP_MJPEG) {
        uint32_t offset = SPA_MIN(data->chunk->offset, data->maxsize), size = SPA_MIN(data->chunk->size, data->maxsize - offset);
        hand_on(c, SPA_PTROFF(data->data, offset, const void), SPA_MIN(size, c->picture.size), at, lost);
    } else {
        size_t count = pack(c, b);
        hand_on(c, c->packed, count, at, lost);
    }
    synchronise(b, DMA_BUF_SYNC_END);
}

// On PipeWire's realtime thread: it takes no lock and allocates nothing.
static void process(void *data) {
    struct cp_capture *c = data;
    struct pw_buffer *buffer;
    while ((buffer = pw.stream_dequeue_buffer(c->stream)) != NULL) {
        atomic_store(&c->is_busy, 1);
        if (atomic_load(&c->is_open)) {
            if (c->is_video) take_picture(c, buffer);
            else take_sound(c, buffer);
        }
        atomic_store(&c->is_busy, 0);
        pw.stream_queue_buffer(c->stream, buffer);
    }
}

static void param_changed(void *data, uint32_t id, const struct spa_pod *param) {
    struct cp_capture *c = data;
    if (id != SPA_PARAM_Format || param == NULL) return;
    uint8_t memory[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[] = {
        // Some cameras stop permanently once all their buffers are in use.
        spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
            SPA_POD_CHOICE_RANGE_Int(8, 2, 16)),
        spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type, SPA_POD_Id(SPA_META_Header),
            SPA_PARAM_META_size, SPA_POD_Int(sizeof(struct spa_meta_header))),
    };
    pw.stream_update_params(c->stream, params, SPA_N_ELEMENTS(params));
}

static const struct pw_stream_events sound_events = {
    PW_VERSION_STREAM_EVENTS, .state_changed = cp_capture_state, .process = process,
};
static const struct pw_stream_events picture_events = {
    PW_VERSION_STREAM_EVENTS, .state_changed = cp_capture_state, .param_changed = param_changed, .process = process,
};

const struct pw_stream_events *cp_intake_events(int is_video) { return is_video ? &picture_events : &sound_events; }

uint32_t cp_intake_formats(const struct cp_capture *c, struct spa_pod_builder *builder, const struct spa_pod **params) {
    if (c->is_video) {
        params[0] = cp_picture_format(builder, &c->picture);
        return 1;
    }
    struct spa_audio_info_raw info = {.rate = c->rate, .channels = c->channels};
    uint32_t size;
    info.format = cp_sample_format(c->samples, &size);
    cp_positions(&info);
    params[0] = spa_format_audio_raw_build(builder, SPA_PARAM_EnumFormat, &info);
    return 1;
}
