#include "cm_v4l2_inputs.h"
#include "cm_ioctl.h"
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct v4l2_dv_timings) == sizeof(((struct cm_v4l2_timings *)0)->raw), "all of the timings");

int32_t cm_v4l2_enuminput(int32_t descriptor, uint32_t index, struct cm_v4l2_input *input) {
    struct v4l2_input raw = {.index = index};
    int32_t result = cm_ioctl(descriptor, VIDIOC_ENUMINPUT, &raw);
    if (result < 0) return result;
    input->index = raw.index;
    input->type = raw.type;
    input->status = raw.status;
    input->capabilities = raw.capabilities;
    input->standards = raw.std;
    snprintf(input->name, sizeof(input->name), "%s", (const char *)raw.name);
    return 0;
}

int32_t cm_v4l2_input_status(int32_t descriptor, uint32_t index, uint32_t *status) {
    struct v4l2_input raw = {.index = index};
    int32_t result = cm_ioctl(descriptor, VIDIOC_ENUMINPUT, &raw);
    if (result >= 0) *status = raw.status;
    return result;
}

int32_t cm_v4l2_g_input(int32_t descriptor) {
    int index = 0;
    int32_t result = cm_ioctl(descriptor, VIDIOC_G_INPUT, &index);
    return result < 0 ? result : index;
}

int32_t cm_v4l2_s_input(int32_t descriptor, uint32_t index) {
    int wanted = (int)index;
    return cm_ioctl(descriptor, VIDIOC_S_INPUT, &wanted);
}

static int32_t standard_ioctl(int32_t descriptor, unsigned long request, uint64_t *standard) {
    v4l2_std_id raw = *standard;
    int32_t result = cm_ioctl(descriptor, request, &raw);
    if (result >= 0) *standard = raw;
    return result;
}

int32_t cm_v4l2_g_std(int32_t descriptor, uint64_t *standard) {
    return standard_ioctl(descriptor, VIDIOC_G_STD, standard);
}

int32_t cm_v4l2_s_std(int32_t descriptor, uint64_t standard) {
    return standard_ioctl(descriptor, VIDIOC_S_STD, &standard);
}

int32_t cm_v4l2_querystd(int32_t descriptor, uint64_t *standard) {
    return standard_ioctl(descriptor, VIDIOC_QUERYSTD, standard);
}

// The structure is packed, so Swift could not read it.
static void read_timings(const struct v4l2_dv_timings *raw, struct cm_v4l2_timings *timings) {
    memcpy(timings->raw, raw, sizeof(*raw));
    timings->width = raw->bt.width;
    timings->height = raw->bt.height;
    timings->interlaced = raw->bt.interlaced;
    timings->numerator = raw->bt.pixelclock;
    timings->denominator = (uint64_t)V4L2_DV_BT_FRAME_WIDTH(&raw->bt) * V4L2_DV_BT_FRAME_HEIGHT(&raw->bt);
}

static int32_t timings_ioctl(int32_t descriptor, unsigned long request, struct cm_v4l2_timings *timings) {
    struct v4l2_dv_timings raw;
    memset(&raw, 0, sizeof(raw));
    int32_t result = cm_ioctl(descriptor, request, &raw);
    if (result >= 0) read_timings(&raw, timings);
    return result;
}

int32_t cm_v4l2_enum_dv_timings(int32_t descriptor, uint32_t index, struct cm_v4l2_timings *timings) {
    struct v4l2_enum_dv_timings raw;
    memset(&raw, 0, sizeof(raw));
    raw.index = index;
    int32_t result = cm_ioctl(descriptor, VIDIOC_ENUM_DV_TIMINGS, &raw);
    if (result >= 0) read_timings(&raw.timings, timings);
    return result;
}

int32_t cm_v4l2_query_dv_timings(int32_t descriptor, struct cm_v4l2_timings *timings) {
    return timings_ioctl(descriptor, VIDIOC_QUERY_DV_TIMINGS, timings);
}

int32_t cm_v4l2_g_dv_timings(int32_t descriptor, struct cm_v4l2_timings *timings) {
    return timings_ioctl(descriptor, VIDIOC_G_DV_TIMINGS, timings);
}

int32_t cm_v4l2_s_dv_timings(int32_t descriptor, const struct cm_v4l2_timings *timings) {
    struct v4l2_dv_timings raw;
    memcpy(&raw, timings->raw, sizeof(raw));
    return cm_ioctl(descriptor, VIDIOC_S_DV_TIMINGS, &raw);
}

int32_t cm_v4l2_standard_lines(int32_t descriptor) {
    v4l2_std_id standard = 0;
    int32_t result = cm_ioctl(descriptor, VIDIOC_G_STD, &standard);
    if (result < 0) return result;
    return standard & V4L2_STD_525_60 ? 525 : standard & V4L2_STD_625_50 ? 625 : 0;
}

int32_t cm_v4l2_cropcap(int32_t descriptor, uint32_t buffer_type, struct cm_v4l2_cropcap *capability) {
    struct v4l2_cropcap raw = {.type = buffer_type};
    int32_t result = cm_ioctl(descriptor, VIDIOC_CROPCAP, &raw);
    if (result < 0) return result;
    *capability = (struct cm_v4l2_cropcap){
        raw.pixelaspect.numerator, raw.pixelaspect.denominator, {raw.defrect.width, raw.defrect.height}};
    return 0;
}

int32_t cm_v4l2_g_selection(int32_t descriptor, uint32_t buffer_type, uint32_t target, struct cm_v4l2_size *size) {
    struct v4l2_selection raw = {.type = buffer_type, .target = target};
    int32_t result = cm_ioctl(descriptor, VIDIOC_G_SELECTION, &raw);
    if (result < 0) return result;
    *size = (struct cm_v4l2_size){raw.r.width, raw.r.height};
    return 0;
}
