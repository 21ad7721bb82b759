// The system libraries of the encoders. One wrapper a call, no policy, no static state.
// Every function returns >= 0, or -errno; the library's own words are had from the `_text` functions.
// Debian packages: libflac-dev, libogg-dev, libopus-dev, libpng-dev, libturbojpeg0-dev. Traits of the package add
// libopenh264-dev and libvo-aacenc-dev (MP4), libvpx-dev (WebM), libsvtav1enc-dev (AV1).
#pragma once
#include "cc_aac.h"
#include "cc_av1.h"
#include "cc_flac.h"
#include "cc_h264.h"
#include "cc_jpeg.h"
#include "cc_jpeg_writer.h"
#include "cc_ogg.h"
#include "cc_opus.h"
#include "cc_packets.h"
#include "cc_png.h"
#include "cc_video.h"
#include "cc_vpx.h"
