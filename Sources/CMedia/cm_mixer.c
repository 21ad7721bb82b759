#if !__has_include(<alsa/asoundlib.h>)
#include "../Packages/missing.h"
#endif
#include "cm_mixer.h"
#include "cm_fault.h"
#include <alsa/asoundlib.h>
#include <stdio.h>
#include <string.h>

int32_t cm_mixer_open(snd_ctl_t **ctl, const char *name) {
    return CM_RESULT(snd_ctl_open, ctl, name, SND_CTL_NONBLOCK);
}

int32_t cm_elem_list(snd_ctl_t *ctl, uint32_t *numbers, uint32_t capacity) {
    snd_ctl_elem_list_t *list;
    snd_ctl_elem_list_alloca(&list);
    int result = CM_RESULT(snd_ctl_elem_list_alloc_space, list, capacity);
    if (result >= 0) result = CM_RESULT(snd_ctl_elem_list, ctl, list);
    int32_t count = (int32_t)snd_ctl_elem_list_get_count(list);
    for (uint32_t at = 0; result >= 0 && at < snd_ctl_elem_list_get_used(list); at++)
        numbers[at] = snd_ctl_elem_list_get_numid(list, at);
    snd_ctl_elem_list_free_space(list);
    return result < 0 ? result : count;
}

static uint32_t flags(const snd_ctl_elem_info_t *info) {
    return (snd_ctl_elem_info_is_readable(info) ? CM_ELEM_READABLE : 0)
        | (snd_ctl_elem_info_is_writable(info) ? CM_ELEM_WRITABLE : 0)
        | (snd_ctl_elem_info_is_inactive(info) ? CM_ELEM_INACTIVE : 0)
        | (snd_ctl_elem_info_is_locked(info) ? CM_ELEM_LOCKED : 0)
        | (snd_ctl_elem_info_is_volatile(info) ? CM_ELEM_VOLATILE : 0);
}

static void copy_range(const snd_ctl_elem_info_t *info, struct cm_elem *element) {
    switch (snd_ctl_elem_info_get_type(info)) {
    case SND_CTL_ELEM_TYPE_INTEGER:
        element->minimum = snd_ctl_elem_info_get_min(info);
        element->maximum = snd_ctl_elem_info_get_max(info);
        element->step = snd_ctl_elem_info_get_step(info);
        return;
    case SND_CTL_ELEM_TYPE_INTEGER64:
        element->minimum = snd_ctl_elem_info_get_min64(info);
        element->maximum = snd_ctl_elem_info_get_max64(info);
        element->step = snd_ctl_elem_info_get_step64(info);
        return;
    case SND_CTL_ELEM_TYPE_ENUMERATED: element->items = snd_ctl_elem_info_get_items(info); return;
    default: return;
    }
}

int32_t cm_elem_info(snd_ctl_t *ctl, uint32_t number, struct cm_elem *element) {
    snd_ctl_elem_info_t *info;
    snd_ctl_elem_info_alloca(&info);
    snd_ctl_elem_info_set_numid(info, number);
    int result = CM_RESULT(snd_ctl_elem_info, ctl, info);
    if (result < 0) return result;
    memset(element, 0, sizeof(*element));
    element->number = number;
    element->interface = (int32_t)snd_ctl_elem_info_get_interface(info);
    element->device = snd_ctl_elem_info_get_device(info);
    element->subdevice = snd_ctl_elem_info_get_subdevice(info);
    element->index = snd_ctl_elem_info_get_index(info);
    element->type = (int32_t)snd_ctl_elem_info_get_type(info);
    element->count = snd_ctl_elem_info_get_count(info);
    element->flags = flags(info);
    copy_range(info, element);
    snprintf(element->name, sizeof(element->name), "%s", snd_ctl_elem_info_get_name(info));
    return 0;
}

int32_t cm_elem_item(snd_ctl_t *ctl, uint32_t number, uint32_t item, char *name, uint32_t size) {
    snd_ctl_elem_info_t *info;
    snd_ctl_elem_info_alloca(&info);
    snd_ctl_elem_info_set_numid(info, number);
    snd_ctl_elem_info_set_item(info, item);
    int result = CM_RESULT(snd_ctl_elem_info, ctl, info);
    if (result >= 0) snprintf(name, size, "%s", snd_ctl_elem_info_get_item_name(info));
    return result;
}

// A union in C; the type says which of its members holds.
static int64_t value_at(const snd_ctl_elem_value_t *values, int32_t type, uint32_t channel) {
    switch (type) {
    case SND_CTL_ELEM_TYPE_BOOLEAN: return snd_ctl_elem_value_get_boolean(values, channel);
    case SND_CTL_ELEM_TYPE_INTEGER: return snd_ctl_elem_value_get_integer(values, channel);
    case SND_CTL_ELEM_TYPE_INTEGER64: return snd_ctl_elem_value_get_integer64(values, channel);
    default: return snd_ctl_elem_value_get_enumerated(values, channel);
    }
}

static void set_value(snd_ctl_elem_value_t *values, int32_t type, uint32_t channel, int64_t value) {
    switch (type) {
    case SND_CTL_ELEM_TYPE_BOOLEAN: snd_ctl_elem_value_set_boolean(values, channel, (long)value); return;
    case SND_CTL_ELEM_TYPE_INTEGER: snd_ctl_elem_value_set_integer(values, channel, (long)value); return;
    case SND_CTL_ELEM_TYPE_INTEGER64: snd_ctl_elem_value_set_integer64(values, channel, value); return;
    default: snd_ctl_elem_value_set_enumerated(values, channel, (unsigned)value); return;
    }
}

int32_t cm_elem_read(snd_ctl_t *ctl, const struct cm_elem *element, int64_t *values) {
    snd_ctl_elem_value_t *raw;
    snd_ctl_elem_value_alloca(&raw);
    snd_ctl_elem_value_set_numid(raw, element->number);
    int result = CM_RESULT(snd_ctl_elem_read, ctl, raw);
    for (uint32_t at = 0; result >= 0 && at < element->count && at < CM_ELEM_CHANNELS; at++)
        values[at] = value_at(raw, element->type, at);
    return result;
}

int32_t cm_elem_write(snd_ctl_t *ctl, const struct cm_elem *element, const int64_t *values) {
    snd_ctl_elem_value_t *raw;
    snd_ctl_elem_value_alloca(&raw);
    snd_ctl_elem_value_set_numid(raw, element->number);
    for (uint32_t at = 0; at < element->count && at < CM_ELEM_CHANNELS; at++)
        set_value(raw, element->type, at, values[at]);
    return CM_RESULT(snd_ctl_elem_write, ctl, raw);
}

static snd_ctl_elem_id_t *numbered(snd_ctl_elem_id_t *id, uint32_t number) {
    snd_ctl_elem_id_set_numid(id, number);
    return id;
}

int32_t cm_elem_decibel_range(snd_ctl_t *ctl, uint32_t number, int64_t *minimum, int64_t *maximum) {
    snd_ctl_elem_id_t *id;
    snd_ctl_elem_id_alloca(&id);
    long least = 0, most = 0;
    int result = CM_RESULT(snd_ctl_get_dB_range, ctl, numbered(id, number), &least, &most);
    *minimum = least;
    *maximum = most;
    return result;
}

int32_t cm_elem_to_decibels(snd_ctl_t *ctl, uint32_t number, int64_t value, int64_t *hundredths) {
    snd_ctl_elem_id_t *id;
    snd_ctl_elem_id_alloca(&id);
    long converted = 0;
    int result = CM_RESULT(snd_ctl_convert_to_dB, ctl, numbered(id, number), (long)value, &converted);
    *hundredths = converted;
    return result;
}

int32_t cm_elem_from_decibels(snd_ctl_t *ctl, uint32_t number, int64_t hundredths, int64_t *value) {
    snd_ctl_elem_id_t *id;
    snd_ctl_elem_id_alloca(&id);
    long converted = 0;
    int result = CM_RESULT(snd_ctl_convert_from_dB, ctl, numbered(id, number), (long)hundredths, &converted, 0);
    *value = converted;
    return result;
}
