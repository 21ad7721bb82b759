#define _GNU_SOURCE
#include "cs_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "cs_result.h"

int cs_open(const char *path, int flags, uint32_t mode) {
    return CS_RETRY(int, open(path, flags | O_CLOEXEC, (mode_t)mode));
}

int cs_openat(int directory, const char *path, int flags, uint32_t mode) {
    return CS_RETRY(int, openat(directory, path, flags | O_CLOEXEC, (mode_t)mode));
}

int cs_close(int fd) { return close(fd) < 0 ? -errno : 0; }

int64_t cs_read(int fd, void *bytes, size_t count) { return CS_RETRY(int64_t, read(fd, bytes, count)); }

int64_t cs_pread(int fd, void *bytes, size_t count, int64_t offset) {
    return CS_RETRY(int64_t, pread(fd, bytes, count, offset));
}

int64_t cs_write(int fd, const void *bytes, size_t count) { return CS_RETRY(int64_t, write(fd, bytes, count)); }

int64_t cs_pwrite(int fd, const void *bytes, size_t count, int64_t offset) {
    return CS_RETRY(int64_t, pwrite(fd, bytes, count, offset));
}

int64_t cs_lseek(int fd, int64_t offset, int whence) { return CS_RETRY(int64_t, lseek(fd, offset, whence)); }

int cs_fsync(int fd) { return CS_RETRY(int, fsync(fd)); }

int cs_fdatasync(int fd) { return CS_RETRY(int, fdatasync(fd)); }

int cs_ftruncate(int fd, int64_t size) { return CS_RETRY(int, ftruncate(fd, size)); }

int cs_insert_range(int fd, int64_t offset, int64_t length) {
    return CS_RETRY(int, fallocate(fd, FALLOC_FL_INSERT_RANGE, offset, length));
}

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

static int flattened(int result, const struct stat *from, struct cs_file_status *out) {
    if (result < 0) return result;
    *out = (struct cs_file_status){
        .device = from->st_dev,
        .inode = from->st_ino,
        .raw_device = from->st_rdev,
        .links = from->st_nlink,
        .mode = from->st_mode,
        .uid = from->st_uid,
        .gid = from->st_gid,
        .size = from->st_size,
        .blocks = from->st_blocks,
        .mtime_ns = nanoseconds(from->st_mtim),
        .ctime_ns = nanoseconds(from->st_ctim),
    };
    return 0;
}

int cs_stat(const char *path, struct cs_file_status *out) {
    struct stat status;
    return flattened(CS_RETRY(int, stat(path, &status)), &status, out);
}

int cs_lstat(const char *path, struct cs_file_status *out) {
    struct stat status;
    return flattened(CS_RETRY(int, lstat(path, &status)), &status, out);
}

int cs_fstat(int fd, struct cs_file_status *out) {
    struct stat status;
    return flattened(CS_RETRY(int, fstat(fd, &status)), &status, out);
}

void cs_device_numbers(uint64_t device, uint32_t *out_major, uint32_t *out_minor) {
    *out_major = major(device);
    *out_minor = minor(device);
}

int cs_chmod(const char *path, uint32_t mode) { return CS_RETRY(int, chmod(path, (mode_t)mode)); }

int cs_fchmod(int fd, uint32_t mode) { return CS_RETRY(int, fchmod(fd, (mode_t)mode)); }

int cs_access(const char *path, int mode) { return CS_RETRY(int, faccessat(AT_FDCWD, path, mode, AT_EACCESS)); }

int64_t cs_free_bytes(const char *path) {
    struct statvfs status;
    int64_t result = CS_RETRY(int64_t, statvfs(path, &status));
    if (result < 0) return result;
    // A file system in user space may claim anything.
    int64_t bytes;
    return __builtin_mul_overflow(status.f_bavail, status.f_frsize, &bytes) ? INT64_MAX : bytes;
}

int cs_mkdir(const char *path, uint32_t mode) { return CS_RETRY(int, mkdir(path, (mode_t)mode)); }

int cs_rmdir(const char *path) { return CS_RETRY(int, rmdir(path)); }

int cs_unlink(const char *path) { return CS_RETRY(int, unlink(path)); }

int cs_link(const char *from, const char *to) { return CS_RETRY(int, link(from, to)); }

int cs_rename(const char *from, const char *to) { return CS_RETRY(int, rename(from, to)); }

int cs_rename_noreplace(const char *from, const char *to) {
    return CS_RETRY(int, renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE));
}

int64_t cs_readlink(const char *path, char *out, size_t capacity) {
    int64_t length = CS_RETRY(int64_t, readlink(path, out, capacity));
    if (length < 0) return length;
    // readlink cuts silently: a full buffer may be a cut one.
    if ((size_t)length >= capacity) return -ENAMETOOLONG;
    out[length] = 0;
    return length;
}

int64_t cs_getxattr(const char *path, const char *name, void *out, size_t capacity) {
    return CS_RETRY(int64_t, getxattr(path, name, out, capacity));
}

int64_t cs_realpath(const char *path, char *out, size_t capacity) {
    char resolved[PATH_MAX];
    if (realpath(path, resolved) == NULL) return -errno;
    size_t length = strlen(resolved);
    if (length >= capacity) return -ENAMETOOLONG;
    memcpy(out, resolved, length + 1);
    return (int64_t)length;
}
