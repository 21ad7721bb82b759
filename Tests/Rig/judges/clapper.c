// clapper CAMERA-NODE PCM-STATUS EVERY-FRAMES: has a vivid camera flash whenever the sound that plays has come to a click of
// click-track, until the sound ends: a clapperboard. PCM-STATUS is the player's file below /proc/asound; it tells how
// far the sound card is: to a tick of its clock, a millisecond, where EVERY-FRAMES are whole periods of the player's.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static void pause_for(long microseconds) {
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

// Frames played, or -1 where nothing plays.
static long played(const char *path) {
    char text[1024];
    int file = open(path, O_RDONLY);
    if (file < 0) return -1;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = 0;
    char *pointer = strstr(text, "hw_ptr");
    return strstr(text, "RUNNING") && pointer ? atol(strchr(pointer, ':') + 1) : -1;
}

static void set_brightness(int camera, int value) {
    struct v4l2_control control = {.id = V4L2_CID_BRIGHTNESS, .value = value};
    if (ioctl(camera, VIDIOC_S_CTRL, &control) < 0) perror("VIDIOC_S_CTRL");
}

// Waits until the sound has come to a frame. False where it ended before.
static int reaches(const char *path, long frame) {
    for (;;) {
        long now = played(path);
        if (now < 0) return 0;
        if (now >= frame) return 1;
        long left = (frame - now) * 1000000 / 48000;
        pause_for(left > 20000 ? left - 10000 : 300);
    }
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: clapper CAMERA-NODE PCM-STATUS EVERY-FRAMES\n");
        return 2;
    }
    int camera = open(arguments[1], O_RDWR);
    if (camera < 0) {
        perror(arguments[1]);
        return 1;
    }
    long every = atol(arguments[3]);
    for (long click = every; reaches(arguments[2], click); click += every) {
        set_brightness(camera, 255);
        pause_for(200000);
        set_brightness(camera, 0);
    }
    return 0;
}
