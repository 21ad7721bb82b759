#if !__has_include(<alsa/asoundlib.h>)
#include "../Packages/missing.h"
#endif
#include "cm_playback.h"
#include "cm_fault.h"
#include <alsa/asoundlib.h>

int32_t cm_playback_open(snd_pcm_t **pcm, const char *name) {
    return CM_RESULT(snd_pcm_open, pcm, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK);
}

int32_t cm_playback_set(snd_pcm_t *pcm, int32_t format, uint32_t channels, uint32_t rate, uint32_t microseconds) {
    return CM_RESULT(
        snd_pcm_set_params, pcm, (snd_pcm_format_t)format, SND_PCM_ACCESS_RW_INTERLEAVED, channels, rate, 1, microseconds);
}

int32_t cm_playback_wait(snd_pcm_t *pcm, int32_t milliseconds) { return CM_RESULT(snd_pcm_wait, pcm, milliseconds); }

int64_t cm_playback_write(snd_pcm_t *pcm, const void *buffer, int64_t frames) {
    return CM_RESULT(snd_pcm_writei, pcm, buffer, (snd_pcm_uframes_t)frames);
}

int32_t cm_playback_delay(snd_pcm_t *pcm, int64_t *frames) {
    snd_pcm_sframes_t delay = 0;
    int32_t result = CM_RESULT(snd_pcm_delay, pcm, &delay);
    *frames = delay;
    return result;
}
