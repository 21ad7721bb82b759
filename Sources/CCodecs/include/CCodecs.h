// The system libraries of the encoders. One wrapper a call, no policy, no static state.
// Every function returns >= 0, or -errno; the library's own words are had from the `_text` functions.
// Debian packages: libflac-dev, libogg-dev, libopus-dev, libpng-dev, libturbojpeg0-dev.
#pragma once
#include "cc_flac.h"
#include "cc_jpeg.h"
#include "cc_jpeg_writer.h"
#include "cc_ogg.h"
#include "cc_opus.h"
#include "cc_packets.h"
#include "cc_png.h"
