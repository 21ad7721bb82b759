// A growable run of packets that libFLAC's callback fills and Swift reads.
// In C because the callback must grow it without calling back into Swift.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct cc_packet {
    size_t offset;
    size_t count;
    // Nanoseconds. libFLAC's callback stores sample frames in `duration`; Swift turns them into time.
    int64_t time;
    int64_t duration;
    int32_t key;
    // Nanoseconds of it, at its end, that are not to be played.
    int64_t discard;
} cc_packet;

typedef struct cc_packets {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    cc_packet *packets;
    size_t packet_count;
    size_t packet_capacity;
} cc_packets;

// Makes space for `extra` more bytes after `count`. 0 or -ENOMEM.
int cc_packets_reserve(cc_packets *packets, size_t extra);
// Closes a packet: the `count` bytes that were written after `packets->count`. 0 or -ENOMEM.
int cc_packets_commit(cc_packets *packets, size_t count, int64_t time, int64_t duration, int key);
void cc_packets_free(cc_packets *packets);
