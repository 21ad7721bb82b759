// Which sound cards there are. None of these opens a PCM.
#pragma once

#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct _snd_ctl snd_ctl_t;

struct cm_card_info {
    int32_t card;
    char id[16];
    char driver[16];
    char name[32];
    char longname[80];
    char mixername[80];
    char components[128];
};

struct cm_pcm_info {
    int32_t card;
    uint32_t device;
    uint32_t subdevice;
    uint32_t subdevices;
    uint32_t subdevices_available;
    char id[64];
    char name[80];
    char subname[32];
};

// The number of the card after `card` (-1: the first), or -ENODEV after the last.
int32_t cm_card_next(int32_t card);
// `name` such as hw:0.
int32_t cm_ctl_open(snd_ctl_t *_Nullable *_Nonnull ctl, const char *name);
int32_t cm_ctl_close(snd_ctl_t *ctl);
int32_t cm_ctl_card_info(snd_ctl_t *ctl, struct cm_card_info *info);
// The number of the PCM device after `device` (-1: the first), or -ENODEV after the last.
int32_t cm_ctl_pcm_next_device(snd_ctl_t *ctl, int32_t device);
// Of the capture stream; -ENOENT where the device has none.
int32_t cm_ctl_pcm_info(snd_ctl_t *ctl, uint32_t device, uint32_t subdevice, struct cm_pcm_info *info);

// Names that the configuration defines for PCMs, `default` among them.
int32_t cm_hints_open(void *_Nullable *_Nullable *_Nonnull hints);
void cm_hints_close(void *_Nullable *_Nonnull hints);
// NULL after the last.
void *_Nullable cm_hint_at(void *_Nullable *_Nonnull hints, int32_t index);
// `key`: NAME, DESC or IOID. To be freed with cm_hint_free; NULL if none exists.
char *_Nullable cm_hint_get(void *hint, const char *key);
void cm_hint_free(char *text);

#pragma clang assume_nonnull end
