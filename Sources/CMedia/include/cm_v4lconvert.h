// Conversion between video formats: libv4lconvert, on the reader's side.
#pragma once

#include "cm_v4l2_formats.h"
#include <stdint.h>

#pragma clang assume_nonnull begin

struct v4lconvert_data;

// Without a device, so frames are neither rotated nor brightened. NULL without memory.
struct v4lconvert_data *_Nullable cm_convert_create(void);
void cm_convert_destroy(struct v4lconvert_data *data);
// Bytes written. It may change the source's bytes.
int64_t cm_convert(
    struct v4lconvert_data *data, const struct cm_v4l2_format *source, const struct cm_v4l2_format *destination,
    void *input, int64_t bytes, void *output, int64_t capacity);
const char *cm_convert_error(struct v4lconvert_data *data);

#pragma clang assume_nonnull end
