#define _GNU_SOURCE
#include "cs_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include "cs_result.h"

int cs_flock(int fd, int operation) { return CS_RETRY(int, flock(fd, operation)); }

int cs_ofd_lock(int fd, int exclusive, int wait, int64_t start, int64_t length) {
    struct flock lock = {
        .l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    return CS_RETRY(int, fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock));
}

int cs_ofd_unlock(int fd, int64_t start, int64_t length) {
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    return CS_RETRY(int, fcntl(fd, F_OFD_SETLK, &lock));
}
