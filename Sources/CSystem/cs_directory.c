#include "cs_directory.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>

int cs_directory_open(const char *path, void **directory) {
    DIR *opened;
    do {
        opened = opendir(path);
    } while (opened == NULL && errno == EINTR);
    if (opened == NULL) return -errno;
    *directory = opened;
    return 0;
}

int cs_directory_next(void *directory, const char **name) {
    errno = 0;
    struct dirent *entry = readdir(directory);
    if (entry == NULL) return -errno;
    *name = entry->d_name;
    return 1;
}

int cs_directory_close(void *directory) { return closedir(directory) < 0 ? -errno : 0; }
