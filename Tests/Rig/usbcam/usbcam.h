// An emulated USB webcam: one UVC camera (YUYV, MJPEG, and H.264 or H.265 from a file) and one UAC1 microphone in a composite high-speed device. It is
// plugged into the kernel's own virtual host controller (vhci_hcd), so that the real uvcvideo, snd-usb-audio and
// udev deal with it. USB Video Class 1.1, USB Audio Class 1.0, USB/IP (Documentation/usb/usbip_protocol.rst).
#pragma once
#include <stddef.h>
#include <stdint.h>

// The device's interfaces and endpoints, in the order of the configuration descriptor.
enum { interface_camera, interface_picture, interface_sound_card, interface_sound };
enum { endpoint_control, endpoint_picture, endpoint_sound, endpoint_count };
enum { entity_camera_terminal = 1, entity_processing = 2, entity_gain = 5 };
enum { picture_packet_bytes = 3072, picture_header_bytes = 12, sound_packet_bytes = 192 };
enum { format_yuyv = 1, format_mjpeg, format_stream };
enum { clock_hertz = 48000000, sound_hertz = 48000 };

struct options {
    int port;
    double unplug_after; // seconds; 0: never
    const char *serial;  // empty: the device has none
    const char *product;
    const char *pictures; // a folder with 1.jpg, 2.jpg … of 320×240: what the camera sees in MJPEG
    const char *stream;   // a file of H.264 or H.265, 320×240, with access unit delimiters; without one there is no such format
    int is_hevc;          // it is H.265
    int64_t stream_from;  // the picture of it that comes first
    int scene;            // YUYV is of a chart that stands still, by the light and the shutter that the controls say
    const char *hears;    // a pipe of S16_LE, stereo, 48 kHz: what the microphone hears; silence while nothing is in it
    const char *log;      // a file that gets a line a picture: its number, and the lie told with it
    int without_tables;   // no picture has its Huffman tables
    int64_t stall_at;     // after that many pictures nothing comes until the stream begins again; 0: never
    int stays_silent;     // not then either
    uint32_t largest;     // bytes that it says an MJPEG picture may have; 0: what is true
    int64_t late;         // nanoseconds from each beginning of the stream to its first picture
    int slower;           // hundredths by which its pictures take longer than it says
    int forgets;          // what is set is taken, and then not so
    int gainless;         // the microphone's gain and switch change nothing
    int64_t bandwidth;    // bytes of pictures a second for which the bus has room; 0: for all
};
extern struct options options;

int64_t monotonic(void);

// -- descriptors.c

// Copies the descriptor that GET_DESCRIPTOR names, and returns its length; -1 if none exists.
int descriptor_copy(uint8_t type, uint8_t index, uint8_t *place);
void picture_size(int format, int frame_index, uint32_t *width, uint32_t *height);

// -- control.c

// Answers a control transfer: the length of the answer in `data`, -1 to stall, or another negative errno that the host's
// driver gets. On an OUT transfer `data` holds what the host sent.
int control(const uint8_t setup[8], uint8_t *data);

// -- settings.c

// Answers a request to a control of the camera or the microphone: the length of the answer, or -1 to stall. Set values can be read
// back; the microphone's affect its audio, and the camera's only a scene.
int setting(uint8_t entity, uint8_t selector, uint8_t request, uint8_t *data);
// Light on a scene, normally 128, and whether the shutter is closed.
int scene_brightness(void);
int scene_is_covered(void);
// Factor by which the microphone's gain and switch change its audio.
double sound_gain(void);

// -- video.c

// The 34 bytes of the UVC probe and commit controls (4.3.1.1).
extern uint8_t stream_control[34];
void stream_control_settle(void);
int64_t stream_bytes_a_second(void);
void picture_begin(int64_t now);
// One packet's worth of the stream at the time; its length.
size_t picture_packet(uint8_t *place, size_t room, int64_t at);
uint64_t picture_count(void);

// -- lies.c

// Fault of a frame.
enum lie {
    lie_none, lie_no_end, lie_junk, lie_truncated, lie_broken, lie_flagged, lie_empty, lie_same_id, lie_flipped, lie_count
};
// NAME:EVERY:FIRST: the frames with the lie: FIRST, FIRST + EVERY … 0, or -1 for an invalid text.
int lie_learn(const char *words);
enum lie lie_of(uint64_t number);
const char *lie_name(enum lie lie);

// -- mjpeg.c

// Reads the images; returns their number, or -1.
int mjpeg_load(const char *folder);
// The image of that number, with its lie; returns its length.
size_t mjpeg_draw(uint64_t number, enum lie lie, uint8_t *place, size_t room);

// -- stream.c

// Reads the stream; returns its number of frames, or -1.
int stream_load(const char *path);
// The frame of that number, with its lie; returns its length.
size_t stream_draw(uint64_t number, enum lie lie, uint8_t *place, size_t room);

// -- audio.c

void sound_begin(void); // before the packets of each transfer
size_t sound_packet(uint8_t *place);

// -- wire.c

struct packet {
    uint32_t offset, length, actual;
};

enum { longest_transfer = 1 << 19, most_packets = 1023 };

struct transfer {
    struct transfer *next;
    uint32_t sequence, endpoint, packet_count;
    int64_t begin, due;
    struct packet *packets;
};

// A message from the host controller: the 48 bytes of a USB/IP header, in this machine's byte order.
struct message {
    uint32_t command, sequence, device, is_in, endpoint;
    uint32_t flags_or_unlinked, length, start_frame, packet_count, interval;
    uint8_t setup[8];
};
enum { message_submit = 1, message_unlink = 2 };

int wire_plug(int port); // the socket to the host controller, or -1
int wire_read(int wire, struct message *message);
int wire_read_bytes(int wire, void *place, size_t count);
int wire_has_more(void); // has been read from the socket, and not by the above
int wire_read_packets(int wire, struct transfer *transfer); // of which the count is known
void wire_answer_control(int wire, uint32_t sequence, int status, const uint8_t *data, size_t count, uint32_t actual);
void wire_answer_packets(int wire, const struct transfer *transfer, const uint8_t *data, size_t count);
void wire_answer_unlink(int wire, uint32_t sequence, int status);
