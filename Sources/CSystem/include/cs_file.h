#pragma once

#include <fcntl.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

// Why shims: open is variadic, renameat2 and faccessat need _GNU_SOURCE, struct stat's times are macros, and every
// call's errno must come back as a result.

enum {
    CS_MODE_KIND = S_IFMT,
    CS_MODE_FILE = S_IFREG,
    CS_MODE_DIRECTORY = S_IFDIR,
    CS_MODE_LINK = S_IFLNK,
    CS_MODE_CHARACTER = S_IFCHR,
    CS_MODE_BLOCK = S_IFBLK,
    CS_MODE_SOCKET = S_IFSOCK,
    CS_MODE_PIPE = S_IFIFO,
};

// O_PATH, which fcntl.h has with _GNU_SOURCE alone: asm-generic/fcntl.h.
enum { CS_OPEN_PATH = 010000000 };

struct cs_file_status {
    uint64_t device;
    uint64_t inode;
    uint64_t raw_device;  // of a device node: see cs_device_numbers
    uint64_t links;
    uint32_t mode;  // kind and permission bits
    uint32_t uid;
    uint32_t gid;
    int64_t size;
    int64_t blocks;  // of 512 bytes
    int64_t mtime_ns;
    int64_t ctime_ns;
};

// O_CLOEXEC is always added.
int cs_open(const char *path, int flags, uint32_t mode);
int cs_openat(int directory, const char *path, int flags, uint32_t mode);
// Never retried: Linux has closed the descriptor even when it reports EINTR.
int cs_close(int fd);
int64_t cs_read(int fd, void *bytes, size_t count);
int64_t cs_pread(int fd, void *bytes, size_t count, int64_t offset);
int64_t cs_write(int fd, const void *bytes, size_t count);
int64_t cs_pwrite(int fd, const void *bytes, size_t count, int64_t offset);
int64_t cs_lseek(int fd, int64_t offset, int whence);
int cs_fsync(int fd);
int cs_fdatasync(int fd);
int cs_ftruncate(int fd, int64_t size);
// fallocate(2) with FALLOC_FL_INSERT_RANGE; both in whole blocks of the file system.
int cs_insert_range(int fd, int64_t offset, int64_t length);

int cs_stat(const char *path, struct cs_file_status *out);
int cs_lstat(const char *path, struct cs_file_status *out);
int cs_fstat(int fd, struct cs_file_status *out);
// The two numbers of a device (makedev(3)).
void cs_device_numbers(uint64_t device, uint32_t *out_major, uint32_t *out_minor);
int cs_chmod(const char *path, uint32_t mode);
int cs_fchmod(int fd, uint32_t mode);
// faccessat with AT_EACCESS: asks for the effective ids, as open does.
int cs_access(const char *path, int mode);
// Bytes that this user may still write to the file system of a path.
int64_t cs_free_bytes(const char *path);

int cs_mkdir(const char *path, uint32_t mode);
int cs_rmdir(const char *path);
int cs_unlink(const char *path);
int cs_link(const char *from, const char *to);
int cs_rename(const char *from, const char *to);
// renameat2 with RENAME_NOREPLACE: -EEXIST if `to` exists, -EINVAL where the file system can't do it.
int cs_rename_noreplace(const char *from, const char *to);
// Both give the length without the final NUL that they add; -ENAMETOOLONG if `capacity` is too small.
int64_t cs_readlink(const char *path, char *out, size_t capacity);
int64_t cs_realpath(const char *path, char *out, size_t capacity);

// The length of an extended attribute's value; -ENODATA where the file has none, -ENOTSUP where its file system has none.
int64_t cs_getxattr(const char *path, const char *name, void *out, size_t capacity);
