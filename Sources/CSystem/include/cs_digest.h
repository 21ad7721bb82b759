#pragma once

#include <stddef.h>
#include <stdint.h>

// SHA-256 (FIPS 180-4) by libnettle, which uses the processor's own instructions if there are any. Why a shim: its names are
// macros, and the size of its context is internal to it. Why not libcrypto: it costs each start of a program a hundred pages to
// relocate, and at exit it cleans up under threads that still write the log.

enum { CS_SHA256_BYTES = 32 };

// -ENOMEM. Drop the digest in any case, after the end too.
int cs_sha256_begin(void **digest);
void cs_sha256_add(void *digest, const void *bytes, size_t count);
void cs_sha256_end(void *digest, uint8_t *out);
void cs_sha256_drop(void *digest);
