// A microphone without hardware: an ALSA ioplug PCM that delivers known samples at the pace of the monotonic
// clock, and misbehaves as its configuration asks. https://www.alsa-project.org/alsa-doc/alsa-lib/pcm_external_plugins.html
#define _GNU_SOURCE
#include "paced.h"
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// Of this process: one that does not come back was unplugged; one was, whether it comes back or not.
static atomic_int is_missing, was_unplugged;

static struct paced *device_of(snd_pcm_ioplug_t *io) { return io->private_data; }

// One shot at an absolute time. Setting it also clears a readiness that was not yet seen, so that the descriptor is readable
// exactly while there is something to do, whoever polls it and however.
static int arm(struct paced *device, int64_t at) {
    struct itimerspec when = {.it_value = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000}};
    return timerfd_settime(device->timer, TFD_TIMER_ABSTIME, &when, NULL) < 0 ? -errno : 0;
}

static int disarm(struct paced *device) { return arm(device, 0); }

static int64_t stall_end(const struct paced *device, int64_t frames) {
    return device->run_ns + paced_nanoseconds(device, frames) + device->plan.stall_ms * INT64_C(1000000);
}

// Wakes the reader when enough frames are there; where a fault comes first, when that is to be noticed.
static int arm_for(struct paced *device, int64_t read_frames) {
    int64_t limit, wanted = read_frames + (int64_t)device->ready;
    enum fault fault = paced_fault(device, &limit);
    if (wanted <= limit || fault == fault_none) return arm(device, device->run_ns + paced_nanoseconds(device, wanted));
    if (fault == fault_dead && !device->plan.dead_calls) return disarm(device);
    if (fault == fault_stall) return arm(device, stall_end(device, limit));
    return arm(device, device->run_ns + paced_nanoseconds(device, limit));
}

// A patient device has not made what its buffer has no room for.
static int64_t await_reader(struct paced *device, int64_t made, int64_t limit, int64_t now) {
    int64_t room = (int64_t)device->io.appl_ptr + (int64_t)device->io.buffer_size;
    if (!device->plan.patient || made <= room || limit <= room) return made;
    paced_stand_still(device, room, now);
    return room;
}

// The number of frames that this run has made; -EPIPE after a stall or when nobody read for a whole buffer.
static int64_t made_frames(struct paced *device) {
    int64_t now = paced_now(), limit, made = paced_frames(device, now - device->run_ns);
    enum fault fault = paced_fault(device, &limit);
    made = await_reader(device, made, limit, now);
    if (made >= limit) {
        if (fault == fault_stall && now >= stall_end(device, limit)) return -EPIPE;
        if (fault == fault_vanish) {
            device->gone = 1;
            if (!device->plan.comes_back) atomic_store(&is_missing, 1);
            atomic_store(&was_unplugged, 1);
        }
        if (fault == fault_sleep) device->asleep = 1;
        made = limit;
    }
    return made - (int64_t)device->io.appl_ptr > (int64_t)device->io.buffer_size ? -EPIPE : made;
}

// Who asks a server that was stopped waits for its answer for ever. What came before can still be read.
static void ask(struct paced *device, int is_reading) {
    if (!device->plan.dead_hangs || !device->started) return;
    int64_t limit;
    if (paced_fault(device, &limit) != fault_dead) return;
    if (paced_frames(device, paced_now() - device->run_ns) < limit) return;
    if (is_reading && (int64_t)device->io.appl_ptr < limit) return;
    for (;;) pause();
}

static int paced_start(snd_pcm_ioplug_t *io) {
    struct paced *device = device_of(io);
    ask(device, 0);
    if (device->gone) return -ENODEV;
    device->run_ns = paced_now();
    if (!device->started) device->first_ns = device->run_ns;
    device->run_frame = paced_frames(device, device->run_ns - device->first_ns);
    if (!device->started || (device->plan.stall_again && device->stall_frame < device->run_frame))
        device->stall_frame = device->plan.stall_after ? device->run_frame + device->plan.stall_after : -1;
    if (!device->started) device->sleep_frame = device->plan.sleep_after ? device->plan.sleep_after : -1;
    device->woken_at = INT64_MAX;
    device->started = 1;
    return arm_for(device, 0);
}

static int paced_stop(snd_pcm_ioplug_t *io) {
    ask(device_of(io), 0);
    return disarm(device_of(io));
}

// The kernel lets nobody touch a card that sleeps before it has power again.
static void wait_for_power(const struct paced *device) {
    int64_t at = paced_sleep_end(device);
    struct timespec when = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR) {}
}

static int paced_prepare(snd_pcm_ioplug_t *io) {
    struct paced *device = device_of(io);
    ask(device, 0);
    if (device->gone) return -ENODEV;
    if (device->asleep) {
        wait_for_power(device);
        paced_wake(device);
    }
    if (!device->ready) device->ready = io->period_size;
    return disarm(device);
}

// libasound up to 1.2.9 makes snd_pcm_resume return 0 whatever this returns: there only the state shows the refusal.
static int paced_resume(snd_pcm_ioplug_t *io) {
    struct paced *device = device_of(io);
    if (!device->asleep) return -EBADFD;
    if (paced_now() < paced_sleep_end(device)) return -EAGAIN;
    if (!device->plan.wakes) return -ENOSYS;
    paced_wake(device);
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_RUNNING);
    return arm_for(device, (int64_t)io->appl_ptr);
}

static int paced_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *parameters) {
    return snd_pcm_sw_params_get_avail_min(parameters, &device_of(io)->ready);
}

// A negative answer always makes the state XRUN; unplugged and asleep must be reported by the state.
static snd_pcm_sframes_t paced_pointer(snd_pcm_ioplug_t *io) {
    struct paced *device = device_of(io);
    ask(device, 1);
    int64_t made = made_frames(device);
    if (device->asleep) snd_pcm_ioplug_set_state(io, SND_PCM_STATE_SUSPENDED);
    if (device->gone) snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
    return made < 0 ? made : (snd_pcm_sframes_t)made;
}

// The frames before a sleep have their own numbers, those after it higher ones.
static void fill(struct paced *device, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
                 snd_pcm_uframes_t count, int64_t position) {
    int64_t left = device->woken_at - position;
    snd_pcm_uframes_t before = left <= 0 ? 0 : left < (int64_t)count ? (snd_pcm_uframes_t)left : count;
    int64_t number = device->run_frame + position;
    paced_fill(&device->io, areas, offset, before, number);
    paced_fill(&device->io, areas, offset + before, count - before, number + (int64_t)before + device->slept);
}

static snd_pcm_sframes_t paced_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                        snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
    struct paced *device = device_of(io);
    int64_t position = (int64_t)io->appl_ptr;
    fill(device, areas, offset, size, position);
    int refused = arm_for(device, position + (int64_t)size);
    return refused < 0 ? refused : (snd_pcm_sframes_t)size;
}

// What a kernel PCM would answer: an xrun shows as an error beside the data, an unplugged device as both.
static int paced_poll_revents(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count, unsigned short *events) {
    *events = count ? (unsigned short)descriptors[0].revents : 0;
    if (!*events) return 0;
    if (io->state == SND_PCM_STATE_RUNNING && snd_pcm_avail_update(io->pcm) == 0) *events = 0;
    if (io->state == SND_PCM_STATE_XRUN || io->state == SND_PCM_STATE_SUSPENDED) *events = POLLIN | POLLERR;
    if (io->state == SND_PCM_STATE_DISCONNECTED) *events = POLLERR | POLLHUP;
    return 0;
}

static int paced_close(snd_pcm_ioplug_t *io) {
    struct paced *device = device_of(io);
    close(device->timer);
    free(device);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = paced_start,
    .stop = paced_stop,
    .prepare = paced_prepare,
    .resume = paced_resume,
    .sw_params = paced_sw_params,
    .pointer = paced_pointer,
    .transfer = paced_transfer,
    .poll_revents = paced_poll_revents,
    .close = paced_close,
};

static int set_range(snd_pcm_ioplug_t *io, int parameter, long low, long high) {
    return snd_pcm_ioplug_set_param_minmax(io, parameter, (unsigned)low, (unsigned)high);
}

static int constrain(struct paced *device) {
    static const unsigned access[] = {SND_PCM_ACCESS_RW_NONINTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED,
                                      SND_PCM_ACCESS_MMAP_INTERLEAVED};
    static const unsigned formats[] = {SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S24_LE,
                                       SND_PCM_FORMAT_S32_LE, SND_PCM_FORMAT_FLOAT_LE};
    snd_pcm_ioplug_t *io = &device->io;
    const struct plan *plan = &device->plan;
    int refused = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, plan->planar ? 1 : 3, access);
    if (refused >= 0) refused = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 5, formats);
    if (refused >= 0) refused = set_range(io, SND_PCM_IOPLUG_HW_CHANNELS, plan->channels_min, plan->channels_max);
    if (refused >= 0) refused = set_range(io, SND_PCM_IOPLUG_HW_RATE, plan->rate_min, plan->rate_max);
    long most = plan->buffer_bytes;
    if (refused >= 0) refused = set_range(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64, most ? most : 1 << 20);
    if (refused >= 0) refused = set_range(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 128, most ? most : 8 << 20);
    if (refused >= 0) refused = set_range(io, SND_PCM_IOPLUG_HW_PERIODS, most ? 1 : 2, 1024);
    return refused;
}

static int create(struct paced *device, const char *name, snd_pcm_stream_t stream, int mode) {
    device->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (device->timer < 0) return -errno;
    device->io = (snd_pcm_ioplug_t){
        .version = SND_PCM_IOPLUG_VERSION,
        .name = "Paced microphone",
        .flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA,
        .poll_fd = device->timer,
        .poll_events = POLLIN,
        .callback = &callbacks,
        .private_data = device,
    };
    int refused = snd_pcm_ioplug_create(&device->io, name, stream, mode);
    if (refused < 0) {
        close(device->timer);
        return refused;
    }
    refused = constrain(device);
    if (refused < 0) snd_pcm_ioplug_delete(&device->io); // closes: device is freed by paced_close
    return refused < 0 ? 1 : 0;
}

SND_PCM_PLUGIN_DEFINE_FUNC(paced) {
    (void)root;
    if (stream != SND_PCM_STREAM_CAPTURE) return -EINVAL;
    struct paced *device = calloc(1, sizeof *device);
    if (!device) return -ENOMEM;
    int refused = paced_read_plan(conf, &device->plan);
    const int hangs = device->plan.open_hangs == 1 || (device->plan.open_hangs == 2 && atomic_load(&was_unplugged));
    while (!refused && hangs) pause();
    if (!refused && !device->plan.comes_back && atomic_load(&is_missing)) refused = -ENODEV;
    if (!refused) refused = create(device, name, stream, mode);
    if (refused < 0) free(device);
    if (refused) return refused < 0 ? refused : -EINVAL;
    *pcmp = device->io.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(paced);
