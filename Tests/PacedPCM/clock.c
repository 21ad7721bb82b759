#define _GNU_SOURCE
#include "paced.h"
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int64_t paced_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

// Frames a second, times a million: the drift is in millionths.
static __int128 micro_rate(const struct paced *device) {
    return (__int128)device->io.rate * (1000000 + device->plan.drift_ppm);
}

int64_t paced_frames(const struct paced *device, int64_t nanoseconds) {
    return (int64_t)(nanoseconds * micro_rate(device) / 1000000000000000);
}

// Rounded up: at this instant the last of the frames is there.
int64_t paced_nanoseconds(const struct paced *device, int64_t frames) {
    __int128 rate = micro_rate(device);
    return (int64_t)((frames * (__int128)1000000000000000 + rate - 1) / rate);
}

static void consider(enum fault *found, int64_t *frames, enum fault fault, int64_t at) {
    if (at < 0 || at >= *frames) return;
    *found = fault;
    *frames = at;
}

// A fault that passed while nobody recorded has happened anyway; a stall or a sleep only happens during a recording.
static int64_t ahead(const struct paced *device, long after) {
    if (!after) return -1;
    return after > device->run_frame ? after - device->run_frame : 0;
}

// A test that needs something else first names a file: before that exists, nothing is unplugged.
static int64_t unplugged(const struct paced *device) {
    const char *file = getenv("PACED_VANISHES_WITH");
    if (file && access(file, F_OK)) return -1;
    int64_t at = ahead(device, device->plan.vanish_after), read = (int64_t)device->io.appl_ptr;
    return at >= 0 && at < read ? read : at;
}

enum fault paced_fault(const struct paced *device, int64_t *frames) {
    enum fault found = fault_none;
    *frames = INT64_MAX;
    consider(&found, frames, fault_vanish, unplugged(device));
    consider(&found, frames, fault_dead, ahead(device, device->plan.dead_after));
    if (device->stall_frame >= device->run_frame)
        consider(&found, frames, fault_stall, device->stall_frame - device->run_frame);
    if (device->sleep_frame >= device->run_frame)
        consider(&found, frames, fault_sleep, device->sleep_frame - device->run_frame);
    return found;
}

void paced_stand_still(struct paced *device, int64_t frames, int64_t now) {
    int64_t stood = now - paced_nanoseconds(device, frames) - device->run_ns;
    device->first_ns += stood;
    device->run_ns += stood;
}

int64_t paced_sleep_end(const struct paced *device) {
    int64_t before = device->sleep_frame - device->run_frame;
    return device->run_ns + paced_nanoseconds(device, before) + device->plan.sleep_ms * INT64_C(1000000);
}

// As a kernel PCM does: frames that were not read before the sleep are still there, and later ones are from after it.
void paced_wake(struct paced *device) {
    int64_t now = paced_now();
    device->asleep = 0;
    device->woken_at = device->sleep_frame - device->run_frame;
    device->slept = paced_frames(device, now - device->first_ns) - device->sleep_frame;
    device->run_ns = now - paced_nanoseconds(device, device->woken_at);
    device->sleep_frame = -1;
}
