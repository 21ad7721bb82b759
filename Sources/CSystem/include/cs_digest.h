#pragma once

#include <stddef.h>
#include <stdint.h>

// SHA-256 (FIPS 180-4) by libcrypto's EVP. Why a shim: the EVP types are opaque and their constructors are macros in
// other releases of OpenSSL. Failures are -ENOMEM or -EIO: libcrypto has no errno of its own.

enum { CS_SHA256_BYTES = 32 };

// Drop the digest in any case, after the end too.
int cs_sha256_begin(void **digest);
int cs_sha256_add(void *digest, const void *bytes, size_t count);
int cs_sha256_end(void *digest, uint8_t *out);
void cs_sha256_drop(void *digest);
