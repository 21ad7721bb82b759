// A file read whole, for the judges.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
    uint8_t *bytes;
    size_t count;
};

static inline void refuse(const char *sentence, const char *detail) {
    fprintf(stderr, "%s: %s\n", detail, sentence);
    exit(1);
}

static inline struct file file_read(const char *path) {
    FILE *stream = fopen(path, "rb");
    if (!stream) refuse("cannot be opened", path);
    struct file file = {NULL, 0};
    size_t room = 0, got;
    do {
        if (file.count == room) file.bytes = realloc(file.bytes, room = room * 2 + (1 << 20));
        if (!file.bytes) refuse("does not fit into memory", path);
        got = fread(file.bytes + file.count, 1, room - file.count, stream);
        file.count += got;
    } while (got > 0);
    fclose(stream);
    return file;
}
