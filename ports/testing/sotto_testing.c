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

static int32_t take(void *context, uint8_t *bytes, size_t length_bytes) {
    sotto_testing *testing = (sotto_testing *)context;
    for (size_t i = 0; i < length_bytes; ++i) {
        bytes[i] = (uint8_t)(next(&testing->state) >> 56);
    }
    return (int32_t)length_bytes;
}

static void copy(uint8_t *target, const uint8_t *from, size_t length_bytes) {
    for (size_t i = 0; i < length_bytes; ++i) {
        target[i] = from[i];
    }
}

static int32_t load(void *context, uint32_t slot, uint8_t *bytes, size_t capacity_bytes) {
    const sotto_testing *testing = (const sotto_testing *)context;
    if (slot >= SOTTO_SLOT_COUNT) {
        return SOTTO_ERR_STORAGE;
    }
    const size_t length = testing->lengths_bytes[slot];
    copy(bytes, testing->slots[slot], length < capacity_bytes ? length : capacity_bytes);
    return (int32_t)length;
}

static sotto_status store(void *context, uint32_t slot, const uint8_t *bytes, size_t length_bytes) {
    sotto_testing *testing = (sotto_testing *)context;
    if (slot >= SOTTO_SLOT_COUNT || length_bytes > SOTTO_TESTING_SLOT_BYTES) {
        return SOTTO_ERR_STORAGE;
    }
    copy(testing->slots[slot], bytes, length_bytes);
    testing->lengths_bytes[slot] = length_bytes;
    return SOTTO_OK;
}

static sotto_status mac(void *context, const uint8_t *digest, uint8_t *tag) {
    return sotto_hmac_sha256(((const sotto_testing *)context)->mac_key, digest, tag);
}

void sotto_testing_init(sotto_testing *testing, const uint8_t *seed, size_t seed_bytes,
                        uint64_t device) {
    const sotto_entropy entropy = {.context = testing, .read = take, .source = SOTTO_SOURCE_CSPRNG};
    testing->entropy = entropy;
    for (size_t slot = 0; slot < SOTTO_SLOT_COUNT; ++slot) {
        testing->lengths_bytes[slot] = 0;
    }
    testing->state = (uint64_t)sotto_this_program_is_a_test;
    for (size_t i = 0; i < seed_bytes; ++i) {
        testing->state = next(&testing->state) ^ seed[i];
    }
    testing->state = next(&testing->state) ^ device;
    testing->state = next(&testing->state);
    /* From numbers of its own, so that the noise does not depend on it. */
    uint64_t state = ~testing->state;
    for (size_t i = 0; i < sizeof testing->mac_key; ++i) {
        testing->mac_key[i] = (uint8_t)(next(&state) >> 56);
    }
}

sotto_port sotto_testing_port(sotto_testing *testing) {
    const sotto_port port = {
        .context = testing, .load = load, .store = store, .mac = mac, .entropy = &testing->entropy};
    return port;
}
