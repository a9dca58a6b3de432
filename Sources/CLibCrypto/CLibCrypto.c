/* These functions are deprecated in favour of ones that look up an implementation for each hash, which takes as long as
   half a kilobyte. They are in every release from 1.1 on. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "CLibCrypto.h"

#include <openssl/sha.h>

void clibcrypto_sha256(
    uint8_t *result, const uint8_t *first, size_t first_count, const uint8_t *second, size_t second_count,
    const uint8_t *third, size_t third_count) {
    SHA256_CTX state;
    SHA256_Init(&state);
    if (first_count > 0) SHA256_Update(&state, first, first_count);
    if (second_count > 0) SHA256_Update(&state, second, second_count);
    if (third_count > 0) SHA256_Update(&state, third, third_count);
    SHA256_Final(result, &state);
}
