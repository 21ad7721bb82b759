// SVT-AV1's encoder. Wrapped because its packets come from its own threads, later than their frames.
#pragma once
#include "cc_video.h"

typedef struct cc_av1 cc_av1;

// 0; -ENOSYS for a build without the library, -ELIBACC if it is not installed.
int cc_av1_available(void);
// svt_av1_enc_init_handle, _set_parameter, _init. `speed` is the preset, 0 (slow) ... 13 (fast); key frames come each
// `key_interval`. 0 or -errno.
int cc_av1_open(cc_av1 **encoder, const cc_video_format *format);
// svt_av1_enc_stream_header: the sequence header OBU as one packet. 0 or -errno.
int cc_av1_head(cc_av1 *encoder, cc_packets *packets);
// svt_av1_enc_send_picture, then svt_av1_enc_get_packet while there are any: temporal units without their delimiter. `is_key` is
// ignored. 0 or -errno.
int cc_av1_encode(cc_av1 *encoder, const cc_picture *picture, const cc_frame_times *times, cc_packets *packets);
// Sends the end of the stream, and waits for the packets that are left. 0 or -errno.
int cc_av1_finish(cc_av1 *encoder, int64_t duration, cc_packets *packets);
// svt_av1_enc_deinit, svt_av1_enc_deinit_handle.
void cc_av1_free(cc_av1 *encoder);
