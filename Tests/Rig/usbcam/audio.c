#define _GNU_SOURCE
#include "usbcam.h"
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// A millisecond of a 1 kHz tone at a quarter of full scale and less, the same on both channels.
static void hum(uint8_t *place) {
    double level = 8000 * sound_gain();
    for (int frame = 0; frame < sound_hertz / 1000; frame++) {
        int16_t value = (int16_t)lrint(level * sin(2 * M_PI * frame / 48));
        for (int channel = 0; channel < 2; channel++, place += 2) {
            place[0] = (uint8_t)value;
            place[1] = (uint8_t)(value >> 8);
        }
    }
}

// The writer of the pipe writes in periods. Packets are kept so that the next period may be late, but no more than that, since
// each increases the delay of the audio.
enum { kept = 15 * sound_packet_bytes, most = 30 * sound_packet_bytes };

static uint8_t heard[1 << 17];
static size_t count;

// Everything that has been written since: once per transfer, since its packets are made in no time.
void sound_begin(void) {
    static int pipe = -1;
    if (!options.hears) return;
    if (pipe < 0) pipe = open(options.hears, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = read(pipe, heard + count, sizeof heard - count);
    if (got > 0) count += (size_t)got;
}

// A millisecond of what came by the pipe, or of silence until there is enough of it.
static void hear(uint8_t *place) {
    static int is_heard;
    if (count > most) {
        // Whole packets: a frame that is cut in two would exchange the channels.
        size_t late = (count - kept) / sound_packet_bytes * sound_packet_bytes;
        memmove(heard, heard + late, count -= late);
    }
    if (count >= kept || count < sound_packet_bytes) is_heard = count >= kept;
    // Every microphone has noise, here in the last bit.
    static uint32_t noise = 1;
    double gain = sound_gain();
    for (int at = 0; at < sound_packet_bytes; at += 2) {
        noise = noise * 1664525 + 1013904223;
        int sound = is_heard ? heard[at] | (int8_t)heard[at + 1] * 256 : 0;
        int value = (int)(noise >> 31) + (int)lrint(gain * sound);
        place[at] = (uint8_t)value;
        place[at + 1] = (uint8_t)(value >> 8);
    }
    if (is_heard) memmove(heard, heard + sound_packet_bytes, count -= sound_packet_bytes);
}

size_t sound_packet(uint8_t *place) {
    if (options.hears) hear(place);
    else hum(place);
    return sound_packet_bytes;
}
