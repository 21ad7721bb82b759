#include "cs_digest.h"

#include <errno.h>

#if __has_include(<openssl/evp.h>)
#include <openssl/evp.h>
#else
#error "OpenSSL's headers are missing: install the Debian package libssl-dev"
#endif

int cs_sha256_begin(void **digest) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context == NULL) return -ENOMEM;
    if (EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(context);
        return -EIO;
    }
    *digest = context;
    return 0;
}

int cs_sha256_add(void *digest, const void *bytes, size_t count) {
    return EVP_DigestUpdate(digest, bytes, count) == 1 ? 0 : -EIO;
}

int cs_sha256_end(void *digest, uint8_t *out) {
    return EVP_DigestFinal_ex(digest, out, NULL) == 1 ? 0 : -EIO;
}

void cs_sha256_drop(void *digest) { EVP_MD_CTX_free(digest); }
