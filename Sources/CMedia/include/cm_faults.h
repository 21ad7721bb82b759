// A seam for tests: has chosen calls to the system fail as the system itself might have them fail. In debug builds
// alone; a release build has none of it, so who calls these there does not link.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

// How long a call fails that was chosen.
enum cm_faults_span {
    // That one time.
    CM_FAULTS_ONCE,
    // Each time from then on.
    CM_FAULTS_THIS_CALL,
    // From then on all calls do, whatever their name.
    CM_FAULTS_EVERY_CALL,
};

// Makes the nth call (1 or more) with that name fail with that errno, and resets the counts. 0: no call fails. The name is the
// function's or the ioctl request's, as in its manual page.
void cm_faults_plan(const char *call, int64_t nth, int32_t error, enum cm_faults_span span);
// Calls since the plan was made, those that failed among them.
int64_t cm_faults_seen(void);
// How many of them failed.
int64_t cm_faults_made(void);
// The name of a call by its number, 1 upwards; NULL past the last one, or past the 4,096 that are kept.
const char *_Nullable cm_faults_call(int64_t number);

#pragma clang assume_nonnull end
