#include "cm_format.h"
#include <errno.h>
#include <string.h>

static void pack_single(const struct cm_v4l2_format *format, struct v4l2_pix_format *pix) {
    pix->width = format->width;
    pix->height = format->height;
    pix->pixelformat = format->pixelformat;
    pix->field = format->field;
    pix->bytesperline = format->bytesperline[0];
    pix->sizeimage = format->sizeimage[0];
    pix->colorspace = format->colorspace;
    // Without the magic number a driver ignores what follows `colorspace`.
    pix->priv = V4L2_PIX_FMT_PRIV_MAGIC;
    pix->xfer_func = format->xfer_func;
    pix->ycbcr_enc = format->ycbcr_enc;
    pix->quantization = format->quantization;
}

static void pack_planes(const struct cm_v4l2_format *format, struct v4l2_pix_format_mplane *pix) {
    pix->width = format->width;
    pix->height = format->height;
    pix->pixelformat = format->pixelformat;
    pix->field = format->field;
    pix->colorspace = format->colorspace;
    pix->num_planes = (uint8_t)format->planes;
    pix->xfer_func = (uint8_t)format->xfer_func;
    pix->ycbcr_enc = (uint8_t)format->ycbcr_enc;
    pix->quantization = (uint8_t)format->quantization;
    for (uint32_t plane = 0; plane < format->planes && plane < CM_V4L2_PLANES; plane++) {
        pix->plane_fmt[plane].bytesperline = format->bytesperline[plane];
        pix->plane_fmt[plane].sizeimage = format->sizeimage[plane];
    }
}

void cm_format_pack(const struct cm_v4l2_format *format, struct v4l2_format *raw) {
    memset(raw, 0, sizeof(*raw));
    raw->type = format->buffer_type;
    if (format->buffer_type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE)
        pack_planes(format, &raw->fmt.pix_mp);
    else
        pack_single(format, &raw->fmt.pix);
}

static void unpack_single(const struct v4l2_pix_format *pix, struct cm_v4l2_format *format) {
    format->width = pix->width;
    format->height = pix->height;
    format->pixelformat = pix->pixelformat;
    format->field = pix->field;
    format->planes = 1;
    format->bytesperline[0] = pix->bytesperline;
    format->sizeimage[0] = pix->sizeimage;
    format->colorspace = pix->colorspace;
    int extended = pix->priv == V4L2_PIX_FMT_PRIV_MAGIC;
    format->xfer_func = extended ? pix->xfer_func : 0;
    format->ycbcr_enc = extended ? pix->ycbcr_enc : 0;
    format->quantization = extended ? pix->quantization : 0;
}

static int32_t unpack_planes(const struct v4l2_pix_format_mplane *pix, struct cm_v4l2_format *format) {
    if (pix->num_planes > CM_V4L2_PLANES) return -ENOTSUP;
    format->width = pix->width;
    format->height = pix->height;
    format->pixelformat = pix->pixelformat;
    format->field = pix->field;
    format->planes = pix->num_planes;
    format->colorspace = pix->colorspace;
    format->xfer_func = pix->xfer_func;
    format->ycbcr_enc = pix->ycbcr_enc;
    format->quantization = pix->quantization;
    for (uint32_t plane = 0; plane < pix->num_planes; plane++) {
        format->bytesperline[plane] = pix->plane_fmt[plane].bytesperline;
        format->sizeimage[plane] = pix->plane_fmt[plane].sizeimage;
    }
    return 0;
}

int32_t cm_format_unpack(const struct v4l2_format *raw, struct cm_v4l2_format *format) {
    memset(format, 0, sizeof(*format));
    format->buffer_type = raw->type;
    if (raw->type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE) return unpack_planes(&raw->fmt.pix_mp, format);
    unpack_single(&raw->fmt.pix, format);
    return 0;
}
