#include "paced.h"
#include <string.h>

// Knuth's multiplicative hash of the sample's number: no two neighbouring frames are alike in any format, so
// a lost, doubled or swapped one shows.
static uint32_t sample(int64_t frame, unsigned channel) {
    return (uint32_t)((uint64_t)frame * 8 + channel) * UINT32_C(2654435761);
}

// Little-endian throughout, the formats' names say so.
static void store(uint8_t *place, uint32_t value, unsigned bytes) {
    for (unsigned at = 0; at < bytes; at++) place[at] = (uint8_t)(value >> (8 * at));
}

static void write_sample(uint8_t *place, snd_pcm_format_t format, uint32_t value) {
    int32_t number = (int32_t)value;
    float real = (float)number / 2147483648.0f;
    switch (format) {
    case SND_PCM_FORMAT_S16_LE: store(place, value >> 16, 2); break;
    case SND_PCM_FORMAT_S24_3LE: store(place, value >> 8, 3); break;
    case SND_PCM_FORMAT_S24_LE: store(place, (uint32_t)(number >> 8), 4); break;
    case SND_PCM_FORMAT_S32_LE: store(place, value, 4); break;
    default: memcpy(place, &real, 4); // FLOAT_LE, the only one left
    }
}

void paced_fill(const snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
                snd_pcm_uframes_t count, int64_t first) {
    for (unsigned channel = 0; channel < io->channels; channel++) {
        const snd_pcm_channel_area_t *area = &areas[channel];
        uint8_t *place = (uint8_t *)area->addr + (area->first + offset * area->step) / 8;
        for (snd_pcm_uframes_t frame = 0; frame < count; frame++, place += area->step / 8)
            write_sample(place, io->format, sample(first + (int64_t)frame, channel));
    }
}
