// Calls of the system in shims: through the seam of cm_faults.h in a debug build, directly in any other.
//
//   CM_RESULT     of a function that returns 0 or more, or -errno: libasound, libudev
//   CM_NEGATED    of one that returns 0 or errno: pthreads
//   CM_ERRNO      of one that returns -1 and sets errno
//   CM_POINTER    of one that returns NULL, and may set errno
//   CM_MAPPING    of one that returns MAP_FAILED and sets errno
//   CM_AFTER      of one that does its work even where it says that it failed: close, munmap
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#ifdef CM_FAULTS

// 0, or the -errno with which the call is to fail.
int32_t cm_fault(const char *call);
// Name of an ioctl request, in the form that cm_faults_plan takes.
const char *cm_fault_request(unsigned long request);

static inline int cm_fault_errno(const char *call) {
    int32_t fault = cm_fault(call);
    if (fault == 0) return 0;
    errno = -fault;
    return -1;
}

#define CM_RESULT(function, ...) (cm_fault(#function) ?: function(__VA_ARGS__))
#define CM_NEGATED(function, ...) (cm_fault(#function) ?: -function(__VA_ARGS__))
#define CM_ERRNO(function, ...) (cm_fault_errno(#function) ?: function(__VA_ARGS__))
#define CM_POINTER(function, ...) (cm_fault_errno(#function) < 0 ? NULL : function(__VA_ARGS__))
#define CM_MAPPING(function, ...) (cm_fault_errno(#function) < 0 ? MAP_FAILED : function(__VA_ARGS__))
#define CM_AFTER(function, result) (cm_fault(#function) ?: (result))
#define CM_IOCTL(descriptor, request, argument) \
    (cm_fault_errno(cm_fault_request(request)) ?: ioctl(descriptor, request, argument))

#else

#define CM_RESULT(function, ...) function(__VA_ARGS__)
#define CM_NEGATED(function, ...) (-function(__VA_ARGS__))
#define CM_ERRNO(function, ...) function(__VA_ARGS__)
#define CM_POINTER(function, ...) function(__VA_ARGS__)
#define CM_MAPPING(function, ...) function(__VA_ARGS__)
#define CM_AFTER(function, result) (result)
#define CM_IOCTL(descriptor, request, argument) ioctl(descriptor, request, argument)

#endif
