// Preloaded (LD_PRELOAD), hides from a program that a sound device can interleave channels: so it reads each apart.
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <errno.h>

int snd_pcm_hw_params_test_access(snd_pcm_t *pcm, snd_pcm_hw_params_t *parameters, snd_pcm_access_t access) {
    typedef int test(snd_pcm_t *, snd_pcm_hw_params_t *, snd_pcm_access_t);
    test *next = (test *)dlsym(RTLD_NEXT, "snd_pcm_hw_params_test_access");
    return access == SND_PCM_ACCESS_RW_INTERLEAVED || !next ? -EINVAL : next(pcm, parameters, access);
}
