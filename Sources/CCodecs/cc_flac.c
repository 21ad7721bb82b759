#if !__has_include(<FLAC/stream_encoder.h>)
#include "../Packages/missing.h"
#endif
#include "cc_flac.h"

#include <FLAC/metadata.h>
#include <FLAC/stream_encoder.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cc_flac {
    FLAC__StreamEncoder *encoder;
    FLAC__StreamMetadata *comments;
    // Where the callback puts what it gets; set for the time of one call.
    cc_packets *packets;
    uint8_t *stream_info;
};

static FLAC__StreamEncoderWriteStatus on_write(
    const FLAC__StreamEncoder *encoder, const FLAC__byte *bytes, size_t count, uint32_t samples, uint32_t frame,
    void *context
) {
    (void)encoder;
    (void)frame;
    cc_packets *packets = ((cc_flac *)context)->packets;
    if (!packets || cc_packets_reserve(packets, count) < 0) return FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR;
    memcpy(packets->bytes + packets->count, bytes, count);
    if (cc_packets_commit(packets, count, 0, samples, 1) < 0) return FLAC__STREAM_ENCODER_WRITE_STATUS_FATAL_ERROR;
    return FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
}

static void put(uint8_t *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
}

// A number that does not fit in 36 bits is written as unknown: 0.
static uint64_t total_samples(uint64_t samples) {
    return samples >> 36 ? 0 : samples;
}

// RFC 9639, 8.2: what only the end of the stream knows, in the layout of the file.
static void on_metadata(const FLAC__StreamEncoder *encoder, const FLAC__StreamMetadata *metadata, void *context) {
    (void)encoder;
    uint8_t *to = ((cc_flac *)context)->stream_info;
    if (!to || metadata->type != FLAC__METADATA_TYPE_STREAMINFO) return;
    const FLAC__StreamMetadata_StreamInfo *info = &metadata->data.stream_info;
    put(to, info->min_blocksize, 2);
    put(to + 2, info->max_blocksize, 2);
    put(to + 4, info->min_framesize, 3);
    put(to + 7, info->max_framesize, 3);
    put(to + 10, (uint64_t)info->sample_rate << 44 | (uint64_t)(info->channels - 1) << 41
                     | (uint64_t)(info->bits_per_sample - 1) << 36 | total_samples(info->total_samples), 8);
    memcpy(to + 18, info->md5sum, 16);
}

static int set_format(FLAC__StreamEncoder *encoder, const cc_flac_format *format) {
    // The subset bounds blocks and rates for hardware players; 32 bit at any rate is more than it allows.
    return FLAC__stream_encoder_set_streamable_subset(encoder, 0)
        && FLAC__stream_encoder_set_sample_rate(encoder, format->sample_rate)
        && FLAC__stream_encoder_set_channels(encoder, format->channels)
        && FLAC__stream_encoder_set_bits_per_sample(encoder, format->bits_per_sample)
        && FLAC__stream_encoder_set_compression_level(encoder, format->level)
        && FLAC__stream_encoder_set_blocksize(encoder, format->block_size);
}

int cc_flac_open(cc_flac **out, const cc_flac_format *format) {
    cc_flac *flac = calloc(1, sizeof *flac);
    if (!flac) return -ENOMEM;
    flac->encoder = FLAC__stream_encoder_new();
    flac->comments = FLAC__metadata_object_new(FLAC__METADATA_TYPE_VORBIS_COMMENT);
    if (!flac->encoder || !flac->comments || !set_format(flac->encoder, format)) {
        cc_flac_free(flac);
        return -ENOMEM;
    }
    *out = flac;
    return 0;
}

int cc_flac_comment(cc_flac *flac, const char *comment) {
    FLAC__StreamMetadata_VorbisComment_Entry entry = {(FLAC__uint32)strlen(comment), (FLAC__byte *)comment};
    return FLAC__metadata_object_vorbiscomment_append_comment(flac->comments, entry, 1) ? 0 : -EINVAL;
}

// libFLAC hands the head out in pieces; a container wants it in one.
static void join(cc_packets *head) {
    if (head->packet_count == 0) return;
    head->packets[0] = (cc_packet){0, head->count, 0, 0, 1, 0};
    head->packet_count = 1;
}

int cc_flac_begin(cc_flac *flac, cc_packets *head) {
    if (!FLAC__stream_encoder_set_metadata(flac->encoder, &flac->comments, 1)) return -EINVAL;
    flac->packets = head;
    FLAC__StreamEncoderInitStatus status =
        FLAC__stream_encoder_init_stream(flac->encoder, on_write, NULL, NULL, on_metadata, flac);
    flac->packets = NULL;
    if (status != FLAC__STREAM_ENCODER_INIT_STATUS_OK) return -EINVAL;
    join(head);
    return 0;
}

int cc_flac_encode(cc_flac *flac, const int32_t *interleaved, uint32_t frames, cc_packets *packets) {
    flac->packets = packets;
    int done = FLAC__stream_encoder_process_interleaved(flac->encoder, interleaved, frames);
    flac->packets = NULL;
    return done ? 0 : -EIO;
}

int cc_flac_finish(cc_flac *flac, cc_packets *packets, uint8_t stream_info[34]) {
    flac->packets = packets;
    flac->stream_info = stream_info;
    int done = FLAC__stream_encoder_finish(flac->encoder);
    flac->packets = NULL;
    flac->stream_info = NULL;
    return done ? 0 : -EIO;
}

const char *cc_flac_text(const cc_flac *flac) {
    return FLAC__stream_encoder_get_resolved_state_string(flac->encoder);
}

void cc_flac_free(cc_flac *flac) {
    if (!flac) return;
    // delete() finishes a stream that is still open, and calls back: there must be nowhere to write.
    if (flac->encoder) FLAC__stream_encoder_delete(flac->encoder);
    if (flac->comments) FLAC__metadata_object_delete(flac->comments);
    free(flac);
}
