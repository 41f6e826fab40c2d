// SPDX-License-Identifier: Apache-2.0
#include "crypto/wipe.hpp"
#include "seal/envelope_schedule.hpp"
#include "seal/wipe_stack.hpp"
#include "sotto/registry.h"

namespace sotto::seal {
namespace {

// Nothing of it is inlined into its caller, so that its frame lies below.
[[gnu::noinline]] sotto_status seal(const uint8_t *public_key, const uint8_t *ephemeral,
                                    crypto::bytes header, uint8_t *enc, uint8_t *text,
                                    size_t text_bytes) {
    sender_context context;
    sotto_status status = setup_sender(public_key, ephemeral, envelope_schedule, enc, context);
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

} // namespace sotto::seal

extern "C" sotto_status sotto_seal_hpke(const uint8_t *public_key, const uint8_t *ephemeral,
                                        const uint8_t *header, size_t header_bytes, uint8_t *enc,
                                        uint8_t *text, size_t text_bytes) {
    const sotto_status status =
        sotto::seal::seal(public_key, ephemeral, {header, header_bytes}, enc, text, text_bytes);
    sotto::seal::wipe_stack_below();
    return status;
}
