#include "usbcam.h"
#include <errno.h>
#include <string.h>

// The requests and controls that the drivers use, by the names of the standards.
enum { GET_STATUS, CLEAR_FEATURE, SET_FEATURE = 3, SET_ADDRESS = 5, GET_DESCRIPTOR, SET_CONFIGURATION = 9,
       GET_INTERFACE, SET_INTERFACE };
enum { SET_CUR = 1, GET_CUR = 0x81, GET_LEN = 0x85, GET_INFO };
enum { VS_PROBE = 1, VS_COMMIT = 2 };

struct request {
    uint8_t type, request;
    uint16_t value, index, length;
};

static int put_word(uint8_t *place, int value) {
    place[0] = (uint8_t)value;
    place[1] = (uint8_t)(value >> 8);
    return 2;
}

static int put_byte(uint8_t *place, uint8_t value) {
    *place = value;
    return 1;
}

// A host controller reserves the bus's time for a setting, and refuses it if none is left. The virtual one has unlimited
// time, so here the device refuses, which the driver can't distinguish.
static int set_interface(const struct request *request) {
    if (request->index != interface_picture || request->value != 1) return 0;
    if (options.bandwidth > 0 && stream_bytes_a_second() > options.bandwidth) return -ENOSPC;
    picture_begin(monotonic());
    return 0;
}

static int standard(const struct request *request, uint8_t *data) {
    switch (request->request) {
    case GET_STATUS: return put_word(data, 0);
    case GET_DESCRIPTOR: return descriptor_copy(request->value >> 8, request->value & 0xff, data);
    case GET_INTERFACE: return put_byte(data, 0);
    case SET_INTERFACE: return set_interface(request);
    case CLEAR_FEATURE:
    case SET_FEATURE:
    case SET_ADDRESS:
    case SET_CONFIGURATION: return 0;
    default: return -1;
    }
}

static int streaming(const struct request *request, uint8_t *data) {
    switch (request->request) {
    case SET_CUR:
        memcpy(stream_control, data, request->length < sizeof stream_control ? request->length : sizeof stream_control);
        stream_control_settle();
        return 0;
    case GET_INFO: return put_byte(data, 3);
    case GET_LEN: return put_word(data, sizeof stream_control);
    default:
        stream_control_settle();
        memcpy(data, stream_control, sizeof stream_control);
        return sizeof stream_control;
    }
}

// The one control of the microphone's endpoint is its rate, of which there is one.
static int sound_endpoint(const struct request *request, uint8_t *data) {
    if (request->request != GET_CUR) return 0;
    put_word(data, sound_hertz & 0xffff);
    data[2] = sound_hertz >> 16;
    return 3;
}

static int class_request(const struct request *request, uint8_t *data) {
    int selector = request->value >> 8, entity = request->index >> 8, interface = request->index & 0xff;
    if ((request->type & 0x1f) == 2) return sound_endpoint(request, data);
    int is_stream = interface == interface_picture && (selector == VS_PROBE || selector == VS_COMMIT);
    if (is_stream) return streaming(request, data);
    int has_settings = interface == interface_camera || interface == interface_sound_card;
    if (has_settings) return setting((uint8_t)entity, (uint8_t)selector, request->request, data);
    return -1;
}

int control(const uint8_t setup[8], uint8_t *data) {
    struct request request = {setup[0], setup[1], (uint16_t)(setup[2] | setup[3] << 8),
                              (uint16_t)(setup[4] | setup[5] << 8), (uint16_t)(setup[6] | setup[7] << 8)};
    int count = -1;
    if ((request.type & 0x60) == 0x00) count = standard(&request, data);
    if ((request.type & 0x60) == 0x20) count = class_request(&request, data);
    return count > request.length ? request.length : count;
}
