// SPDX-License-Identifier: Apache-2.0
#include "seal/seal.hpp"

#include "crypto/wipe.hpp"
#include "seal/hpke.hpp"

namespace sotto::seal {
namespace {

constexpr char info[] = "sotto envelope v1";

// Nothing of it is inlined into its caller, so that its frame lies below.
[[gnu::noinline]] sotto_status seal(const uint8_t *public_key, const uint8_t *ephemeral,
                                    crypto::bytes header, uint8_t *enc, uint8_t *text,
                                    size_t text_bytes) {
    sender_context context;
    sotto_status status =
        setup_sender(public_key, ephemeral, {info, sizeof info - 1}, enc, context);
    if (status == SOTTO_OK) {
        status = crypto::chacha20_poly1305_seal(context.key, context.base_nonce, header, text,
                                                text_bytes);
    }
    crypto::wipe(&context, sizeof context);
    if (status != SOTTO_OK) {
        crypto::wipe(enc, crypto::x25519_bytes);
        crypto::wipe(text, text_bytes + crypto::aead_tag_bytes);
    }
    return status;
}

} // namespace

const sotto_seal_key *key_for(const sotto_sealing &sealing, uint32_t epoch) {
    for (uint16_t i = sealing.key_count; i-- > 0;) {
        if (epoch <= sealing.keys[i].last_epoch) {
            return &sealing.keys[i];
        }
    }
    return nullptr;
}

// X25519 goes deepest: 1.9 kB on Cortex-M0, more where pointers are wide.
[[gnu::noinline]] void wipe_stack_below() {
    constexpr size_t depth_bytes = sizeof(void *) == 4 ? 2304 : 4096;
    uint8_t below[depth_bytes];
    crypto::wipe(below, sizeof below);
}

} // namespace sotto::seal

extern "C" sotto_status sotto_seal_hpke(const uint8_t *public_key, const uint8_t *ephemeral,
                                        const uint8_t *header, size_t header_bytes, uint8_t *enc,
                                        uint8_t *text, size_t text_bytes) {
    const sotto_status status =
        sotto::seal::seal(public_key, ephemeral, {header, header_bytes}, enc, text, text_bytes);
    sotto::seal::wipe_stack_below();
    return status;
}
