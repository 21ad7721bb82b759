// Decoding by libturbojpeg. Wrapped because its constants are enums of C and its planes are arrays of pointers.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct cc_jpeg cc_jpeg;

enum { CC_JPEG_444 = 0, CC_JPEG_422 = 1, CC_JPEG_420 = 2, CC_JPEG_GREY = 3 };
enum { CC_JPEG_RGB = 0, CC_JPEG_BGR = 1 };

// An image in planes; `stride` is bytes from row to row. Grey uses only the first plane.
typedef struct cc_jpeg_planes {
    const uint8_t *plane[3];
    int stride[3];
    int width;
    int height;
    int subsampling;
} cc_jpeg_planes;

// tjInitDecompress. NULL where memory is out.
cc_jpeg *cc_jpeg_decoder(void);
// tjDecompressHeader3. 0, -EBADMSG for a header with warnings, or another -errno; other kinds of subsampling give `subsampling` -1.
int cc_jpeg_header(cc_jpeg *jpeg, const uint8_t *bytes, size_t count, cc_jpeg_planes *planes);
// tjDecompressToYUVPlanes into planes that the caller laid out after cc_jpeg_header. 0 or -errno, also for warnings.
int cc_jpeg_decode(cc_jpeg *jpeg, const uint8_t *bytes, size_t count, uint8_t *const plane[3], int *stride);
// The same into the planes of `planes`, which may be written.
int cc_jpeg_decode_planes(cc_jpeg *jpeg, const uint8_t *bytes, size_t count, const cc_jpeg_planes *planes);
// Bytes of a pixel; alpha is opaque.
typedef enum { CC_JPEG_TO_RGB, CC_JPEG_TO_GREY, CC_JPEG_TO_BGRA, CC_JPEG_TO_RGBA } cc_jpeg_pixels;
// tjDecompress2 into rows of pixels, reduced to a half, a quarter or an eighth if `width` and `height` are (rounded up); `out`
// holds `stride` times the height. 0, -EBADMSG for an image that was decoded with warnings, or another -errno.
int cc_jpeg_decode_pixels(
    cc_jpeg *jpeg, const uint8_t *bytes, size_t count, uint8_t *out, int width, int stride, int height, cc_jpeg_pixels pixels);
// tjDestroy.
void cc_jpeg_free(cc_jpeg *jpeg);
