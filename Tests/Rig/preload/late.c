// Preloaded (LD_PRELOAD), has sound come LATE_MICROSECONDS after the device was started, as some hardware does.
#define _GNU_SOURCE
#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef int start(snd_pcm_t *);

static void *start_later(void *pcm) {
    const char *late = getenv("LATE_MICROSECONDS");
    usleep(late ? (useconds_t)atol(late) : 0);
    start *next = (start *)dlsym(RTLD_NEXT, "snd_pcm_start");
    if (next) next(pcm);
    return NULL;
}

int snd_pcm_start(snd_pcm_t *pcm) {
    pthread_t thread;
    int result = pthread_create(&thread, NULL, start_later, pcm);
    if (result == 0) pthread_detach(thread);
    return -result;
}
