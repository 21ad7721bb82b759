// The C side of media on Linux: one wrapper a call, no policy. Every function that can fail returns a value of 0 or
// more, or -errno, because Swift must never read errno. The one loop is the one around EINTR.
#pragma once

// The system's own headers first; their declarations are not changed.
#include <errno.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Swift calls the following only from this package's targets, which define the macro: another package that imports the module
// can't open anything with it. If the functions were hidden completely, code that is inlined into other packages would not find
// them.
#ifndef CAPTUREGATE_SHIMS
#pragma clang attribute push( \
    __attribute__((availability(swift, unavailable, message = "the C shims are CaptureGate's own"))), \
    apply_to = function)
#endif

#include "cm_alsa.h"
#include "cm_alsa_discovery.h"
#include "cm_alsa_parameters.h"
#include "cm_event.h"
#include "cm_faults.h"
#include "cm_memory.h"
#include "cm_mixer.h"
#include "cm_playback.h"
#include "cm_thread.h"
#include "cm_udev.h"
#include "cm_v4l2.h"
#include "cm_v4l2_controls.h"
#include "cm_v4l2_formats.h"
#include "cm_v4l2_inputs.h"
#include "cm_v4l2_output.h"
#include "cm_v4l2_streaming.h"
#include "cm_v4lconvert.h"

#ifndef CAPTUREGATE_SHIMS
#pragma clang attribute pop
#endif
