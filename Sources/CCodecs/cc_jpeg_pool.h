// Memory for libjpeg's images, kept from one to the next: its own memory manager asks the system for each image. Its functions are
// replaced by these, as jpeglib.h allows; requests that they don't handle are passed to the library's.
#pragma once
#if !__has_include(<jpeglib.h>)
#include "../Packages/missing.h"
#endif
#include <stdio.h>
#include <jpeglib.h>

struct cc_jpeg_chunk;

// What jpeg->client_data points to begins with it, zeroed at first.
typedef struct cc_jpeg_pool {
    // The library's own functions.
    struct jpeg_memory_mgr library;
    struct cc_jpeg_chunk *chunks;
    // Of all chunks, bytes.
    size_t size;
} cc_jpeg_pool;

// After jpeg_create_compress. Memory that is requested for an image comes from the pool from now on, or is an error of `jpeg`.
void cc_jpeg_pool_use(cc_jpeg_pool *pool, j_common_ptr jpeg);
// After jpeg_destroy_compress.
void cc_jpeg_pool_free(cc_jpeg_pool *pool);
