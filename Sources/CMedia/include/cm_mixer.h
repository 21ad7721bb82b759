// Elements of a sound card's mixer, by their numbers (snd_ctl_elem_*). The simple mixer of libasound is not used: it joins and
// renames elements by its own rules.
#pragma once

#include "cm_alsa_discovery.h"
#include <stdint.h>

#pragma clang assume_nonnull begin

#define CM_ELEM_CHANNELS 128

// Operations that an element allows, and its properties.
#define CM_ELEM_READABLE 1u
#define CM_ELEM_WRITABLE 2u
#define CM_ELEM_INACTIVE 4u
#define CM_ELEM_LOCKED 8u
#define CM_ELEM_VOLATILE 16u

struct cm_elem {
    uint32_t number;
    // SND_CTL_ELEM_IFACE_*
    int32_t interface;
    uint32_t device, subdevice, index;
    // SND_CTL_ELEM_TYPE_*
    int32_t type;
    // Channels.
    uint32_t count;
    int64_t minimum, maximum, step;
    // Of an enumerated element.
    uint32_t items;
    // CM_ELEM_*
    uint32_t flags;
    char name[64];
};

// `name` such as hw:0; read and write, without waiting.
int32_t cm_mixer_open(snd_ctl_t *_Nullable *_Nonnull ctl, const char *name);
// How many elements the card has; as many of their numbers as there is room for.
int32_t cm_elem_list(snd_ctl_t *ctl, uint32_t *_Nullable numbers, uint32_t capacity);
int32_t cm_elem_info(snd_ctl_t *ctl, uint32_t number, struct cm_elem *element);
int32_t cm_elem_item(snd_ctl_t *ctl, uint32_t number, uint32_t item, char *name, uint32_t size);
// `values`: room for CM_ELEM_CHANNELS.
int32_t cm_elem_read(snd_ctl_t *ctl, const struct cm_elem *element, int64_t *values);
int32_t cm_elem_write(snd_ctl_t *ctl, const struct cm_elem *element, const int64_t *values);
// In hundredths of a decibel; -errno for an element without such a scale.
int32_t cm_elem_decibel_range(snd_ctl_t *ctl, uint32_t number, int64_t *minimum, int64_t *maximum);
int32_t cm_elem_to_decibels(snd_ctl_t *ctl, uint32_t number, int64_t value, int64_t *hundredths);
// The value that is nearest.
int32_t cm_elem_from_decibels(snd_ctl_t *ctl, uint32_t number, int64_t hundredths, int64_t *value);

#pragma clang assume_nonnull end
