// The paced microphone's clock and what it does wrong on purpose. Frames are counted from the first start of
// the handle, by the clock: a frame that nobody was there to take is missing, and its number with it.
#pragma once
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <stdint.h>

// All counts are frames, 0 is never.
struct plan {
    long stall_after;  // here the device stops delivering …
    long stall_ms;     // … for so long, and has then overrun its buffer: a true xrun
    long stall_again;  // 1: after each further stall_after frames, too
    long vanish_after; // here it is unplugged …
    long comes_back;   // 1: and the next opening finds it again; 0: none of this process does
    long dead_after;   // here it falls silent, without an error
    long dead_calls;   // 1: and its descriptor calls for ever, as that of a dead sound server does
    long dead_hangs;   // 1: and whatever is asked of it then never returns, as of a server that was stopped
    long open_hangs;   // 1: its opening never returns; 2: once unplugged
    long sleep_after;  // here the machine goes to sleep: the state is SUSPENDED …
    long sleep_ms;     // … and nothing but -EAGAIN is to be had for so long
    long wakes;        // 1: resume wakes it; 0: -ENOSYS, it wants prepare and start
    long patient;      // 1: it waits for its reader instead of overrunning: nothing goes wrong but what this plan says
    long planar;       // 1: each channel in memory of its own, or nothing
    long drift_ppm;    // its clock runs so much fast
    long rate_min, rate_max, channels_min, channels_max;
    long buffer_bytes; // the most that its buffer holds; a period may be all of it
};

enum fault { fault_none, fault_stall, fault_vanish, fault_dead, fault_sleep };

struct paced {
    snd_pcm_ioplug_t io;
    struct plan plan;
    int timer;               // the poll descriptor: readable when avail_min frames can be read
    int started;             // ever
    int gone;                // unplugged
    int asleep;
    int64_t first_ns;        // first start of the handle
    int64_t run_ns;          // last start
    int64_t run_frame;       // number of the first frame of this run
    int64_t stall_frame;     // number of the frame at which the next stall begins; -1: none
    int64_t sleep_frame;     // number of the frame before which it falls asleep; -1: not again
    int64_t woken_at;        // the run's count of frames at which it woke; their numbers from there on …
    int64_t slept;           // … are higher by this: the frames of the sleep are missing
    snd_pcm_uframes_t ready; // so many frames make the device worth reading
};

int64_t paced_now(void);
int64_t paced_frames(const struct paced *device, int64_t nanoseconds);
int64_t paced_nanoseconds(const struct paced *device, int64_t frames);

// The fault that lies nearest ahead in this run, and the count of the run's frames that come before it.
enum fault paced_fault(const struct paced *device, int64_t *frames);

// Its clock stopped when this run had made this number of frames, and continues from now.
void paced_stand_still(struct paced *device, int64_t frames, int64_t now);

// Fallen asleep, awake again, and the instant from which it can be woken.
int64_t paced_sleep_end(const struct paced *device);
void paced_wake(struct paced *device);

// Writes the frames from number `first` on.
void paced_fill(const snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
                snd_pcm_uframes_t count, int64_t first);

int paced_read_plan(snd_config_t *configuration, struct plan *plan);
