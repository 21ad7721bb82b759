// The system libraries of the encoders. One wrapper a call, no policy, no static state.
// Every function returns >= 0, or -errno; the library's own words are had from the `_text` functions.
// Debian packages: libflac-dev, libturbojpeg0-dev.
#pragma once
#include "cc_flac.h"
#include "cc_jpeg.h"
#include "cc_packets.h"
