// OpenH264's encoder. Wrapped because it is a table of functions, and hands out an access unit in layers of byte streams.
#pragma once
#include "cc_video.h"

typedef struct cc_h264 cc_h264;

// 0 if the library can be called; -ENOSYS for a build without it, -ELIBACC if it is not installed, or has another version than the
// headers.
int cc_h264_available(void);
// WelsCreateSVCEncoder, InitializeExt. `speed` is 0 (slow) ... 2 (fast). Even sizes alone. 0 or -errno.
int cc_h264_open(cc_h264 **encoder, const cc_video_format *format);
// EncodeParameterSets: SPS and PPS, each after its length in four bytes, as one packet. 0 or -errno.
int cc_h264_head(cc_h264 *encoder, cc_packets *packets);
// ForceIntraFrame, EncodeFrame: one packet of NAL units, each after its length in four bytes, without the parameter sets. 0;
// -EPROTO if those differ from the head's, otherwise -errno.
int cc_h264_encode(
    cc_h264 *encoder, const cc_picture *picture, const cc_frame_times *times, cc_packets *packets);
// Uninitialize, WelsDestroySVCEncoder.
void cc_h264_free(cc_h264 *encoder);
