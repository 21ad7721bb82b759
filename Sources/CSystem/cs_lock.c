#define _GNU_SOURCE
#include "cs_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include "cs_result.h"

int cs_flock(int fd, int operation) { return CS_RETRY(int, flock(fd, operation)); }

int cs_ofd_lock(int fd, int exclusive, int wait) {
    struct flock lock = {.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
    return CS_RETRY(int, fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock));
}

int cs_ofd_unlock(int fd) {
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    return CS_RETRY(int, fcntl(fd, F_OFD_SETLK, &lock));
}
