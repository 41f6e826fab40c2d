// SPDX-License-Identifier: Apache-2.0
#include "crypto/hkdf_sha256.hpp"

#include "crypto/wipe.hpp"

namespace sotto::crypto {
namespace {

constexpr size_t block_bytes = 64; // SHA-256's

// A key longer than a block counts as its digest.
sotto_status pad_key(bytes key, uint8_t block[block_bytes]) {
    for (size_t i = 0; i < block_bytes; ++i) {
        block[i] = 0;
    }
    if (key.size > block_bytes) {
        return sha256(&key, 1, block);
    }
    for (size_t i = 0; i < key.size; ++i) {
        block[i] = static_cast<const uint8_t *>(key.data)[i];
    }
    return SOTTO_OK;
}

void xor_into(uint8_t block[block_bytes], uint8_t with) {
    for (size_t i = 0; i < block_bytes; ++i) {
        block[i] = static_cast<uint8_t>(block[i] ^ with);
    }
}

} // namespace

sotto_status hmac_sha256(bytes key, byte_list text, uint8_t tag[digest_bytes]) {
    constexpr uint8_t inner_pad = 0x36, outer_pad = 0x5c;
    if (text.count > byte_list_max) {
        wipe(tag, digest_bytes);
        return SOTTO_ERR_ARGUMENT;
    }
    uint8_t block[block_bytes];
    bytes parts[1 + byte_list_max] = {{block, block_bytes}};
    for (size_t i = 0; i < text.count; ++i) {
        parts[1 + i] = text.parts[i];
    }
    sotto_status status = pad_key(key, block);
    xor_into(block, inner_pad);
    if (status == SOTTO_OK) {
        status = sha256(parts, 1 + text.count, tag);
    }
    xor_into(block, inner_pad ^ outer_pad);
    parts[1] = {tag, digest_bytes};
    if (status == SOTTO_OK) {
        status = sha256(parts, 2, tag);
    }
    wipe(block, sizeof block);
    if (status != SOTTO_OK) {
        wipe(tag, digest_bytes);
    }
    return status;
}

sotto_status hkdf_extract(bytes salt, byte_list keying_material, uint8_t key[digest_bytes]) {
    return hmac_sha256(salt, keying_material, key);
}

sotto_status hkdf_expand(const uint8_t key[digest_bytes], byte_list info, uint8_t *out,
                         size_t length_bytes) {
    if (info.count > byte_list_max - 2 || length_bytes > 255 * digest_bytes) {
        wipe(out, length_bytes);
        return SOTTO_ERR_ARGUMENT;
    }
    uint8_t block[digest_bytes];
    uint8_t number = 0;
    bytes parts[byte_list_max] = {{block, 0}}; // the first block has none before it
    for (size_t i = 0; i < info.count; ++i) {
        parts[1 + i] = info.parts[i];
    }
    parts[1 + info.count] = {&number, 1};
    sotto_status status = SOTTO_OK;
    for (size_t at = 0; status == SOTTO_OK && at < length_bytes; at += digest_bytes) {
        ++number;
        status = hmac_sha256({key, digest_bytes}, {parts, 2 + info.count}, block);
        parts[0].size = digest_bytes;
        for (size_t i = 0; i < digest_bytes && at + i < length_bytes; ++i) {
            out[at + i] = block[i];
        }
    }
    wipe(block, sizeof block);
    if (status != SOTTO_OK) {
        wipe(out, length_bytes);
    }
    return status;
}

} // namespace sotto::crypto
