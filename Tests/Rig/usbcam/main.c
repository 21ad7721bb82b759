// usbcam [--port N] [--serial TEXT] [--product TEXT] [--unplug-after SECONDS] [--pictures FOLDER] [--log FILE] [--scene]
//        [--hears PIPE] [--stream FILE [--hevc] [--from PICTURE]]
//        [--lie NAME:EVERY:FIRST]… [--without-tables] [--stall-at PICTURES] [--stays-silent]
//        [--bandwidth BYTES-A-SECOND] [--largest BYTES] [--late MILLISECONDS] [--slower PERCENT] [--forgets]
//        [--gainless]
//
// Stays plugged until it is killed. The lies: no-end, junk, truncated, broken, flagged, empty, same-id, flipped. A picture
// of same-id has the identifier of the one before: uvcvideo drops it, and leaves no gap in its numbers.
#define _GNU_SOURCE
#include "usbcam.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t packet_time[endpoint_count] = {0, 125000, 1000000};

struct options options = {.serial = "RIG0001", .product = "Rig Camera"};

static struct transfer *waiting[endpoint_count];
static int64_t next_begin[endpoint_count];
static int wire;
// The clock, as of the last event: reading it takes a system call, and there are thousands of transfers.
static int64_t now;

int64_t monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void drop(struct transfer *transfer) {
    free(transfer->packets);
    free(transfer);
}

// At its due time a transfer is filled with what the device had to say while it lasted.
static void complete(struct transfer *transfer) {
    static uint8_t data[longest_transfer];
    size_t count = 0;
    if (transfer->endpoint == endpoint_sound) sound_begin();
    for (uint32_t at = 0; at < transfer->packet_count; at++) {
        struct packet *packet = &transfer->packets[at];
        if (count + picture_packet_bytes > sizeof data) break;
        size_t room = packet->length < picture_packet_bytes ? packet->length : picture_packet_bytes;
        int64_t then = transfer->begin + at * packet_time[transfer->endpoint];
        packet->actual = (uint32_t)(transfer->endpoint == endpoint_picture ? picture_packet(data + count, room, then)
                                                                           : sound_packet(data + count));
        count += packet->actual;
    }
    wire_answer_packets(wire, transfer, data, count);
    drop(transfer);
}

static void complete_due(void) {
    for (int endpoint = endpoint_picture; endpoint < endpoint_count; endpoint++)
        while (waiting[endpoint] && waiting[endpoint]->due <= now) {
            struct transfer *transfer = waiting[endpoint];
            waiting[endpoint] = transfer->next;
            complete(transfer);
        }
}

// Transfers follow each other without a gap, except after a pause: then the next begins now. So does the first one after some were
// withdrawn, which were in the future.
static void set_times(struct transfer *transfer) {
    int64_t *next = &next_begin[transfer->endpoint];
    int64_t patience = waiting[transfer->endpoint] ? INT64_C(200000000) : INT64_C(50000000);
    if (*next < now - patience || (!waiting[transfer->endpoint] && *next > now)) *next = now;
    transfer->begin = *next;
    transfer->due = *next += transfer->packet_count * packet_time[transfer->endpoint];
}

static int queue(const struct message *message) {
    struct transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer) return -1;
    transfer->sequence = message->sequence;
    transfer->endpoint = message->endpoint;
    transfer->packet_count = message->packet_count;
    transfer->packets = calloc(message->packet_count, sizeof *transfer->packets);
    if (!transfer->packets || wire_read_packets(wire, transfer)) return -1;
    set_times(transfer);
    struct transfer **end = &waiting[message->endpoint];
    while (*end) end = &(*end)->next;
    *end = transfer;
    return 0;
}

static int answer_control(const struct message *message) {
    static uint8_t data[4096];
    if (message->length > sizeof data) return -1;
    if (!message->is_in && message->length && wire_read_bytes(wire, data, message->length)) return -1;
    int count = control(message->setup, data);
    if (count < 0) wire_answer_control(wire, message->sequence, count == -1 ? -EPIPE : count, NULL, 0, 0);
    else if (message->is_in) wire_answer_control(wire, message->sequence, 0, data, (size_t)count, (uint32_t)count);
    else wire_answer_control(wire, message->sequence, 0, NULL, 0, message->length);
    return 0;
}

static int submit(const struct message *message) {
    if (message->endpoint == endpoint_control) return answer_control(message);
    int is_stream = message->endpoint < endpoint_count && message->packet_count > 0 && message->packet_count <= most_packets;
    if (is_stream) return queue(message);
    wire_answer_control(wire, message->sequence, -EPIPE, NULL, 0, 0);
    return 0;
}

static void unlink_transfer(const struct message *message) {
    int status = 0;
    for (int endpoint = 0; endpoint < endpoint_count; endpoint++)
        for (struct transfer **at = &waiting[endpoint]; *at; at = &(*at)->next)
            if ((*at)->sequence == message->flags_or_unlinked) {
                struct transfer *found = *at;
                *at = found->next;
                drop(found);
                status = -ECONNRESET;
                break;
            }
    wire_answer_unlink(wire, message->sequence, status);
}

static int obey(void) {
    struct message message;
    if (wire_read(wire, &message)) return -1;
    if (message.command == message_submit) return submit(&message);
    if (message.command == message_unlink) unlink_transfer(&message);
    return 0;
}

static int64_t next_due(int64_t end) {
    for (int endpoint = 0; endpoint < endpoint_count; endpoint++)
        if (waiting[endpoint] && waiting[endpoint]->due < end) end = waiting[endpoint]->due;
    return end;
}

static int is_told(int64_t until) {
    int64_t left = until - now;
    struct timespec patience = {0, 0};
    if (left > 0) patience = (struct timespec){left / 1000000000, left % 1000000000};
    struct pollfd descriptor = {.fd = wire, .events = POLLIN};
    return ppoll(&descriptor, 1, &patience, NULL) > 0;
}

static void live(int64_t end) {
    now = monotonic();
    while (now < end) {
        int told = wire_has_more() || is_told(next_due(end));
        now = monotonic();
        complete_due();
        if (told && obey()) return;
    }
}

static const char *value_of(char **arguments, int *at) {
    if (!arguments[*at + 1]) {
        fprintf(stderr, "usbcam: %s needs a value\n", arguments[*at]);
        exit(64);
    }
    return arguments[++*at];
}

// The options of a camera that does not do as it should.
static int read_lie(char **arguments, int *at) {
    if (!strcmp(arguments[*at], "--pictures")) options.pictures = value_of(arguments, at);
    else if (!strcmp(arguments[*at], "--scene")) options.scene = 1;
    else if (!strcmp(arguments[*at], "--stream")) options.stream = value_of(arguments, at);
    else if (!strcmp(arguments[*at], "--hevc")) options.is_hevc = 1;
    else if (!strcmp(arguments[*at], "--from")) options.stream_from = atoll(value_of(arguments, at));
    else if (!strcmp(arguments[*at], "--hears")) options.hears = value_of(arguments, at);
    else if (!strcmp(arguments[*at], "--log")) options.log = value_of(arguments, at);
    else if (!strcmp(arguments[*at], "--without-tables")) options.without_tables = 1;
    else if (!strcmp(arguments[*at], "--stall-at")) options.stall_at = atoll(value_of(arguments, at));
    else if (!strcmp(arguments[*at], "--stays-silent")) options.stays_silent = 1;
    else if (!strcmp(arguments[*at], "--bandwidth")) options.bandwidth = atoll(value_of(arguments, at));
    else if (!strcmp(arguments[*at], "--largest")) options.largest = (uint32_t)atoll(value_of(arguments, at));
    else if (!strcmp(arguments[*at], "--late")) options.late = atoll(value_of(arguments, at)) * 1000000;
    else if (!strcmp(arguments[*at], "--slower")) options.slower = atoi(value_of(arguments, at));
    else if (!strcmp(arguments[*at], "--forgets")) options.forgets = 1;
    else if (!strcmp(arguments[*at], "--gainless")) options.gainless = 1;
    else if (!strcmp(arguments[*at], "--lie")) return lie_learn(value_of(arguments, at)) == 0;
    else return 0;
    return 1;
}

static void read_options(char **arguments) {
    for (int at = 1; arguments[at]; at++) {
        if (!strcmp(arguments[at], "--port")) options.port = atoi(value_of(arguments, &at));
        else if (!strcmp(arguments[at], "--serial")) options.serial = value_of(arguments, &at);
        else if (!strcmp(arguments[at], "--product")) options.product = value_of(arguments, &at);
        else if (!strcmp(arguments[at], "--unplug-after")) options.unplug_after = atof(value_of(arguments, &at));
        else if (!read_lie(arguments, &at)) {
            fprintf(stderr, "usbcam: what is %s?\n", arguments[at]);
            exit(64);
        }
    }
}

int main(int count, char **arguments) {
    (void)count;
    read_options(arguments);
    stream_control_settle();
    if (options.pictures && mjpeg_load(options.pictures) < 1) {
        fprintf(stderr, "usbcam: no pictures in %s\n", options.pictures);
        return 66;
    }
    if (options.stream && stream_load(options.stream) < 1) {
        fprintf(stderr, "usbcam: no pictures in %s\n", options.stream);
        return 66;
    }
    if ((wire = wire_plug(options.port)) < 0) {
        perror("usbcam: the virtual host controller (modprobe vhci_hcd)");
        return 69;
    }
    int64_t begin = monotonic();
    live(options.unplug_after > 0 ? begin + (int64_t)(options.unplug_after * 1e9) : INT64_MAX);
    fprintf(stderr, "usbcam: %" PRIu64 " pictures in %.1f s\n", picture_count(), (double)(monotonic() - begin) / 1e9);
    return 0;
}
