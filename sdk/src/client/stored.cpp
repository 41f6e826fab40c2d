// SPDX-License-Identifier: Apache-2.0
#include "client/stored.hpp"

#include "crypto/wipe.hpp"

namespace sotto::device {
namespace {

constexpr uint8_t secret_format[4] = {'s', 't', 'k', 1};
constexpr char state_label[] = "\x0esotto state v1";
constexpr char secret_label[] = "\x0fsotto secret v1";

void copy_bytes(uint8_t *to, const uint8_t *from, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        to[i] = from[i];
    }
}

bool are_equal(const uint8_t *a, const uint8_t *b, size_t size) {
    uint8_t difference = 0;
    for (size_t i = 0; i < size; ++i) {
        difference = static_cast<uint8_t>(difference | (a[i] ^ b[i]));
    }
    return difference == 0;
}

sotto_status digest_parts(const crypto::bytes *parts, size_t count, uint8_t digest[16]) {
    uint8_t whole[crypto::digest_bytes];
    const sotto_status status = crypto::sha256(parts, count, whole);
    copy_bytes(digest, whole, 16);
    crypto::wipe(whole, sizeof whole);
    return status;
}

sotto_status digest_secret(const uint8_t *bytes, uint8_t digest[16]) {
    const crypto::bytes parts[] = {{secret_label, sizeof secret_label - 1}, {bytes, 36}};
    return digest_parts(parts, 2, digest);
}

} // namespace

sotto_status digest_state(const sotto_state_head &head, const uint8_t *bytes, size_t size,
                          uint8_t digest[16]) {
    const crypto::bytes parts[] = {{state_label, sizeof state_label - 1},
                                   {bytes, offsetof(sotto_state_head, digest)},
                                   {bytes + sizeof head, size - sizeof head}};
    return digest_parts(parts, 3, digest);
}

sotto_status is_whole_state(const sotto_state_head &head, const uint8_t *bytes, size_t size,
                            bool &whole) {
    whole = false;
    if (size < sizeof head || head.format != state_format || head.words != size / 4 ||
        size % 4 != 0) {
        return SOTTO_OK;
    }
    uint8_t digest[16];
    const sotto_status status = digest_state(head, bytes, size, digest);
    whole = status == SOTTO_OK && are_equal(digest, head.digest, sizeof digest);
    return status;
}

sotto_status stored_secret::write(const uint8_t secret[32]) {
    copy_bytes(bytes, secret_format, sizeof secret_format);
    copy_bytes(bytes + 4, secret, 32);
    return digest_secret(bytes, bytes + 36);
}

sotto_status stored_secret::read(size_t size, uint8_t secret[32], bool &whole) const {
    uint8_t digest[16];
    const sotto_status status = digest_secret(bytes, digest);
    whole = status == SOTTO_OK && size == sizeof bytes &&
            are_equal(bytes, secret_format, sizeof secret_format) &&
            are_equal(digest, bytes + 36, sizeof digest);
    if (whole) {
        copy_bytes(secret, bytes + 4, 32);
    }
    crypto::wipe(digest, sizeof digest);
    return status;
}

void stored_secret::wipe() { crypto::wipe(bytes, sizeof bytes); }

} // namespace sotto::device
