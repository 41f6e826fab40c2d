/* SPDX-License-Identifier: Apache-2.0 */
#include "sotto_testing.h"

extern const int sotto_this_program_is_a_test;

/* SplitMix64 (Steele, Lea, Flood 2014): the SDK's DRBG conditions it, tests need no more. */
static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int32_t entropy(void *context, uint8_t *bytes, size_t length_bytes) {
    sotto_testing *testing = (sotto_testing *)context;
    for (size_t i = 0; i < length_bytes; ++i) {
        bytes[i] = (uint8_t)(next(&testing->state) >> 56);
    }
    return (int32_t)length_bytes;
}

void sotto_testing_init(sotto_testing *testing, const uint8_t *seed, size_t seed_bytes,
                        uint64_t device) {
    testing->state = (uint64_t)sotto_this_program_is_a_test;
    for (size_t i = 0; i < seed_bytes; ++i) {
        testing->state = next(&testing->state) ^ seed[i];
    }
    testing->state = next(&testing->state) ^ device;
    testing->state = next(&testing->state);
}

sotto_port sotto_testing_port(sotto_testing *testing) {
    const sotto_port port = {.context = testing, .entropy = entropy};
    return port;
}
