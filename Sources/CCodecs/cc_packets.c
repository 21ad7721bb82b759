#include "cc_packets.h"

#include <errno.h>
#include <stdlib.h>

// Doubling keeps steady state free of allocation.
static size_t grown(size_t capacity, size_t needed, size_t least) {
    size_t size = capacity ? capacity : least;
    while (size < needed) size *= 2;
    return size;
}

int cc_packets_reserve(cc_packets *packets, size_t extra) {
    size_t needed = packets->count + extra;
    if (needed <= packets->capacity) return 0;
    size_t capacity = grown(packets->capacity, needed, 64 * 1024);
    uint8_t *bytes = realloc(packets->bytes, capacity);
    if (!bytes) return -ENOMEM;
    packets->bytes = bytes;
    packets->capacity = capacity;
    return 0;
}

int cc_packets_commit(cc_packets *packets, size_t count, int64_t time, int64_t duration, int key) {
    if (packets->packet_count == packets->packet_capacity) {
        size_t capacity = grown(packets->packet_capacity, packets->packet_count + 1, 64);
        cc_packet *list = realloc(packets->packets, capacity * sizeof *list);
        if (!list) return -ENOMEM;
        packets->packets = list;
        packets->packet_capacity = capacity;
    }
    packets->packets[packets->packet_count++] = (cc_packet){packets->count, count, time, duration, key, 0};
    packets->count += count;
    return 0;
}

void cc_packets_free(cc_packets *packets) {
    free(packets->bytes);
    free(packets->packets);
    *packets = (cc_packets){0};
}
