#include "cm_faults.h"
#include "cm_fault.h"

// Only this seam has state here, since it must know the planned fault. No lock and no allocation, because the capture thread calls
// it.
#ifdef CM_FAULTS

#include <linux/videodev2.h>
#include <stdatomic.h>
#include <string.h>

enum { kept = 4096 };

static _Atomic int64_t seen, matching, made, planned_nth;
static _Atomic int32_t planned_error, planned_span;
static _Atomic(const char *) planned_call, calls[kept];

void cm_faults_plan(const char *call, int64_t nth, int32_t error, enum cm_faults_span span) {
    static char name[64];
    atomic_store(&planned_nth, 0);
    strncpy(name, call, sizeof(name) - 1);
    atomic_store(&planned_call, name);
    atomic_store(&planned_error, error);
    atomic_store(&planned_span, span);
    for (int at = 0; at < kept; at++) atomic_store_explicit(&calls[at], NULL, memory_order_relaxed);
    atomic_store(&seen, 0);
    atomic_store(&matching, 0);
    atomic_store(&made, 0);
    atomic_store(&planned_nth, nth);
}

int64_t cm_faults_seen(void) { return atomic_load(&seen); }
int64_t cm_faults_made(void) { return atomic_load(&made); }

const char *cm_faults_call(int64_t number) {
    return number < 1 || number > kept ? NULL : atomic_load(&calls[number - 1]);
}

static int is_planned(const char *call, int64_t nth) {
    int is_same = strcmp(call, atomic_load(&planned_call)) == 0;
    int64_t number = is_same ? atomic_fetch_add(&matching, 1) + 1 : atomic_load(&matching);
    switch (atomic_load(&planned_span)) {
    case CM_FAULTS_ONCE: return is_same && number == nth;
    case CM_FAULTS_THIS_CALL: return is_same && number >= nth;
    default: return number >= nth;
    }
}

int32_t cm_fault(const char *call) {
    int64_t number = atomic_fetch_add(&seen, 1);
    if (number < kept) atomic_store(&calls[number], call);
    int64_t nth = atomic_load(&planned_nth);
    if (nth == 0 || !is_planned(call, nth)) return 0;
    atomic_fetch_add(&made, 1);
    return -atomic_load(&planned_error);
}

#define NAMED(request) case request: return #request

const char *cm_fault_request(unsigned long request) {
    switch (request) {
    NAMED(VIDIOC_QUERYCAP);
    NAMED(VIDIOC_ENUM_FMT);
    NAMED(VIDIOC_ENUM_FRAMESIZES);
    NAMED(VIDIOC_ENUM_FRAMEINTERVALS);
    NAMED(VIDIOC_G_FMT);
    NAMED(VIDIOC_S_FMT);
    NAMED(VIDIOC_TRY_FMT);
    NAMED(VIDIOC_G_PARM);
    NAMED(VIDIOC_S_PARM);
    NAMED(VIDIOC_ENUMINPUT);
    NAMED(VIDIOC_G_INPUT);
    NAMED(VIDIOC_S_INPUT);
    NAMED(VIDIOC_G_STD);
    NAMED(VIDIOC_S_STD);
    NAMED(VIDIOC_QUERYSTD);
    NAMED(VIDIOC_QUERY_DV_TIMINGS);
    NAMED(VIDIOC_ENUM_DV_TIMINGS);
    NAMED(VIDIOC_G_DV_TIMINGS);
    NAMED(VIDIOC_S_DV_TIMINGS);
    NAMED(VIDIOC_G_CTRL);
    NAMED(VIDIOC_S_CTRL);
    NAMED(VIDIOC_QUERYCTRL);
    NAMED(VIDIOC_QUERY_EXT_CTRL);
    NAMED(VIDIOC_QUERYMENU);
    NAMED(VIDIOC_G_EXT_CTRLS);
    NAMED(VIDIOC_S_EXT_CTRLS);
    NAMED(VIDIOC_SUBSCRIBE_EVENT);
    NAMED(VIDIOC_DQEVENT);
    NAMED(VIDIOC_REQBUFS);
    NAMED(VIDIOC_QUERYBUF);
    NAMED(VIDIOC_QBUF);
    NAMED(VIDIOC_DQBUF);
    NAMED(VIDIOC_STREAMON);
    NAMED(VIDIOC_STREAMOFF);
    default: return "ioctl";
    }
}

#endif
