// clapper CAMERA-NODE PCM-STATUS EVERY-FRAMES [steady]: has a vivid camera flash whenever the sound that plays has come to
// a click of click-track, until the sound ends: a clapperboard. PCM-STATUS is the player's file below /proc/asound; it
// tells how far the sound card is: to a tick of its clock, a millisecond, where EVERY-FRAMES are whole periods of the
// player's. "steady" is for a sound card that goes by the system's clock: a click's moment is foretold from the one before.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/videodev2.h>
#include <sched.h>
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

// Frames played, or -1 if nothing plays.
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

// Waits until the sound has reached a frame. False if it ended before.
static int reaches(const char *path, long frame) {
    for (;;) {
        long now = played(path);
        if (now < 0) return 0;
        if (now >= frame) return 1;
        long left = (frame - now) * 1000000 / 48000;
        pause_for(left > 20000 ? left - 10000 : 300);
    }
}

// Waits for a click at a predicted moment, EVERY-FRAMES after the previous one. Each flash then comes at the same place between
// two frames: reading the player finds a click a tick sooner or later, and if a frame is made on that tick, the flash would be in
// it or not. Reads again if the sound differs from the prediction. False if it ended before.
static int comes(const char *path, long click, struct timespec *moment) {
    if (moment->tv_sec) {
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, moment, NULL);
        long now = played(path);
        if (now < 0) return 0;
        if (now > click - 480 && now < click + 480) return 1;
    }
    int has_come = reaches(path, click);
    clock_gettime(CLOCK_MONOTONIC, moment);
    return has_come;
}

static void foretell(struct timespec *moment, long frames) {
    long nanoseconds = moment->tv_nsec + (long)((long long)frames * 1000000000 / 48000);
    moment->tv_sec += nanoseconds / 1000000000;
    moment->tv_nsec = nanoseconds % 1000000000;
}

int main(int count, char **arguments) {
    int is_steady = count == 5 && !strcmp(arguments[4], "steady");
    if (count != 4 && !is_steady) {
        fprintf(stderr, "usage: clapper CAMERA-NODE PCM-STATUS EVERY-FRAMES [steady]\n");
        return 2;
    }
    int camera = open(arguments[1], O_RDWR);
    if (camera < 0) {
        perror(arguments[1]);
        return 1;
    }
    long every = atol(arguments[3]);
    // Before a frame that is made on the same tick, each time.
    struct sched_param first = {.sched_priority = 1};
    if (is_steady && sched_setscheduler(0, SCHED_FIFO, &first) < 0) perror("sched_setscheduler");
    struct timespec moment = {0};
    for (long click = every; comes(arguments[2], click, &moment); click += every) {
        if (is_steady) foretell(&moment, every);
        else moment = (struct timespec){0};
        set_brightness(camera, 255);
        pause_for(200000);
        set_brightness(camera, 0);
    }
    return 0;
}
