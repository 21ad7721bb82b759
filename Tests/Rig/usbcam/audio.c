#define _GNU_SOURCE
#include "usbcam.h"
#include <math.h>

// A millisecond of a 1 kHz tone at a quarter of full scale and less, the same on both channels.
size_t sound_packet(uint8_t *place) {
    double level = 8000 * sound_gain();
    for (int frame = 0; frame < sound_hertz / 1000; frame++) {
        int16_t value = (int16_t)lrint(level * sin(2 * M_PI * frame / 48));
        for (int channel = 0; channel < 2; channel++, place += 2) {
            place[0] = (uint8_t)value;
            place[1] = (uint8_t)(value >> 8);
        }
    }
    return sound_packet_bytes;
}
