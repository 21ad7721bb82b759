#if !__has_include(<nettle/sha2.h>)
#include "../Packages/missing.h"
#endif
#include "cs_digest.h"

#include <errno.h>
#include <stdlib.h>

#include <nettle/sha2.h>

int cs_sha256_begin(void **digest) {
    struct sha256_ctx *context = malloc(sizeof *context);
    if (context == NULL) return -ENOMEM;
    sha256_init(context);
    *digest = context;
    return 0;
}

void cs_sha256_add(void *digest, const void *bytes, size_t count) { sha256_update(digest, count, bytes); }

void cs_sha256_end(void *digest, uint8_t *out) { sha256_digest(digest, CS_SHA256_BYTES, out); }

void cs_sha256_drop(void *digest) { free(digest); }
