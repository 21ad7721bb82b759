#pragma once

// The system beyond media, one wrapper a call. A wrapper retries after EINTR and does nothing else on its own account;
// it returns a result >= 0 or -errno, so that Swift never reads errno.

// For this package's own targets, which define it: who imports the module elsewhere finds nothing that opens anything.
#ifdef CAPTUREGATE_SHIMS

#include "cs_allocations.h"
#include "cs_bus.h"
#include "cs_digest.h"
#include "cs_directory.h"
#include "cs_file.h"
#include "cs_lock.h"
#include "cs_process.h"
#include "cs_realtime.h"
#include "cs_route.h"
#include "cs_signal.h"
#include "cs_spawn.h"
#include "cs_terminal.h"
#include "cs_time.h"
#include "cs_users.h"
#include "cs_watch.h"

#endif
