// What the shims of the video encoders have in common. Their libraries are loaded when they are first used, so that a program
// which makes no such file starts without them.
#pragma once
#include "cc_packets.h"

// Frames to come, and how they are to be coded.
typedef struct cc_video_format {
    int32_t width;
    int32_t height;
    // Frames a second.
    int32_t rate_numerator;
    int32_t rate_denominator;
    // Bits a second; 0 for the same quality throughout.
    int32_t bitrate;
    // Quantizer of that quality: 0 (large) ... 51 of H.264, ... 63 of the others.
    int32_t quantizer;
    // Frames from key frame to key frame, of a library that must know them beforehand: SVT-AV1.
    int32_t key_interval;
    // As the library counts it; see its function.
    int32_t speed;
    int32_t threads;
    // ITU-T H.273.
    int32_t primaries;
    int32_t transfer;
    int32_t matrix;
    int32_t is_full_range;
    // Shape of a pixel; 0 for both if it is not known.
    int32_t aspect_width;
    int32_t aspect_height;
} cc_video_format;

// Planes of Y, Cb and Cr in 4:2:0; `stride` is bytes from row to row. The chroma of an odd size is rounded up.
typedef struct cc_picture {
    const uint8_t *plane[3];
    int32_t stride[3];
} cc_picture;

// Times of a frame in nanoseconds, for its packet; `is_key` requests a key frame.
typedef struct cc_frame_times {
    int64_t time;
    int64_t duration;
    int32_t is_key;
} cc_frame_times;
