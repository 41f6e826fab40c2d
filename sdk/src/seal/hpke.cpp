// SPDX-License-Identifier: Apache-2.0
#include "seal/hpke.hpp"

#include "crypto/hkdf_sha256.hpp"
#include "crypto/wipe.hpp"

namespace sotto::seal {
namespace {

using crypto::bytes;
using crypto::digest_bytes;
using crypto::x25519_bytes;

constexpr size_t secret_bytes = digest_bytes; // Nsecret, and Nh

// "HPKE-v1" and the suite, which every labelled input starts with (RFC 9180, 4 and 5.1).
constexpr uint8_t kem_suite[] = {'H', 'P', 'K', 'E', '-', 'v', '1', 'K', 'E', 'M', 0, 0x20};
constexpr uint8_t hpke_suite[] = {'H', 'P', 'K', 'E',  '-', 'v',  '1', 'H', 'P',
                                  'K', 'E', 0,   0x20, 0,   0x01, 0,   0x03};
constexpr bytes kem = {kem_suite, sizeof kem_suite};
constexpr bytes hpke = {hpke_suite, sizeof hpke_suite};
constexpr bytes none = {nullptr, 0};

template <size_t size> constexpr bytes text(const char (&label)[size]) { return {label, size - 1}; }

// LabeledExtract
sotto_status extract(bytes salt, bytes suite, bytes label, bytes keying_material,
                     uint8_t key[secret_bytes]) {
    const bytes parts[] = {suite, label, keying_material};
    return crypto::hkdf_extract(salt, {parts, 3}, key);
}

// LabeledExpand
sotto_status expand(const uint8_t key[secret_bytes], bytes suite, bytes label, bytes context,
                    uint8_t *out, size_t length_bytes) {
    const uint8_t length[] = {static_cast<uint8_t>(length_bytes >> 8),
                              static_cast<uint8_t>(length_bytes)};
    const bytes parts[] = {{length, sizeof length}, suite, label, context};
    return crypto::hkdf_expand(key, {parts, 4}, out, length_bytes);
}

// Encap, 4.1. Not inlined: X25519 goes deep, and only this needs to stand above it.
[[gnu::noinline]] sotto_status encapsulate(const uint8_t public_key[x25519_bytes],
                                           const uint8_t ephemeral[x25519_bytes],
                                           uint8_t enc[x25519_bytes],
                                           uint8_t shared_secret[secret_bytes]) {
    uint8_t secret[x25519_bytes]; // Diffie and Hellman's, then the key extracted from it
    uint8_t context[2 * x25519_bytes];
    sotto_status status = crypto::x25519(ephemeral, crypto::x25519_base, enc);
    if (status == SOTTO_OK) {
        status = crypto::x25519(ephemeral, public_key, secret);
    }
    for (size_t i = 0; i < x25519_bytes; ++i) {
        context[i] = enc[i];
        context[x25519_bytes + i] = public_key[i];
    }
    if (status == SOTTO_OK) {
        status = extract(none, kem, text("eae_prk"), {secret, sizeof secret}, secret);
    }
    if (status == SOTTO_OK) {
        status = expand(secret, kem, text("shared_secret"), {context, sizeof context},
                        shared_secret, secret_bytes);
    }
    crypto::wipe(secret, sizeof secret);
    return status;
}

// KeySchedule in base mode, 5.1
[[gnu::noinline]] sotto_status key_schedule(const uint8_t shared_secret[secret_bytes],
                                            const uint8_t schedule[schedule_bytes],
                                            sender_context &sender) {
    uint8_t secret[secret_bytes] = {};
    const bytes context = {schedule, schedule_bytes};
    sotto_status status =
        extract({shared_secret, secret_bytes}, hpke, text("secret"), none, secret);
    if (status == SOTTO_OK) {
        status = expand(secret, hpke, text("key"), context, sender.key, sizeof sender.key);
    }
    if (status == SOTTO_OK) {
        status = expand(secret, hpke, text("base_nonce"), context, sender.base_nonce,
                        sizeof sender.base_nonce);
    }
    crypto::wipe(secret, sizeof secret);
    return status;
}

} // namespace

sotto_status setup_sender(const uint8_t public_key[x25519_bytes],
                          const uint8_t ephemeral[x25519_bytes],
                          const uint8_t schedule[schedule_bytes], uint8_t enc[x25519_bytes],
                          sender_context &context) {
    uint8_t shared_secret[secret_bytes] = {};
    sotto_status status = encapsulate(public_key, ephemeral, enc, shared_secret);
    if (status == SOTTO_OK) {
        status = key_schedule(shared_secret, schedule, context);
    }
    crypto::wipe(shared_secret, sizeof shared_secret);
    if (status != SOTTO_OK) {
        crypto::wipe(enc, x25519_bytes);
        crypto::wipe(&context, sizeof context);
    }
    return status;
}

} // namespace sotto::seal
