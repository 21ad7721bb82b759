// Preloaded (LD_PRELOAD), has sound devices take LATE_MICROSECONDS longer to start.
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

int snd_pcm_start(snd_pcm_t *pcm) {
    typedef int start(snd_pcm_t *);
    start *next = (start *)dlsym(RTLD_NEXT, "snd_pcm_start");
    const char *late = getenv("LATE_MICROSECONDS");
    if (late) usleep((useconds_t)atol(late));
    return next ? next(pcm) : -ENOSYS;
}
