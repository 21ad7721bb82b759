// An open PCM: libasound's snd_pcm_t. The shims exist because libasound allocates its structures with alloca macros,
// and because only a marked function may be called from the fence.
#pragma once

#include "cm_fence.h"
#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct _snd_pcm snd_pcm_t;

// Disables libasound's own locks (otherwise two mutexes per read) and its messages on stderr. Call it before the first open;
// further calls do nothing.
int32_t cm_alsa_setup(void);
const char *cm_alsa_strerror(int32_t error);
// snd_asoundlib_version.
const char *cm_alsa_version(void);

// snd_pcm_open for capture, non-blocking.
int32_t cm_pcm_open(snd_pcm_t *_Nullable *_Nonnull pcm, const char *name);
int32_t cm_pcm_close(snd_pcm_t *pcm);
// snd_pcm_type_t, of the outermost plugin.
int32_t cm_pcm_type(snd_pcm_t *pcm);
// Structure of the PCM, as libasound describes it (snd_pcm_dump): the length of the text, without a final NUL, or -ENAMETOOLONG.
// Only this shows the slaves of an open PCM, for which there are no calls.
int64_t cm_pcm_dump(snd_pcm_t *pcm, void *text, size_t capacity);

int32_t cm_pcm_prepare(snd_pcm_t *pcm) CM_REALTIME;
int32_t cm_pcm_start(snd_pcm_t *pcm) CM_REALTIME;
int32_t cm_pcm_drop(snd_pcm_t *pcm) CM_REALTIME;
int32_t cm_pcm_resume(snd_pcm_t *pcm) CM_REALTIME;
// snd_pcm_state_t.
int32_t cm_pcm_state(snd_pcm_t *pcm) CM_REALTIME;

int32_t cm_pcm_descriptor_count(snd_pcm_t *pcm);
int32_t cm_pcm_descriptors(snd_pcm_t *pcm, struct pollfd *descriptors, int32_t count);
// What the descriptors' events mean, as POLLIN | POLLERR …
int32_t cm_pcm_revents(snd_pcm_t *pcm, struct pollfd *descriptors, int32_t count) CM_REALTIME;

// Frames read, or -EAGAIN, -EPIPE (overrun), -ESTRPIPE (suspended), -ENODEV (gone) …
int64_t cm_pcm_readi(snd_pcm_t *pcm, void *buffer, int64_t frames) CM_REALTIME;
int64_t cm_pcm_readn(snd_pcm_t *pcm, void *_Nullable *_Nonnull channels, int64_t frames) CM_REALTIME;
// Frames available and the instant that was so, in ns of the clock chosen; 0 if the plugin has none.
int64_t cm_pcm_htimestamp(snd_pcm_t *pcm, int64_t *nanoseconds) CM_REALTIME;

#pragma clang assume_nonnull end
