// The C side of media on Linux: one wrapper a call, no policy. Every function that can fail returns a value of 0 or
// more, or -errno, because Swift must never read errno. The one loop is the one around EINTR.
#pragma once

// For this package's own targets, which define it: who imports the module elsewhere finds nothing that opens anything.
#ifdef CAPTUREGATE_SHIMS

#include "cm_alsa.h"
#include "cm_alsa_discovery.h"
#include "cm_alsa_parameters.h"
#include "cm_event.h"
#include "cm_faults.h"
#include "cm_memory.h"
#include "cm_mixer.h"
#include "cm_thread.h"
#include "cm_udev.h"
#include "cm_v4l2.h"
#include "cm_v4l2_controls.h"
#include "cm_v4l2_formats.h"
#include "cm_v4l2_inputs.h"
#include "cm_v4l2_streaming.h"
#include "cm_v4lconvert.h"

#endif
