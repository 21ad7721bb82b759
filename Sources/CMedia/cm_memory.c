#define _GNU_SOURCE
#include "cm_memory.h"
#include "cm_fault.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int32_t cm_memfd(const char *name, int64_t bytes) {
    int descriptor = CM_ERRNO(memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -errno;
    if (CM_ERRNO(ftruncate, descriptor, bytes) == 0) return descriptor;
    int error = errno;
    close(descriptor);
    return -error;
}

int32_t cm_map(int32_t descriptor, int64_t offset, int64_t bytes, void **address) {
    void *result = CM_MAPPING(mmap, NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, offset);
    if (result == MAP_FAILED) return -errno;
    *address = result;
    return 0;
}

int32_t cm_map_read(int32_t descriptor, int64_t bytes, const void **address) {
    void *result = CM_MAPPING(mmap, NULL, (size_t)bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (result == MAP_FAILED) return -errno;
    *address = result;
    return 0;
}

int64_t cm_size(int32_t descriptor) {
    struct stat status;
    return CM_ERRNO(fstat, descriptor, &status) < 0 ? -errno : status.st_size;
}

_Static_assert(CM_SEALS_LENT == (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE), "the kernel's numbers");

int32_t cm_add_seals(int32_t descriptor, int32_t seals) {
    return CM_ERRNO(fcntl, descriptor, F_ADD_SEALS, seals) < 0 ? -errno : 0;
}

int32_t cm_seals(int32_t descriptor) {
    int seals = CM_ERRNO(fcntl, descriptor, F_GET_SEALS);
    return seals < 0 ? -errno : seals;
}

int32_t cm_populate(void *address, int64_t bytes) {
    return CM_ERRNO(madvise, address, (size_t)bytes, MADV_POPULATE_WRITE) < 0 ? -errno : 0;
}

int32_t cm_unmap(const void *address, int64_t bytes) {
    int32_t result = munmap((void *)address, (size_t)bytes) < 0 ? -errno : 0;
    return CM_AFTER(munmap, result);
}

// Not repeated after EINTR: Linux has closed the descriptor by then.
int32_t cm_close(int32_t descriptor) {
    int32_t result = close(descriptor) < 0 ? -errno : 0;
    return CM_AFTER(close, result);
}
