#if !__has_include(<jerror.h>)
#include "../Packages/missing.h"
#endif
#include "cc_jpeg_pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <jerror.h>

// Alignment that the library's SIMD code expects of its memory, and how far it reads beyond the requested end.
enum { ALIGNMENT = 32, ROW_ALIGNMENT = 2 * ALIGNMENT, LEAST_CHUNK = 32 << 10 };

typedef struct cc_jpeg_chunk {
    _Alignas(ALIGNMENT) struct cc_jpeg_chunk *next;
    // Bytes after this header: all, and those in use.
    size_t size, used;
} cc_jpeg_chunk;

// The detail tells where memory ran out; the library's own go up to 9.
enum { DETAIL_OVERFLOW = 20, DETAIL_TOO_MUCH, DETAIL_SYSTEM };

static size_t product(j_common_ptr jpeg, size_t one, size_t other) {
    size_t result;
    if (__builtin_mul_overflow(one, other, &result)) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, DETAIL_OVERFLOW);
    return result;
}

static size_t rounded(j_common_ptr jpeg, size_t size, size_t alignment) {
    if (size > (size_t)jpeg->mem->max_alloc_chunk) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, DETAIL_TOO_MUCH);
    return (size + alignment - 1) / alignment * alignment;
}

// As large as everything allocated so far, so that there are few chunks.
static cc_jpeg_chunk *new_chunk(j_common_ptr jpeg, cc_jpeg_pool *pool, size_t least) {
    size_t size = pool->size > LEAST_CHUNK ? pool->size : LEAST_CHUNK;
    if (size < least) size = least;
    cc_jpeg_chunk *chunk = aligned_alloc(ALIGNMENT, sizeof *chunk + size);
    if (!chunk) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, DETAIL_SYSTEM);
    *chunk = (cc_jpeg_chunk){.size = size};
    pool->size += size;
    return chunk;
}

// From the first chunk with room, so that an image like the one before finds the same places.
static void *take(j_common_ptr jpeg, size_t size) {
    cc_jpeg_pool *pool = jpeg->client_data;
    size = rounded(jpeg, size, ALIGNMENT);
    cc_jpeg_chunk **chunk = &pool->chunks;
    while (*chunk && (*chunk)->size - (*chunk)->used < size) chunk = &(*chunk)->next;
    if (!*chunk) *chunk = new_chunk(jpeg, pool, size);
    void *memory = (uint8_t *)(*chunk + 1) + (*chunk)->used;
    (*chunk)->used += size;
    return memory;
}

// MARK: What the library calls

static void *small(j_common_ptr jpeg, int pool, size_t size) {
    const cc_jpeg_pool *own = jpeg->client_data;
    return pool == JPOOL_IMAGE ? take(jpeg, size) : own->library.alloc_small(jpeg, pool, size);
}

static void *large(j_common_ptr jpeg, int pool, size_t size) {
    const cc_jpeg_pool *own = jpeg->client_data;
    return pool == JPOOL_IMAGE ? take(jpeg, size) : own->library.alloc_large(jpeg, pool, size);
}

static JSAMPARRAY sample_rows(j_common_ptr jpeg, int pool, JDIMENSION width, JDIMENSION count) {
    const cc_jpeg_pool *own = jpeg->client_data;
    if (pool != JPOOL_IMAGE) return own->library.alloc_sarray(jpeg, pool, width, count);
    size_t stride = rounded(jpeg, product(jpeg, width, sizeof(JSAMPLE)), ROW_ALIGNMENT);
    JSAMPARRAY rows = take(jpeg, product(jpeg, count, sizeof *rows));
    uint8_t *memory = take(jpeg, product(jpeg, count, stride));
    for (JDIMENSION i = 0; i < count; i++) rows[i] = (JSAMPROW)(memory + i * stride);
    return rows;
}

static JBLOCKARRAY block_rows(j_common_ptr jpeg, int pool, JDIMENSION width, JDIMENSION count) {
    const cc_jpeg_pool *own = jpeg->client_data;
    if (pool != JPOOL_IMAGE) return own->library.alloc_barray(jpeg, pool, width, count);
    JBLOCKARRAY rows = take(jpeg, product(jpeg, count, sizeof *rows));
    JBLOCKROW blocks = take(jpeg, product(jpeg, count, product(jpeg, width, sizeof *blocks)));
    for (JDIMENSION i = 0; i < count; i++) rows[i] = blocks + (size_t)i * width;
    return rows;
}

// The library's own function first: it closes the virtual arrays, which are all that it still allocates for an image.
static void free_pool(j_common_ptr jpeg, int pool) {
    const cc_jpeg_pool *own = jpeg->client_data;
    own->library.free_pool(jpeg, pool);
    if (pool != JPOOL_IMAGE) return;
    for (cc_jpeg_chunk *chunk = own->chunks; chunk; chunk = chunk->next) chunk->used = 0;
}

// MARK: Its life

void cc_jpeg_pool_use(cc_jpeg_pool *pool, j_common_ptr jpeg) {
    pool->library = *jpeg->mem;
    jpeg->mem->alloc_small = small;
    jpeg->mem->alloc_large = large;
    jpeg->mem->alloc_sarray = sample_rows;
    jpeg->mem->alloc_barray = block_rows;
    jpeg->mem->free_pool = free_pool;
}

void cc_jpeg_pool_free(cc_jpeg_pool *pool) {
    while (pool->chunks) {
        cc_jpeg_chunk *next = pool->chunks->next;
        free(pool->chunks);
        pool->chunks = next;
    }
    pool->size = 0;
}
