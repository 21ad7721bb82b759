// The mark of a function that the capture thread may call: it takes no lock and allocates nothing. Swift's compiler
// believes it, so it is a promise made here; without it a call from the fence does not compile.
#pragma once

#define CM_REALTIME __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
