#if !__has_include(<alsa/asoundlib.h>)
#include "../Packages/missing.h"
#endif
#define _GNU_SOURCE
#include "cm_alsa.h"
#include "cm_fault.h"
#include <alsa/asoundlib.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void silence(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

int32_t cm_alsa_setup(void) {
    const char *safe = getenv("LIBASOUND_THREAD_SAFE");
    // Written only when it differs: setenv may move what another thread is just reading.
    if ((!safe || strcmp(safe, "0") != 0) && setenv("LIBASOUND_THREAD_SAFE", "0", 1) < 0) return -errno;
    return snd_lib_error_set_handler(silence);
}

const char *cm_alsa_strerror(int32_t error) { return snd_strerror(error); }

const char *cm_alsa_version(void) { return snd_asoundlib_version(); }

int32_t cm_pcm_open(snd_pcm_t **pcm, const char *name) {
    return CM_RESULT(snd_pcm_open, pcm, name, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK);
}

int32_t cm_pcm_close(snd_pcm_t *pcm) {
    int32_t result = snd_pcm_close(pcm);
    return CM_AFTER(snd_pcm_close, result);
}

int32_t cm_pcm_type(snd_pcm_t *pcm) { return (int32_t)snd_pcm_type(pcm); }

int64_t cm_pcm_dump(snd_pcm_t *pcm, void *text, size_t capacity) {
    snd_output_t *output = NULL;
    // It fails for want of memory alone, as an allocation of our own would.
    int result = snd_output_buffer_open(&output);
    if (result < 0) return result;
    result = CM_RESULT(snd_pcm_dump, pcm, output);
    char *written = NULL;
    size_t length = result < 0 ? 0 : snd_output_buffer_string(output, &written);
    if (length > capacity) result = -ENAMETOOLONG;
    if (result >= 0 && length > 0) memcpy(text, written, length);
    snd_output_close(output);
    return result < 0 ? result : (int64_t)length;
}

int32_t cm_pcm_prepare(snd_pcm_t *pcm) { return CM_RESULT(snd_pcm_prepare, pcm); }
int32_t cm_pcm_start(snd_pcm_t *pcm) { return CM_RESULT(snd_pcm_start, pcm); }
int32_t cm_pcm_drop(snd_pcm_t *pcm) { return CM_RESULT(snd_pcm_drop, pcm); }
int32_t cm_pcm_resume(snd_pcm_t *pcm) { return CM_RESULT(snd_pcm_resume, pcm); }
int32_t cm_pcm_state(snd_pcm_t *pcm) { return (int32_t)snd_pcm_state(pcm); }

int32_t cm_pcm_descriptor_count(snd_pcm_t *pcm) { return CM_RESULT(snd_pcm_poll_descriptors_count, pcm); }

int32_t cm_pcm_descriptors(snd_pcm_t *pcm, struct pollfd *descriptors, int32_t count) {
    return CM_RESULT(snd_pcm_poll_descriptors, pcm, descriptors, (unsigned)count);
}

int32_t cm_pcm_revents(snd_pcm_t *pcm, struct pollfd *descriptors, int32_t count) {
    unsigned short revents = 0;
    int result = CM_RESULT(snd_pcm_poll_descriptors_revents, pcm, descriptors, (unsigned)count, &revents);
    return result < 0 ? result : revents;
}

int64_t cm_pcm_readi(snd_pcm_t *pcm, void *buffer, int64_t frames) {
    return CM_RESULT(snd_pcm_readi, pcm, buffer, (snd_pcm_uframes_t)frames);
}

int64_t cm_pcm_readn(snd_pcm_t *pcm, void **channels, int64_t frames) {
    return CM_RESULT(snd_pcm_readn, pcm, channels, (snd_pcm_uframes_t)frames);
}

int64_t cm_pcm_htimestamp(snd_pcm_t *pcm, int64_t *nanoseconds) {
    snd_pcm_uframes_t available = 0;
    snd_htimestamp_t stamp = {0, 0};
    int result = CM_RESULT(snd_pcm_htimestamp, pcm, &available, &stamp);
    if (result < 0) return result;
    *nanoseconds = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
    return (int64_t)available;
}
