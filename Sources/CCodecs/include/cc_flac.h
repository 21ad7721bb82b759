// libFLAC's stream encoder. Wrapped because it takes C callbacks and hands out packets in them.
#pragma once
#include "cc_packets.h"

typedef struct cc_flac cc_flac;

typedef struct cc_flac_format {
    uint32_t sample_rate;
    uint32_t channels;
    uint32_t bits_per_sample;
    // 0 (fast) ... 8 (small).
    uint32_t level;
    // Sample frames a packet.
    uint32_t block_size;
} cc_flac_format;

// FLAC__stream_encoder_new, _set_*. 0 or -errno.
int cc_flac_open(cc_flac **encoder, const cc_flac_format *format);
// FLAC__metadata_object_vorbiscomment_append_comment: `NAME=value`, UTF-8; before cc_flac_begin. 0 or -errno.
int cc_flac_comment(cc_flac *encoder, const char *comment);
// FLAC__stream_encoder_init_stream. The stream's head (fLaC and its metadata blocks) comes as one packet. 0 or -errno.
int cc_flac_begin(cc_flac *encoder, cc_packets *head);
// FLAC__stream_encoder_process_interleaved: one packet a full block. 0 or -errno.
int cc_flac_encode(cc_flac *encoder, const int32_t *interleaved, uint32_t frames, cc_packets *packets);
// FLAC__stream_encoder_finish: the last block, and STREAMINFO's 34 bytes for the head. 0 or -errno.
int cc_flac_finish(cc_flac *encoder, cc_packets *packets, uint8_t stream_info[34]);
// FLAC__stream_encoder_get_resolved_state_string.
const char *cc_flac_text(const cc_flac *encoder);
// FLAC__stream_encoder_delete.
void cc_flac_free(cc_flac *encoder);
