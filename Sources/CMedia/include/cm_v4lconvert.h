// Conversion between picture formats: libv4lconvert, on the reader's side.
#pragma once

#include "cm_v4l2_formats.h"
#include <stdint.h>

#pragma clang assume_nonnull begin

struct v4lconvert_data;

// `descriptor` is that of the video node; the conversion does not own it. NULL without memory.
struct v4lconvert_data *_Nullable cm_convert_create(int32_t descriptor);
void cm_convert_destroy(struct v4lconvert_data *data);
// 1 for a format it can convert to.
int32_t cm_convert_supports(uint32_t pixelformat);
// Changes `destination` to what is possible, and says in `source` which format the node would have to be set to.
int32_t cm_convert_try(
    struct v4lconvert_data *data, struct cm_v4l2_format *destination, struct cm_v4l2_format *source);
// 1 when the two formats differ so that converting is necessary.
int32_t cm_convert_needed(
    struct v4lconvert_data *data, const struct cm_v4l2_format *source, const struct cm_v4l2_format *destination);
// Bytes written. It may change the source's bytes.
int64_t cm_convert(
    struct v4lconvert_data *data, const struct cm_v4l2_format *source, const struct cm_v4l2_format *destination,
    void *input, int64_t bytes, void *output, int64_t capacity);
const char *cm_convert_error(struct v4lconvert_data *data);

#pragma clang assume_nonnull end
