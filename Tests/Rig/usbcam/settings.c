#include "usbcam.h"
#include <math.h>
#include <stddef.h>

// The controls of the camera terminal, the processing unit and the microphone's feature unit, by the names of the standards
// (UVC 1.1, A.9.4 and A.9.5; UAC 1.0, A.10.2).
enum { CT_AE_MODE = 2, CT_EXPOSURE_TIME_ABSOLUTE = 4, CT_FOCUS_ABSOLUTE = 6, CT_FOCUS_AUTO = 8, CT_PRIVACY = 0x11 };
enum { PU_BRIGHTNESS = 2, PU_CONTRAST = 3, PU_GAIN = 4, PU_WHITE_BALANCE = 0x0a, PU_WHITE_BALANCE_AUTO = 0x0b };
enum { FU_MUTE = 1, FU_VOLUME = 2, decibel = 256 };
enum { SET_CUR = 1, GET_CUR = 0x81, GET_MIN, GET_MAX, GET_RES, GET_LEN, GET_INFO, GET_DEF };
enum { readable_and_settable = 3, changes_by_itself = 8 };
enum { mode_manual = 1, mode_aperture_priority = 8 };

static struct setting {
    uint8_t entity, selector, bytes, info;
    int32_t least, most, step, usual, value;
} settings[] = {
    // The exposure's modes are bits, and its step is the mask of those that there are. Times are in 100 µs.
    {entity_camera_terminal, CT_AE_MODE, 1, 0, mode_manual, mode_aperture_priority,
        mode_manual | mode_aperture_priority, mode_aperture_priority, mode_aperture_priority},
    {entity_camera_terminal, CT_EXPOSURE_TIME_ABSOLUTE, 4, changes_by_itself, 3, 2047, 1, 250, 250},
    {entity_camera_terminal, CT_FOCUS_ABSOLUTE, 2, changes_by_itself, 0, 250, 5, 0, 30},
    {entity_camera_terminal, CT_FOCUS_AUTO, 1, 0, 0, 1, 1, 1, 1},
    // The shutter: setting it acts like a hand at the slide.
    {entity_camera_terminal, CT_PRIVACY, 1, 0, 0, 1, 1, 0, 0},
    {entity_processing, PU_BRIGHTNESS, 2, 0, 0, 255, 1, 127, 128},
    {entity_processing, PU_CONTRAST, 2, 0, 0, 64, 1, 32, 32},
    {entity_processing, PU_GAIN, 2, 0, 0, 100, 1, 0, 10},
    {entity_processing, PU_WHITE_BALANCE, 2, changes_by_itself, 2800, 6500, 10, 4600, 5200},
    {entity_processing, PU_WHITE_BALANCE_AUTO, 1, 0, 0, 1, 1, 1, 1},
    {entity_gain, FU_MUTE, 1, 0, 0, 1, 1, 0, 0},
    {entity_gain, FU_VOLUME, 2, 0, -30 * decibel, 0, 6 * decibel, 0, 0},
};

static struct setting *find(uint8_t entity, uint8_t selector) {
    for (size_t at = 0; at < sizeof settings / sizeof *settings; at++)
        if (settings[at].entity == entity && settings[at].selector == selector) return &settings[at];
    return NULL;
}

static int put(const struct setting *setting, int32_t value, uint8_t *place) {
    for (int at = 0; at < setting->bytes; at++) place[at] = (uint8_t)((uint32_t)value >> (8 * at));
    return setting->bytes;
}

// Refuses values out of range, as the standard requires (4.2.2).
static int set(struct setting *setting, const uint8_t *data) {
    uint32_t value = 0;
    for (int at = 0; at < setting->bytes; at++) value |= (uint32_t)data[at] << (8 * at);
    // Numbers with a sign have two bytes.
    int32_t number = setting->least < 0 ? (int16_t)value : (int32_t)value;
    if (number < setting->least || number > setting->most) return -1;
    if (!options.forgets) setting->value = number;
    return 0;
}

int scene_brightness(void) { return find(entity_processing, PU_BRIGHTNESS)->value; }
int scene_is_covered(void) { return find(entity_camera_terminal, CT_PRIVACY)->value; }

double sound_gain(void) {
    if (options.gainless) return 1;
    return find(entity_gain, FU_MUTE)->value ? 0 : pow(10, find(entity_gain, FU_VOLUME)->value / 20.0 / decibel);
}

int setting(uint8_t entity, uint8_t selector, uint8_t request, uint8_t *data) {
    struct setting *found = find(entity, selector);
    if (!found) return -1;
    switch (request) {
    case SET_CUR: return set(found, data);
    case GET_CUR: return put(found, found->value, data);
    case GET_MIN: return put(found, found->least, data);
    case GET_MAX: return put(found, found->most, data);
    case GET_RES: return put(found, found->step, data);
    case GET_DEF: return put(found, found->usual, data);
    case GET_INFO: data[0] = readable_and_settable | found->info; return 1;
    default: return -1;
    }
}
