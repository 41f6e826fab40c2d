// SPDX-License-Identifier: Apache-2.0
#include "client/sealing.hpp"

#include "client/internal.hpp"
#include "seal/key.hpp"
#include "seal/wipe_stack.hpp"

namespace sotto::device {
namespace {

constexpr size_t ephemeral_bytes = 32;
static_assert(ephemeral_bytes == crypto::digest_bytes);

// The text goes in, too: where a source repeats itself, the same key seals the same text only. Not
// inlined: sealing needs its stack.
[[gnu::noinline]] sotto_status draw_ephemeral(sotto_client &client, const report::sealable &message,
                                              uint8_t ephemeral[ephemeral_bytes]) {
    static const char label[] = "\x12sotto ephemeral v1";
    const crypto::bytes parts[] = {{label, sizeof label - 1},
                                   {ephemeral, ephemeral_bytes},
                                   {message.header, message.header_bytes},
                                   {message.text, message.text_bytes}};
    const sotto_status status = draw(client, ephemeral, ephemeral_bytes);
    return status == SOTTO_OK ? crypto::sha256(parts, 4, ephemeral) : status;
}

[[gnu::noinline]] sotto_status seal(sotto_client &client, const sotto_seal_key &key,
                                    const report::sealable &parts) {
    uint8_t ephemeral[ephemeral_bytes];
    sotto_status status = draw_ephemeral(client, parts, ephemeral);
    if (status == SOTTO_OK) {
        status = client.registry->sealing->seal(key.public_key, ephemeral, parts.header,
                                                parts.header_bytes, parts.enc, parts.text,
                                                parts.text_bytes);
    }
    crypto::wipe(ephemeral, sizeof ephemeral);
    return status;
}

} // namespace

sotto_status prepare_seal(sotto_client &client, const sotto_seal_key **key) {
    *key = nullptr;
    if (client.registry->sealing == nullptr) {
        return SOTTO_OK;
    }
    *key = seal::key_for(*client.registry->sealing, client.memory.head->epoch);
    return *key == nullptr ? sotto_status{SOTTO_ERR_KEY_RETIRED} : prepare(client, ephemeral_bytes);
}

sotto_status seal_batch(sotto_client &client, const sotto_seal_key &key,
                        const report::sealable &parts) {
    return seal(client, key, parts);
}

void wipe_sealing_stack(const sotto_client &client) {
    if (client.registry->sealing != nullptr) {
        seal::wipe_stack_below_batch();
    }
}

} // namespace sotto::device
