/* SHA-256 of OpenSSL's libcrypto, as it is installed on the system: it uses the processor's own instructions, which
   libsodium does not. */
#ifndef MODELCAST_CLIBCRYPTO_H
#define MODELCAST_CLIBCRYPTO_H

#include <stddef.h>
#include <stdint.h>

/* The 32 bytes of SHA-256 of three pieces, one after the other. A piece of no bytes may be NULL. */
void clibcrypto_sha256(
    uint8_t *result, const uint8_t *first, size_t first_count, const uint8_t *second, size_t second_count,
    const uint8_t *third, size_t third_count);

#endif
