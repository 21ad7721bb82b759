#include "cs_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cs_result.h"

int cs_directory_open_fd(int fd, void **directory) {
    DIR *opened = fdopendir(fd);
    if (opened == NULL) return -errno;
    *directory = opened;
    return 0;
}

int cs_directory_open(const char *path, void **directory) {
    // opendir would do, but only open can be told to close on exec.
    int fd = CS_RETRY(int, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd < 0) return fd;
    int result = cs_directory_open_fd(fd, directory);
    if (result < 0) close(fd);
    return result;
}

int cs_directory_next(void *directory, struct cs_directory_entry *out) {
    errno = 0;
    struct dirent *entry = readdir(directory);
    if (entry == NULL) return -errno;
    out->inode = entry->d_ino;
    out->kind = entry->d_type;
    snprintf(out->name, sizeof out->name, "%s", entry->d_name);
    return 1;
}

int cs_directory_close(void *directory) { return closedir(directory) < 0 ? -errno : 0; }
