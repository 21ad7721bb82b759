// PCM for playback, for benches that need a known sound. It is the same snd_pcm_t as an open one that captures: state, drop and
// close are those of cm_alsa.h. The capture thread calls none of these.
#pragma once

#include "cm_alsa.h"

#pragma clang assume_nonnull begin

// snd_pcm_open for playback, non-blocking.
int32_t cm_playback_open(snd_pcm_t *_Nullable *_Nonnull pcm, const char *name);
// Sets exactly this format, channels and rate, interleaved, with libasound's resampling if the PCM supports it
// (snd_pcm_set_params). Playback starts by itself once the buffer is full.
int32_t cm_playback_set(snd_pcm_t *pcm, int32_t format, uint32_t channels, uint32_t rate, uint32_t microseconds);
// 1 once there is space in the buffer, 0 after the time.
int32_t cm_playback_wait(snd_pcm_t *pcm, int32_t milliseconds);
// Frames written, or -EAGAIN, -EPIPE (it ran dry), -ENODEV (gone) …
int64_t cm_playback_write(snd_pcm_t *pcm, const void *buffer, int64_t frames);
// Frames that are to be played before one that is written now.
int32_t cm_playback_delay(snd_pcm_t *pcm, int64_t *frames);

#pragma clang assume_nonnull end
