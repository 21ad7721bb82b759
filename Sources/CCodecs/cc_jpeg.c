#if !__has_include(<turbojpeg.h>)
#include "../Packages/missing.h"
#endif
#include "cc_jpeg.h"

#include <errno.h>
#include <turbojpeg.h>

_Static_assert((int)CC_JPEG_422 == TJSAMP_422 && (int)CC_JPEG_420 == TJSAMP_420, "subsampling");
_Static_assert((int)CC_JPEG_444 == TJSAMP_444, "subsampling");
_Static_assert((int)CC_JPEG_GREY == TJSAMP_GRAY, "subsampling");

// Error of a call that returned -1.
static int problem(cc_jpeg *jpeg) {
    return tjGetErrorCode((tjhandle)jpeg) == TJERR_WARNING ? -EBADMSG : -EINVAL;
}

cc_jpeg *cc_jpeg_decoder(void) {
    return (cc_jpeg *)tjInitDecompress();
}

int cc_jpeg_header(cc_jpeg *jpeg, const uint8_t *bytes, size_t count, cc_jpeg_planes *planes) {
    int space = 0;
    int failed = tjDecompressHeader3(
        (tjhandle)jpeg, bytes, count, &planes->width, &planes->height, &planes->subsampling, &space);
    return failed ? problem(jpeg) : 0;
}

int cc_jpeg_decode(cc_jpeg *jpeg, const uint8_t *bytes, size_t count, uint8_t *const plane[3], int *stride) {
    unsigned char *planes[3] = {plane[0], plane[1], plane[2]};
    return tjDecompressToYUVPlanes((tjhandle)jpeg, bytes, count, planes, 0, stride, 0, 0) ? -EINVAL : 0;
}

int cc_jpeg_decode_planes(cc_jpeg *jpeg, const uint8_t *bytes, size_t count, const cc_jpeg_planes *planes) {
    int stride[3] = {planes->stride[0], planes->stride[1], planes->stride[2]};
    return cc_jpeg_decode(jpeg, bytes, count, (uint8_t *const *)planes->plane, stride);
}

int cc_jpeg_decode_pixels(
    cc_jpeg *jpeg, const uint8_t *bytes, size_t count, uint8_t *out, int width, int stride, int height, cc_jpeg_pixels pixels
) {
    static const int formats[] = {TJPF_RGB, TJPF_GRAY, TJPF_BGRA, TJPF_RGBA};
    int format = formats[pixels];
    int failed = tjDecompress2((tjhandle)jpeg, bytes, count, out, width, stride, height, format, TJFLAG_ACCURATEDCT);
    return failed ? problem(jpeg) : 0;
}

void cc_jpeg_free(cc_jpeg *jpeg) {
    if (jpeg) tjDestroy((tjhandle)jpeg);
}
