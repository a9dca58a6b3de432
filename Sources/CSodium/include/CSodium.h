/* libsodium, as it is installed on the system; libzmq stands on it already, for CURVE. And what Swift cannot say to it. */
#ifndef MODELCAST_CSODIUM_H
#define MODELCAST_CSODIUM_H

#include <sodium.h>
#include <stddef.h>
#include <stdint.h>

#if SODIUM_LIBRARY_VERSION_MAJOR < 10
#error "Modelcast needs libsodium 1.0.18 or later (Debian: libsodium-dev)"
#endif

/* Blake2b of three pieces, one after the other. Swift cannot hold libsodium's state, which is aligned to 64 bytes. */
void csodium_hash3(
    uint8_t *result, size_t result_count, const uint8_t *first, size_t first_count, const uint8_t *second,
    size_t second_count, const uint8_t *third, size_t third_count);

#endif
