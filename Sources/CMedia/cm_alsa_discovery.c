#if !__has_include(<alsa/asoundlib.h>)
#include "../Packages/missing.h"
#endif
#include "cm_alsa_discovery.h"
#include "cm_fault.h"
#include <alsa/asoundlib.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPY(to, from) snprintf(to, sizeof(to), "%s", from)

int32_t cm_card_next(int32_t card) {
    int next = card;
    int result = CM_RESULT(snd_card_next, &next);
    if (result < 0) return result;
    return next < 0 ? -ENODEV : next;
}

int32_t cm_ctl_open(snd_ctl_t **ctl, const char *name) {
    return CM_RESULT(snd_ctl_open, ctl, name, SND_CTL_READONLY);
}

int32_t cm_ctl_close(snd_ctl_t *ctl) {
    int32_t result = snd_ctl_close(ctl);
    return CM_AFTER(snd_ctl_close, result);
}

int32_t cm_ctl_card_info(snd_ctl_t *ctl, struct cm_card_info *info) {
    snd_ctl_card_info_t *card;
    snd_ctl_card_info_alloca(&card);
    int result = CM_RESULT(snd_ctl_card_info, ctl, card);
    if (result < 0) return result;
    info->card = snd_ctl_card_info_get_card(card);
    COPY(info->id, snd_ctl_card_info_get_id(card));
    COPY(info->driver, snd_ctl_card_info_get_driver(card));
    COPY(info->name, snd_ctl_card_info_get_name(card));
    COPY(info->longname, snd_ctl_card_info_get_longname(card));
    COPY(info->mixername, snd_ctl_card_info_get_mixername(card));
    COPY(info->components, snd_ctl_card_info_get_components(card));
    return 0;
}

int32_t cm_ctl_pcm_next_device(snd_ctl_t *ctl, int32_t device) {
    int next = device;
    int result = CM_RESULT(snd_ctl_pcm_next_device, ctl, &next);
    if (result < 0) return result;
    return next < 0 ? -ENODEV : next;
}

int32_t cm_ctl_pcm_info(snd_ctl_t *ctl, uint32_t device, uint32_t subdevice, struct cm_pcm_info *info) {
    snd_pcm_info_t *pcm;
    snd_pcm_info_alloca(&pcm);
    snd_pcm_info_set_device(pcm, device);
    snd_pcm_info_set_subdevice(pcm, subdevice);
    snd_pcm_info_set_stream(pcm, SND_PCM_STREAM_CAPTURE);
    int result = CM_RESULT(snd_ctl_pcm_info, ctl, pcm);
    if (result < 0) return result;
    info->card = snd_pcm_info_get_card(pcm);
    info->device = snd_pcm_info_get_device(pcm);
    info->subdevice = snd_pcm_info_get_subdevice(pcm);
    info->subdevices = snd_pcm_info_get_subdevices_count(pcm);
    info->subdevices_available = snd_pcm_info_get_subdevices_avail(pcm);
    COPY(info->id, snd_pcm_info_get_id(pcm));
    COPY(info->name, snd_pcm_info_get_name(pcm));
    COPY(info->subname, snd_pcm_info_get_subdevice_name(pcm));
    return 0;
}

int32_t cm_hints_open(void ***hints) { return CM_RESULT(snd_device_name_hint, -1, "pcm", hints); }

void cm_hints_close(void **hints) { snd_device_name_free_hint(hints); }

void *cm_hint_at(void **hints, int32_t index) { return hints[index]; }

char *cm_hint_get(void *hint, const char *key) { return snd_device_name_get_hint(hint, key); }

void cm_hint_free(char *text) { free(text); }
