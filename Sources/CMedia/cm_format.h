// Between the flat format of the shims and struct v4l2_format with its unions.
#pragma once

#include "cm_v4l2_formats.h"
#include <stdint.h>

void cm_format_pack(const struct cm_v4l2_format *format, struct v4l2_format *raw);
// -ENOTSUP for more planes than the flat format holds.
int32_t cm_format_unpack(const struct v4l2_format *raw, struct cm_v4l2_format *format);
