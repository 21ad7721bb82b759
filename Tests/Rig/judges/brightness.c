// Changes a camera's brightness in time, which a program started for each step would not be.
//
//   brightness NODE FROM TO STEP MS       one step each so many milliseconds; prints when the last was made,
//                                         CLOCK_MONOTONIC in nanoseconds
//   brightness NODE flicker LOW HIGH MS   low and high by turns, until it is killed
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

static int64_t monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void wait_until(int64_t due) {
    struct timespec time = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) continue;
}

static void set(int camera, int value) {
    struct v4l2_control control = {.id = V4L2_CID_BRIGHTNESS, .value = value};
    if (ioctl(camera, VIDIOC_S_CTRL, &control) == 0) return;
    perror("VIDIOC_S_CTRL");
    exit(1);
}

static int brighten(int camera, int from, int to, int step, int64_t pause) {
    set(camera, from);
    for (int64_t due = monotonic() + pause; from < to; due += pause) {
        wait_until(due);
        from = to - from < step ? to : from + step;
        set(camera, from);
    }
    return printf("%" PRId64 "\n", monotonic()) < 0;
}

static void flicker(int camera, int value, int next, int64_t pause) {
    for (int64_t due = monotonic();; due += pause) {
        wait_until(due);
        set(camera, value);
        int other = value;
        value = next;
        next = other;
    }
}

int main(int count, char **arguments) {
    if (count != 6) {
        fputs("usage: brightness NODE FROM TO STEP MS | brightness NODE flicker LOW HIGH MS\n", stderr);
        return 64;
    }
    int camera = open(arguments[1], O_RDWR);
    if (camera < 0) {
        perror(arguments[1]);
        return 1;
    }
    int first = atoi(arguments[3]), second = atoi(arguments[4]);
    int64_t pause = atoi(arguments[5]) * INT64_C(1000000);
    if (strcmp(arguments[2], "flicker") == 0) flicker(camera, first, second, pause);
    return brighten(camera, atoi(arguments[2]), first, second, pause);
}
