#define _GNU_SOURCE
#include "usbcam.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { header_words = 12, header_bytes = 48, packet_bytes = 16, answer_submit = 3, answer_unlink = 4, speed_high = 3 };

// A message goes in one piece: there are thousands of packets a second, and a system call takes long in the rig's kernel.
static uint8_t answer[header_bytes + longest_transfer + most_packets * packet_bytes];

static void write_all(int wire, const void *bytes, size_t count) {
    for (const uint8_t *at = bytes; count;) {
        ssize_t written = write(wire, at, count);
        if (written <= 0) exit(0); // unplugged from the other side
        at += written;
        count -= (size_t)written;
    }
}

// What has come and was not read yet: a message and its packets take one system call, too.
static uint8_t inbox[1 << 16];
static size_t first, last;

int wire_has_more(void) { return first < last; }

int wire_read_bytes(int wire, void *place, size_t count) {
    for (uint8_t *at = place; count;) {
        if (first == last) {
            ssize_t got = read(wire, inbox, sizeof inbox);
            if (got <= 0) return -1;
            first = 0;
            last = (size_t)got;
        }
        size_t part = count < last - first ? count : last - first;
        memcpy(at, inbox + first, part);
        first += part;
        at += part;
        count -= part;
    }
    return 0;
}

// The host controller is given one end of a socket pair as if it were a network connection.
int wire_plug(int port) {
    int ends[2], room = 4 << 20;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return -1;
    int attach = open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY | O_CLOEXEC);
    if (attach < 0) return -1;
    int said = dprintf(attach, "%d %d %d %d", port, ends[0], 0x10001 + port, speed_high);
    close(attach);
    close(ends[0]);
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    return said < 0 ? -1 : ends[1];
}

int wire_read_packets(int wire, struct transfer *transfer) {
    static uint32_t words[most_packets][packet_bytes / 4];
    if (wire_read_bytes(wire, words, transfer->packet_count * packet_bytes)) return -1;
    for (uint32_t at = 0; at < transfer->packet_count; at++) {
        transfer->packets[at].offset = ntohl(words[at][0]);
        transfer->packets[at].length = ntohl(words[at][1]);
    }
    return 0;
}

int wire_read(int wire, struct message *message) {
    uint32_t words[header_words];
    if (wire_read_bytes(wire, words, header_bytes)) return -1;
    uint32_t *fields = &message->command;
    for (int at = 0; at < 10; at++) fields[at] = ntohl(words[at]);
    memcpy(message->setup, words + 10, sizeof message->setup);
    return 0;
}

static void put_header(uint8_t *place, uint32_t command, uint32_t sequence, int status, uint32_t actual, uint32_t start,
                       uint32_t packets) {
    uint32_t words[header_words] = {htonl(command), htonl(sequence),      0, 0, 0, htonl((uint32_t)status),
                                    htonl(actual),  htonl(start), htonl(packets)};
    memcpy(place, words, header_bytes);
}

void wire_answer_control(int wire, uint32_t sequence, int status, const uint8_t *data, size_t count, uint32_t actual) {
    put_header(answer, answer_submit, sequence, status, actual, 0, 0);
    if (count) memcpy(answer + header_bytes, data, count);
    write_all(wire, answer, header_bytes + count);
}

void wire_answer_packets(int wire, const struct transfer *transfer, const uint8_t *data, size_t count) {
    uint32_t start = (uint32_t)(transfer->begin / 1000000) & 2047;
    put_header(answer, answer_submit, transfer->sequence, 0, (uint32_t)count, start, transfer->packet_count);
    uint8_t *end = answer + header_bytes;
    memcpy(end, data, count);
    end += count;
    for (uint32_t at = 0; at < transfer->packet_count; at++, end += packet_bytes) {
        const struct packet *packet = &transfer->packets[at];
        uint32_t words[] = {htonl(packet->offset), htonl(packet->length), htonl(packet->actual), 0};
        memcpy(end, words, packet_bytes);
    }
    write_all(wire, answer, (size_t)(end - answer));
}

void wire_answer_unlink(int wire, uint32_t sequence, int status) {
    put_header(answer, answer_unlink, sequence, status, 0, 0, 0);
    write_all(wire, answer, header_bytes);
}
