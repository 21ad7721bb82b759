#include "usbcam.h"
#include <string.h>

#define WORD(value) ((value) & 0xff), (((value) >> 8) & 0xff)
#define LONG(value) WORD(value), WORD((value) >> 16)

enum { string_vendor = 1, string_product = 2, string_serial = 3 };

static const uint8_t device[] = {
    18, 1, WORD(0x0200), 0xef, 2, 1, 64,   // composite: interface association descriptors follow
    WORD(0x1d6b), WORD(0x0102), WORD(0x0100), // vendor, product, release
    string_vendor, string_product, string_serial, 1,
};

static const uint8_t qualifier[] = {10, 6, WORD(0x0200), 0xef, 2, 1, 64, 1, 0};

// A discrete frame size with 30, 15 and 5 frames a second, in units of 100 ns.
#define FRAME(index, width, height) FRAME_OF(5, index, width, height)
#define FRAME_OF(kind, index, width, height) \
    38, 0x24, kind, index, 0, WORD(width), WORD(height), LONG((width) * (height) * 16 * 5), \
        LONG((width) * (height) * 16 * 30), LONG((width) * (height) * 2), LONG(333333), 3, LONG(333333), \
        LONG(666666), LONG(2000000)

// One size of a format whose frames a stream of the device's own has (UVC 1.1, frame-based payload, 3.1.2).
#define FRAME_OF_STREAM(index, width, height) \
    38, 0x24, 0x11, index, 0, WORD(width), WORD(height), LONG((width) * (height) * 16 * 5), \
        LONG((width) * (height) * 16 * 30), LONG(333333), 3, LONG(0), LONG(333333), LONG(666666), LONG(2000000)

// Everything before the formats, and everything after them.
#define BEFORE \
    9, 2, WORD(0), 4, 1, 0, 0x80, 250, /* the total length is filled in below */ \
    /* The camera: control interface with terminal and processing, their controls in settings.c, and output. */ \
    8, 0x0b, interface_camera, 2, 0x0e, 3, 0, 0, \
    9, 4, interface_camera, 0, 0, 0x0e, 1, 0, 0, \
    13, 0x24, 1, WORD(0x0110), WORD(13 + 18 + 12 + 9), LONG(clock_hertz), 1, interface_picture, \
    18, 0x24, 2, entity_camera_terminal, WORD(0x0201), 0, 0, WORD(0), WORD(0), WORD(0), 3, 0x2a, 0, 0x06, \
    12, 0x24, 5, entity_processing, entity_camera_terminal, WORD(0), 2, 0x43, 0x12, 0, 0, \
    9, 0x24, 3, 3, WORD(0x0101), 0, entity_processing, 0, \
    /* The picture: idle setting with the formats, streaming setting with three packets a microframe. */ \
    9, 4, interface_picture, 0, 0, 0x0e, 2, 0, 0
#define FORMATS \
    27, 0x24, 4, format_yuyv, 2, 'Y', 'U', 'Y', '2', 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71, 16, 1, 0, 0, 0, 0, \
    FRAME(1, 640, 480), \
    FRAME(2, 320, 240), \
    6, 0x24, 0x0d, 1, 1, 4, \
    11, 0x24, 6, format_mjpeg, 1, 0, 1, 0, 0, 0, 0, \
    FRAME_OF(7, 1, 320, 240), \
    6, 0x24, 0x0d, 1, 1, 4
#define STREAM(digit) \
    28, 0x24, 0x10, format_stream, 1, 'H', '2', '6', digit, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71, 16, 1, 0, 0, \
    0, 0, 1, \
    FRAME_OF_STREAM(1, 320, 240), \
    6, 0x24, 0x0d, 1, 1, 4
#define AFTER \
    9, 4, interface_picture, 1, 1, 0x0e, 2, 0, 0, \
    7, 5, 0x80 | endpoint_picture, 5, WORD(0x1400), 1, \
    /* The microphone: terminal, gain with a switch, and output, then 48 kHz stereo S16_LE. */ \
    8, 0x0b, interface_sound_card, 2, 1, 1, 0, 0, \
    9, 4, interface_sound_card, 0, 0, 1, 1, 0, 0, \
    9, 0x24, 1, WORD(0x0100), WORD(9 + 12 + 10 + 9), 1, interface_sound, \
    12, 0x24, 2, 1, WORD(0x0201), 0, 2, WORD(3), 0, 0, \
    10, 0x24, 6, entity_gain, 1, 1, 3, 0, 0, 0, \
    9, 0x24, 3, 3, WORD(0x0101), 0, entity_gain, 0, \
    9, 4, interface_sound, 0, 0, 1, 2, 0, 0, \
    9, 4, interface_sound, 1, 1, 1, 2, 0, 0, \
    7, 0x24, 1, 3, 1, WORD(1), \
    11, 0x24, 2, 1, 2, 2, 16, 1, WORD(sound_hertz), 0, \
    9, 5, 0x80 | endpoint_sound, 5, WORD(sound_packet_bytes), 4, 0, 0, \
    7, 0x25, 1, 1, 0, WORD(0)

enum { format_bytes = 27 + 38 + 38 + 6 + 11 + 38 + 6, stream_bytes = 28 + 38 + 6 };
// The header of the formats has a byte of controls for each.
#define HEADER(count, more) \
    13 + (count), 0x24, 1, count, WORD(13 + (count) + format_bytes + (more)), 0x80 | endpoint_picture, 0, 3, 0, 0, 0, 1

static const uint8_t configuration[] = {BEFORE, HEADER(2, 0), 0, 0, FORMATS, AFTER};
static const uint8_t configuration_h264[] = {BEFORE, HEADER(3, stream_bytes), 0, 0, 0, FORMATS, STREAM('4'), AFTER};
static const uint8_t configuration_h265[] = {BEFORE, HEADER(3, stream_bytes), 0, 0, 0, FORMATS, STREAM('5'), AFTER};

void picture_size(int format, int frame_index, uint32_t *width, uint32_t *height) {
    int is_small = format != format_yuyv || frame_index == 2;
    *width = is_small ? 320 : 640;
    *height = is_small ? 240 : 480;
}

static int copy(const uint8_t *descriptor, size_t count, uint8_t *place) {
    memcpy(place, descriptor, count);
    return (int)count;
}

static int copy_configuration(uint8_t *place) {
    const uint8_t *from = !options.stream ? configuration : options.is_hevc ? configuration_h265 : configuration_h264;
    size_t size = options.stream ? sizeof configuration_h264 : sizeof configuration;
    memcpy(place, from, size);
    place[2] = size & 0xff;
    place[3] = (uint8_t)(size >> 8);
    return (int)size;
}

static int copy_device(uint8_t *place) {
    memcpy(place, device, sizeof device);
    if (!*options.serial) place[16] = 0;
    return sizeof device;
}

static int copy_string(const char *text, uint8_t *place) {
    size_t count = strlen(text);
    place[0] = (uint8_t)(2 + 2 * count);
    place[1] = 3;
    for (size_t at = 0; at < count; at++) {
        place[2 + 2 * at] = (uint8_t)text[at];
        place[3 + 2 * at] = 0;
    }
    return place[0];
}

static int copy_text(uint8_t index, uint8_t *place) {
    static const uint8_t languages[] = {4, 3, 9, 4}; // English
    switch (index) {
    case 0: return copy(languages, sizeof languages, place);
    case string_vendor: return copy_string("Rig", place);
    case string_product: return copy_string(options.product, place);
    case string_serial: return *options.serial ? copy_string(options.serial, place) : -1;
    default: return -1;
    }
}

int descriptor_copy(uint8_t type, uint8_t index, uint8_t *place) {
    switch (type) {
    case 1: return copy_device(place);
    case 2: return copy_configuration(place);
    case 3: return copy_text(index, place);
    case 6: return copy(qualifier, sizeof qualifier, place);
    default: return -1;
    }
}
