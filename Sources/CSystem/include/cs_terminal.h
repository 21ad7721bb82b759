#pragma once

#include <stdint.h>

// Why shims: struct termios and TIOCGWINSZ are macros and unions that differ by libc. The mode is opaque to Swift.

struct cs_terminal_mode {
    uint8_t bytes[64];
};

// 1 or 0.
int cs_isatty(int fd);
int cs_terminal_read_mode(int fd, struct cs_terminal_mode *out);
// tcsetattr; `flush` drops input that was typed and not yet read (TCSAFLUSH).
int cs_terminal_set_mode(int fd, const struct cs_terminal_mode *mode, int flush);
// The same at once, without waiting for output that a stopped terminal may hold for ever (TCSANOW).
int cs_terminal_set_mode_now(int fd, const struct cs_terminal_mode *mode);
// Drops input that was typed and not yet read: tcflush(TCIFLUSH).
int cs_terminal_flush_input(int fd);
// Changes the record alone: single keys at once, echoed or not, with or without Ctrl-C as a signal.
void cs_terminal_make_noncanonical(struct cs_terminal_mode *mode, int echo, int signals);

// 0 for what the terminal does not say.
struct cs_terminal_size {
    uint16_t rows;
    uint16_t columns;
    uint16_t width;  // of all columns, pixels
    uint16_t height;
};

int cs_terminal_size(int fd, struct cs_terminal_size *out);
// 1 if this process is in the terminal's foreground group: another would be stopped for writing its mode.
int cs_terminal_is_foreground(int fd);
