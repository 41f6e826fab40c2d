// SPDX-License-Identifier: Apache-2.0
#include "aggregator/seal/hpke.hpp"

#include "aggregator/base/failure.hpp"

#include <algorithm>
#include <openssl/crypto.h>

namespace sotto::aggregator::hpke {
namespace {

constexpr std::size_t block_bytes = 64; // SHA-256's
constexpr std::size_t nonce_bytes = 12;
constexpr int kem_id = 0x20, kdf_id = 1;

void require(bool done) {
    if (!done) {
        throw environment_error(
            "OpenSSL lacks X25519, SHA-256, ChaCha20-Poly1305 or AES-128-GCM here");
    }
}

bytes text(std::string_view label) {
    return {reinterpret_cast<const std::uint8_t *>(label.data()), label.size()};
}

constexpr std::string_view version = "HPKE-v1";
constexpr std::uint8_t kem_suite[] = {'K', 'E', 'M', 0, kem_id};

void feed(EVP_MD_CTX *hash, bytes part) {
    require(EVP_DigestUpdate(hash, part.data(), part.size()) == 1);
}

// A peer to be overwritten: making a new one for every envelope costs a tenth of opening it.
pkey any_key() {
    static constexpr secret base_point = {9};
    return pkey(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, base_point.data(),
                                            base_point.size()));
}

} // namespace

hkdf::hkdf() : sha256_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context_(EVP_MD_CTX_new()) {
    require(sha256_ && context_);
}

// Its keys are never longer than a block.
secret hkdf::hmac(bytes key, std::initializer_list<bytes> before,
                  std::initializer_list<bytes> parts, bytes after) {
    std::array<std::uint8_t, block_bytes> inner, outer;
    for (std::size_t i = 0; i < block_bytes; ++i) {
        const std::uint8_t byte = i < key.size() ? key[i] : 0;
        inner[i] = byte ^ 0x36;
        outer[i] = byte ^ 0x5c;
    }
    secret tag;
    require(EVP_DigestInit_ex2(context_.get(), sha256_.get(), nullptr) == 1);
    feed(context_.get(), inner);
    for (const bytes part : before) {
        feed(context_.get(), part);
    }
    for (const bytes part : parts) {
        feed(context_.get(), part);
    }
    feed(context_.get(), after);
    require(EVP_DigestFinal_ex(context_.get(), tag.data(), nullptr) == 1 &&
            EVP_DigestInit_ex2(context_.get(), sha256_.get(), nullptr) == 1);
    feed(context_.get(), outer);
    feed(context_.get(), tag);
    require(EVP_DigestFinal_ex(context_.get(), tag.data(), nullptr) == 1);
    OPENSSL_cleanse(inner.data(), inner.size());
    OPENSSL_cleanse(outer.data(), outer.size());
    return tag;
}

secret hkdf::extract(bytes salt, std::initializer_list<bytes> parts) {
    return hmac(salt, {text(version)}, parts, {});
}

void hkdf::expand(const secret &key, std::initializer_list<bytes> parts,
                  std::span<std::uint8_t> out) {
    const std::uint8_t length[] = {0, static_cast<std::uint8_t>(out.size())};
    static constexpr std::uint8_t first_block[] = {1};
    secret block = hmac(key, {length, text(version)}, parts, first_block);
    std::copy_n(block.begin(), out.size(), out.begin());
    OPENSSL_cleanse(block.data(), block.size());
}

aead::aead(const char *name, std::uint16_t id, bytes info, hkdf &with)
    : suite_{'H',
             'P',
             'K',
             'E',
             0,
             kem_id,
             0,
             kdf_id,
             static_cast<std::uint8_t>(id >> 8),
             static_cast<std::uint8_t>(id)},
      cipher_(EVP_CIPHER_fetch(nullptr, name, nullptr)), context_(EVP_CIPHER_CTX_new()) {
    require(cipher_ && context_ &&
            EVP_DecryptInit_ex2(context_.get(), cipher_.get(), nullptr, nullptr, nullptr) == 1);
    key_bytes_ = static_cast<std::size_t>(EVP_CIPHER_get_key_length(cipher_.get()));
    const secret psk_id = with.extract({}, {suite_, text("psk_id_hash")});
    const secret hashed = with.extract({}, {suite_, text("info_hash"), info});
    schedule_[0] = 0; // mode_base
    std::copy(psk_id.begin(), psk_id.end(), schedule_.begin() + 1);
    std::copy(hashed.begin(), hashed.end(), schedule_.begin() + 33);
}

bool aead::open(const secret &shared, bytes associated, bytes ciphertext, std::uint8_t *out,
                hkdf &with) {
    if (ciphertext.size() < tag_bytes) {
        return false;
    }
    secret from = with.extract(shared, {suite_, text("secret")});
    secret key;
    std::array<std::uint8_t, nonce_bytes> nonce;
    with.expand(from, {suite_, text("key"), schedule_}, std::span(key).first(key_bytes_));
    with.expand(from, {suite_, text("base_nonce"), schedule_}, nonce);
    const bytes body = ciphertext.first(ciphertext.size() - tag_bytes);
    // OpenSSL wants to be able to write to it, but only reads.
    auto *tag = const_cast<std::uint8_t *>(body.data() + body.size());
    EVP_CIPHER_CTX *const c = context_.get();
    int done = 0;
    const bool opened =
        EVP_DecryptInit_ex2(c, nullptr, key.data(), nonce.data(), nullptr) == 1 &&
        EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, tag_bytes, tag) == 1 &&
        EVP_DecryptUpdate(c, nullptr, &done, associated.data(),
                          static_cast<int>(associated.size())) == 1 &&
        EVP_DecryptUpdate(c, out, &done, body.data(), static_cast<int>(body.size())) == 1 &&
        EVP_DecryptFinal_ex(c, out + done, &done) == 1;
    OPENSSL_cleanse(from.data(), from.size());
    OPENSSL_cleanse(key.data(), key.size());
    OPENSSL_cleanse(nonce.data(), nonce.size());
    if (!opened) {
        OPENSSL_cleanse(out, body.size());
    }
    return opened;
}

receiver::receiver(EVP_PKEY *key) : context_(EVP_PKEY_CTX_new(key, nullptr)), peer_(any_key()) {
    require(context_ && peer_ && EVP_PKEY_derive_init(context_.get()) == 1);
}

bool receiver::decapsulate(bytes enc, bytes public_key, secret &shared, hkdf &with) {
    secret agreed;
    std::size_t length = agreed.size();
    // An agreed secret of zeros is refused by OpenSSL itself (RFC 9180, 7.1.4). To check the peer
    // would be another multiplication, and there is nothing to check.
    const bool done = EVP_PKEY_set1_encoded_public_key(peer_.get(), enc.data(), enc.size()) == 1 &&
                      EVP_PKEY_derive_set_peer_ex(context_.get(), peer_.get(), 0) == 1 &&
                      EVP_PKEY_derive(context_.get(), agreed.data(), &length) == 1;
    if (done) {
        secret key = with.extract({}, {kem_suite, text("eae_prk"), agreed});
        with.expand(key, {kem_suite, text("shared_secret"), enc, public_key}, shared);
        OPENSSL_cleanse(key.data(), key.size());
    }
    OPENSSL_cleanse(agreed.data(), agreed.size());
    return done;
}

} // namespace sotto::aggregator::hpke
