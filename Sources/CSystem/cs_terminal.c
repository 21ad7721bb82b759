#define _GNU_SOURCE
#include "cs_terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cs_result.h"

_Static_assert(sizeof(struct termios) <= sizeof(struct cs_terminal_mode), "a terminal's mode must fit its record");

int cs_isatty(int fd) { return isatty(fd); }

int cs_terminal_read_mode(int fd, struct cs_terminal_mode *out) {
    struct termios mode;
    int result = CS_RETRY(int, tcgetattr(fd, &mode));
    if (result < 0) return result;
    memset(out, 0, sizeof *out);
    memcpy(out, &mode, sizeof mode);
    return 0;
}

int cs_terminal_set_mode(int fd, const struct cs_terminal_mode *mode, int flush) {
    struct termios raw;
    memcpy(&raw, mode, sizeof raw);
    return CS_RETRY(int, tcsetattr(fd, flush ? TCSAFLUSH : TCSADRAIN, &raw));
}

int cs_terminal_set_mode_now(int fd, const struct cs_terminal_mode *mode) {
    struct termios raw;
    memcpy(&raw, mode, sizeof raw);
    return CS_RETRY(int, tcsetattr(fd, TCSANOW, &raw));
}

int cs_terminal_flush_input(int fd) { return CS_RETRY(int, tcflush(fd, TCIFLUSH)); }

void cs_terminal_make_noncanonical(struct cs_terminal_mode *mode, int echo, int signals) {
    struct termios raw;
    memcpy(&raw, mode, sizeof raw);
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
    raw.c_lflag |= (echo ? ECHO : 0u) | (signals ? ISIG : 0u);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    memcpy(mode, &raw, sizeof raw);
}

int cs_terminal_size(int fd, struct cs_terminal_size *out) {
    struct winsize size;
    int result = CS_RETRY(int, ioctl(fd, TIOCGWINSZ, &size));
    if (result < 0) return result;
    *out = (struct cs_terminal_size){
        .rows = size.ws_row, .columns = size.ws_col, .width = size.ws_xpixel, .height = size.ws_ypixel};
    return 0;
}

int cs_terminal_is_foreground(int fd) {
    pid_t group = tcgetpgrp(fd);
    return group < 0 ? -errno : group == getpgrp();
}
