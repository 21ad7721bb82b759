#pragma once

#include <dirent.h>
#include <stdint.h>

// Why shims: readdir tells its end from its failure by errno alone, and struct dirent's name is an array of 256 chars
// that Swift sees as a tuple in an opaque-sized record.

struct cs_directory_entry {
    uint64_t inode;
    uint8_t kind;  // DT_REG, DT_DIR, DT_LNK…; DT_UNKNOWN where the file system does not say
    char name[256];
};

int cs_directory_open(const char *path, void **directory);
// 1 with an entry ("." and ".." too), 0 at the end.
int cs_directory_next(void *directory, struct cs_directory_entry *out);
int cs_directory_close(void *directory);
