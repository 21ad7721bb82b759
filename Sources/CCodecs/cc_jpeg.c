#include "cc_jpeg.h"

#if !__has_include(<turbojpeg.h>)
#error "turbojpeg.h is missing: apt-get install libturbojpeg0-dev"
#endif
#include <errno.h>
#include <turbojpeg.h>

_Static_assert((int)CC_JPEG_422 == TJSAMP_422 && (int)CC_JPEG_420 == TJSAMP_420, "subsampling");
_Static_assert((int)CC_JPEG_444 == TJSAMP_444, "subsampling");
_Static_assert((int)CC_JPEG_GREY == TJSAMP_GRAY && (int)CC_JPEG_RGB == TJPF_RGB && (int)CC_JPEG_BGR == TJPF_BGR, "");

cc_jpeg *cc_jpeg_encoder(void) {
    return (cc_jpeg *)tjInitCompress();
}

cc_jpeg *cc_jpeg_decoder(void) {
    return (cc_jpeg *)tjInitDecompress();
}

size_t cc_jpeg_bound(int width, int height, int subsampling) {
    unsigned long size = tjBufSize(width, height, subsampling);
    return size == (unsigned long)-1 ? 0 : size;
}

int64_t cc_jpeg_encode(cc_jpeg *jpeg, const cc_jpeg_planes *planes, int quality, uint8_t *out, size_t capacity) {
    unsigned long size = capacity;
    const unsigned char *plane[3] = {planes->plane[0], planes->plane[1], planes->plane[2]};
    int failed = tjCompressFromYUVPlanes(
        (tjhandle)jpeg, plane, planes->width, planes->stride, planes->height, planes->subsampling, &out, &size, quality,
        TJFLAG_NOREALLOC);
    return failed ? -EINVAL : (int64_t)size;
}

int64_t cc_jpeg_encode_rgb(
    cc_jpeg *jpeg, const uint8_t *pixels, int stride, int width, int height, int order, int subsampling, int quality,
    uint8_t *out, size_t capacity
) {
    unsigned long size = capacity;
    int failed = tjCompress2(
        (tjhandle)jpeg, pixels, width, stride, height, order, &out, &size, subsampling, quality, TJFLAG_NOREALLOC);
    return failed ? -EINVAL : (int64_t)size;
}

int cc_jpeg_header(cc_jpeg *jpeg, const uint8_t *bytes, size_t count, cc_jpeg_planes *planes) {
    int space = 0;
    int failed = tjDecompressHeader3(
        (tjhandle)jpeg, bytes, count, &planes->width, &planes->height, &planes->subsampling, &space);
    return failed ? -EINVAL : 0;
}

int cc_jpeg_decode(cc_jpeg *jpeg, const uint8_t *bytes, size_t count, uint8_t *const plane[3], int *stride) {
    unsigned char *planes[3] = {plane[0], plane[1], plane[2]};
    return tjDecompressToYUVPlanes((tjhandle)jpeg, bytes, count, planes, 0, stride, 0, 0) ? -EINVAL : 0;
}

int cc_jpeg_decode_rgb(
    cc_jpeg *jpeg, const uint8_t *bytes, size_t count, uint8_t *out, int width, int stride, int height
) {
    int failed = tjDecompress2((tjhandle)jpeg, bytes, count, out, width, stride, height, TJPF_RGB, TJFLAG_ACCURATEDCT);
    return failed ? -EINVAL : 0;
}

const char *cc_jpeg_text(cc_jpeg *jpeg) {
    return tjGetErrorStr2((tjhandle)jpeg);
}

void cc_jpeg_free(cc_jpeg *jpeg) {
    if (jpeg) tjDestroy((tjhandle)jpeg);
}
