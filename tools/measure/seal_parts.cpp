// SPDX-License-Identifier: Apache-2.0
// The parts of a seal one by one, for client_cost.c: what a batch of 16 booleans takes of each.
#include "seal/envelope_schedule.hpp"

using namespace sotto::crypto;
using namespace sotto::seal;

namespace {

constexpr uint8_t ephemeral[x25519_bytes] = {1};
constexpr uint8_t public_key[x25519_bytes] = {9};
uint8_t enc[x25519_bytes];
sender_context context;

} // namespace

extern "C" {

sotto_status part_x25519(void) { return x25519(ephemeral, public_key, enc); }

sotto_status part_setup(void) {
    return setup_sender(public_key, ephemeral, envelope_schedule, enc, context);
}

sotto_status part_encryption(uint8_t *text, size_t text_bytes) {
    static const uint8_t header[14] = {};
    return chacha20_poly1305_seal(context.key, context.base_nonce, {header, sizeof header}, text,
                                  text_bytes);
}
}
