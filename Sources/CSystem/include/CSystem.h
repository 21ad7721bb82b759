#pragma once

// The system beyond media, one wrapper a call. A wrapper retries after EINTR and does nothing else on its own account;
// it returns a result >= 0 or -errno, so that Swift never reads errno.

// The system's own headers first; their declarations are not changed.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

// Swift calls the following only from this package's targets, which define the macro: another package that imports the module
// can't open anything with it. If the functions were hidden completely, code that is inlined into other packages would not find
// them.
#ifndef CAPTUREGATE_SHIMS
#pragma clang attribute push( \
    __attribute__((availability(swift, unavailable, message = "the C shims are CaptureGate's own"))), \
    apply_to = function)
#endif

#include "cs_allocations.h"
#include "cs_bus.h"
#include "cs_confine.h"
#include "cs_digest.h"
#include "cs_directory.h"
#include "cs_file.h"
#include "cs_listen.h"
#include "cs_lock.h"
#include "cs_message.h"
#include "cs_notify.h"
#include "cs_process.h"
#include "cs_realtime.h"
#include "cs_route.h"
#include "cs_signal.h"
#include "cs_spawn.h"
#include "cs_sqlite.h"
#include "cs_start.h"
#include "cs_terminal.h"
#include "cs_time.h"
#include "cs_users.h"
#include "cs_watch.h"
#include "cs_yaml.h"

#ifndef CAPTUREGATE_SHIMS
#pragma clang attribute pop
#endif
