#if !__has_include(<libv4lconvert.h>)
#error "libv4lconvert's header is missing. On Debian: apt-get install libv4l-dev"
#endif
#include "cm_v4lconvert.h"
#include "cm_format.h"
#include <errno.h>
#include <libv4lconvert.h>

struct v4lconvert_data *cm_convert_create(int32_t descriptor) { return v4lconvert_create(descriptor); }

void cm_convert_destroy(struct v4lconvert_data *data) { v4lconvert_destroy(data); }

int32_t cm_convert_supports(uint32_t pixelformat) { return v4lconvert_supported_dst_format(pixelformat); }

int32_t cm_convert_try(
    struct v4lconvert_data *data, struct cm_v4l2_format *destination, struct cm_v4l2_format *source) {
    struct v4l2_format raw_destination, raw_source;
    cm_format_pack(destination, &raw_destination);
    errno = 0;
    if (v4lconvert_try_format(data, &raw_destination, &raw_source) < 0) return errno ? -errno : -EINVAL;
    int32_t result = cm_format_unpack(&raw_source, source);
    return result < 0 ? result : cm_format_unpack(&raw_destination, destination);
}

int32_t cm_convert_needed(
    struct v4lconvert_data *data, const struct cm_v4l2_format *source, const struct cm_v4l2_format *destination) {
    struct v4l2_format raw_source, raw_destination;
    cm_format_pack(source, &raw_source);
    cm_format_pack(destination, &raw_destination);
    return v4lconvert_needs_conversion(data, &raw_source, &raw_destination);
}

int64_t cm_convert(
    struct v4lconvert_data *data, const struct cm_v4l2_format *source, const struct cm_v4l2_format *destination,
    void *input, int64_t bytes, void *output, int64_t capacity) {
    struct v4l2_format raw_source, raw_destination;
    cm_format_pack(source, &raw_source);
    cm_format_pack(destination, &raw_destination);
    errno = 0;
    int result = v4lconvert_convert(data, &raw_source, &raw_destination, input, (int)bytes, output, (int)capacity);
    return result < 0 ? (errno ? -errno : -EINVAL) : result;
}

const char *cm_convert_error(struct v4lconvert_data *data) { return v4lconvert_get_error_message(data); }
