#include "CSodium.h"

void csodium_hash3(
    uint8_t *result, size_t result_count, const uint8_t *first, size_t first_count, const uint8_t *second,
    size_t second_count, const uint8_t *third, size_t third_count) {
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, result_count);
    if (first_count > 0) crypto_generichash_update(&state, first, first_count);
    if (second_count > 0) crypto_generichash_update(&state, second, second_count);
    if (third_count > 0) crypto_generichash_update(&state, third, third_count);
    crypto_generichash_final(&state, result, result_count);
}
