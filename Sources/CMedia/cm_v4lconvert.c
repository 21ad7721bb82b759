#if !__has_include(<libv4lconvert.h>)
#include "../Packages/missing.h"
#endif
#include "cm_v4lconvert.h"
#include "cm_fault.h"
#include "cm_format.h"
#include <errno.h>
#include <libv4l-plugin.h>
#include <libv4lconvert.h>
#include <stddef.h>

// Answers for a device with a single format that libv4lconvert does not know. So the library reads no node and adds no settings,
// which it would keep in shared memory for all programs.
static int answer(void *unused, int descriptor, unsigned long request, void *argument) {
    (void)unused, (void)descriptor;
    struct v4l2_fmtdesc *format = argument;
    if (request == VIDIOC_ENUM_FMT && format->index == 0) {
        format->pixelformat = 0;
        return 0;
    }
    errno = EINVAL;
    return -1;
}

static void *begin(int descriptor) {
    (void)descriptor;
    return NULL;
}

static void end(void *unused) { (void)unused; }

struct v4lconvert_data *cm_convert_create(void) {
    static const struct libv4l_dev_ops nothing = {.init = begin, .close = end, .ioctl = answer};
    return CM_POINTER(v4lconvert_create_with_dev_ops, -1, NULL, &nothing);
}

void cm_convert_destroy(struct v4lconvert_data *data) { v4lconvert_destroy(data); }

int64_t cm_convert(
    struct v4lconvert_data *data, const struct cm_v4l2_format *source, const struct cm_v4l2_format *destination,
    void *input, int64_t bytes, void *output, int64_t capacity) {
    struct v4l2_format raw_source, raw_destination;
    cm_format_pack(source, &raw_source);
    cm_format_pack(destination, &raw_destination);
    errno = 0;
    int result = CM_ERRNO(
        v4lconvert_convert, data, &raw_source, &raw_destination, input, (int)bytes, output, (int)capacity);
    return result < 0 ? (errno ? -errno : -EINVAL) : result;
}

const char *cm_convert_error(struct v4lconvert_data *data) { return v4lconvert_get_error_message(data); }
