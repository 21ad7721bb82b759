#include "usbcam.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { second = 1000000000 };
enum { header_end_of_frame = 0x02, header_error = 0x40, header_plain = 0x80, header_with_clocks = 0x8c };
enum { at_format = 2, at_frame = 3, at_interval = 4, at_frame_size = 18, at_packet_size = 22, at_clock = 26 };

uint8_t stream_control[34] = {0, 0, 1, 1};

static struct {
    uint8_t bytes[640 * 480 * 2];
    size_t count, sent;
    int is_sending;
    uint64_t number, finished;
    int64_t begin, interval;
    uint8_t toggle; // the frame identifier bit: changes where a picture begins
    enum lie lie;
    int begun; // how often the stream was
} picture;

static void put_long(uint8_t *place, uint32_t value) {
    for (int at = 0; at < 4; at++) place[at] = (uint8_t)(value >> (8 * at));
}

static uint32_t get_long(const uint8_t *place) {
    return place[0] | (uint32_t)place[1] << 8 | (uint32_t)place[2] << 16 | (uint32_t)place[3] << 24;
}

// The host's request, adjusted to something that the device supports.
void stream_control_settle(void) {
    uint32_t width, height, interval = get_long(stream_control + at_interval);
    int is_stream = options.stream && stream_control[at_format] == format_stream;
    if (!is_stream && stream_control[at_format] != format_mjpeg) stream_control[at_format] = format_yuyv;
    int most = stream_control[at_format] == format_yuyv ? 2 : 1;
    if (stream_control[at_frame] < 1 || stream_control[at_frame] > most) stream_control[at_frame] = 1;
    picture_size(stream_control[at_format], stream_control[at_frame], &width, &height);
    put_long(stream_control + at_interval, interval < 333333 ? 333333 : interval);
    int claims = options.largest && stream_control[at_format] == format_mjpeg;
    put_long(stream_control + at_frame_size, claims ? options.largest : width * height * 2);
    put_long(stream_control + at_packet_size, picture_packet_bytes);
    put_long(stream_control + at_clock, clock_hertz);
}

int64_t stream_bytes_a_second(void) {
    int64_t bytes = get_long(stream_control + at_frame_size);
    return bytes * 10000000 / get_long(stream_control + at_interval);
}

void picture_begin(int64_t now) {
    picture.begin = now + options.late;
    picture.interval = (int64_t)get_long(stream_control + at_interval) * (100 + options.slower);
    picture.number = picture.is_sending = picture.toggle = 0;
    picture.begun++;
}

uint64_t picture_count(void) { return picture.finished; }

// Squares before the camera, a light on them, and a working shutter. The first eight bytes are the frame's number here, too: no
// two are the same, as with a sensor's noise.
static void draw_scene(uint32_t width, uint32_t height) {
    for (uint32_t row = 0; row < height; row++)
        for (uint32_t column = 0; column < width; column++) {
            int luma = ((row ^ column) & 32 ? 180 : 60) + scene_brightness() - 128;
            luma = luma < 16 || scene_is_covered() ? 16 : luma > 235 ? 235 : luma;
            uint8_t *pixel = picture.bytes + ((size_t)row * width + column) * 2;
            pixel[0] = (uint8_t)luma;
            pixel[1] = 128;
        }
}

// Bars that move four lines per frame; the first eight bytes are its number.
static void draw_bars(void) {
    uint32_t width, height;
    picture_size(format_yuyv, stream_control[at_frame], &width, &height);
    picture.count = (size_t)width * height * 2;
    if (options.scene) draw_scene(width, height);
    else for (uint32_t line = 0; line < height; line++)
        memset(picture.bytes + (size_t)line * width * 2, (int)((line + picture.number * 4) & 0xff), width * 2);
    memcpy(picture.bytes, &picture.number, sizeof picture.number);
    if (picture.lie == lie_truncated) picture.count /= 2;
}

static void draw(void) {
    picture.lie = lie_of(picture.number);
    // Not before: data between two frames still has the identifier of the one that ended (UVC 1.1, 2.4.3.3). With a new one,
    // uvcvideo would use the time of the gap's begin for the next frame.
    if (picture.lie != lie_same_id) picture.toggle ^= 1;
    if (stream_control[at_format] == format_mjpeg)
        picture.count = mjpeg_draw(picture.number, picture.lie, picture.bytes, sizeof picture.bytes);
    else if (stream_control[at_format] == format_stream)
        picture.count = stream_draw(picture.number, picture.lie, picture.bytes, sizeof picture.bytes);
    else draw_bars();
    if (picture.lie == lie_empty) picture.count = 0;
    picture.sent = 0;
    picture.is_sending = 1;
}

static int is_silent(void) {
    static int has_stalled;
    if (options.stall_at > 0 && picture.number >= (uint64_t)options.stall_at) has_stalled |= picture.begun == 1;
    return has_stalled && (picture.begun == 1 || options.stays_silent);
}

static void note(void) {
    static FILE *log;
    if (!options.log) return;
    if (!log && !(log = fopen(options.log, "w"))) return;
    fprintf(log, "%" PRIu64 " %s\n", picture.number, lie_name(picture.lie));
    fflush(log);
}

static int64_t due(void) { return picture.begin + (int64_t)picture.number * picture.interval; }

// The presentation time and the device's clock, both in its own ticks, and the bus's frame number.
static void write_clocks(uint8_t *header, int64_t at) {
    put_long(header + 2, (uint32_t)((uint64_t)due() / 1000 * (clock_hertz / 1000000)));
    put_long(header + 6, (uint32_t)((uint64_t)at / 1000 * (clock_hertz / 1000000)));
    uint16_t bus_frame = (uint16_t)((uint64_t)at / 1000000 & 2047);
    header[10] = (uint8_t)bus_frame;
    header[11] = (uint8_t)(bus_frame >> 8);
}

// A host that was away for long finds the camera at the present, not at the frames that nobody took.
static void finish(int64_t at) {
    note();
    picture.is_sending = 0;
    picture.number++;
    picture.finished++;
    if (at - due() > 4 * picture.interval) picture.number = (uint64_t)((at - picture.begin) / picture.interval) + 1;
}

size_t picture_packet(uint8_t *place, size_t room, int64_t at) {
    if (!picture.is_sending && at >= due() && !is_silent()) draw();
    // Nothing before the first frame: there is none that it could belong to.
    if (!picture.is_sending && picture.number == 0) return 0;
    if (!picture.is_sending || room <= picture_header_bytes) {
        place[0] = 2;
        place[1] = header_plain | picture.toggle;
        return 2;
    }
    place[0] = picture_header_bytes;
    place[1] = header_with_clocks | picture.toggle;
    if (picture.lie == lie_flagged) place[1] |= header_error;
    write_clocks(place, at);
    size_t left = picture.count - picture.sent, count = room - picture_header_bytes < left ? room - picture_header_bytes : left;
    memcpy(place + picture_header_bytes, picture.bytes + picture.sent, count);
    picture.sent += count;
    if (picture.sent == picture.count) {
        place[1] |= header_end_of_frame;
        finish(at);
    }
    return picture_header_bytes + count;
}
