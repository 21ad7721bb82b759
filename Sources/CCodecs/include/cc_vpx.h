// libvpx' encoders of VP8 and VP9. Wrapped because their settings are variadic macros.
#pragma once
#include "cc_video.h"

typedef struct cc_vpx cc_vpx;

enum { CC_VPX_VP8 = 8, CC_VPX_VP9 = 9 };

// 0; -ENOSYS for a build without the library, -ELIBACC if it is not installed, or has another version than the headers.
int cc_vpx_available(void);
// vpx_codec_enc_init, vpx_codec_control. `speed` is 0 (slow) ... 16 (fast) of VP8, ... 9 of VP9. 0 or -errno.
int cc_vpx_open(cc_vpx **encoder, int codec, const cc_video_format *format);
// vpx_codec_encode, vpx_codec_get_cx_data: one packet. 0 or -errno.
int cc_vpx_encode(cc_vpx *encoder, const cc_picture *picture, const cc_frame_times *times, cc_packets *packets);
// vpx_codec_error_detail.
const char *cc_vpx_text(cc_vpx *encoder);
// vpx_codec_destroy.
void cc_vpx_free(cc_vpx *encoder);
