// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SEAL_HPKE_HPP
#define SOTTO_AGGREGATOR_SEAL_HPKE_HPP

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <openssl/evp.h>
#include <span>

namespace sotto::aggregator::hpke {

// A deleter of libcrypto's objects.
template <auto release> struct releaser {
    template <typename T> void operator()(T *object) const { release(object); }
};
using pkey = std::unique_ptr<EVP_PKEY, releaser<EVP_PKEY_free>>;
using pkey_context = std::unique_ptr<EVP_PKEY_CTX, releaser<EVP_PKEY_CTX_free>>;
using digest_context = std::unique_ptr<EVP_MD_CTX, releaser<EVP_MD_CTX_free>>;
using digest = std::unique_ptr<EVP_MD, releaser<EVP_MD_free>>;
using cipher_context = std::unique_ptr<EVP_CIPHER_CTX, releaser<EVP_CIPHER_CTX_free>>;
using cipher = std::unique_ptr<EVP_CIPHER, releaser<EVP_CIPHER_free>>;

// Inputs, which must outlive the call.
using bytes = std::span<const std::uint8_t>;
// An output of HKDF-SHA256, or an X25519 shared secret.
using secret = std::array<std::uint8_t, 32>;
// A tag of AES-128-GCM or ChaCha20-Poly1305.
inline constexpr std::size_t tag_bytes = 16;

// HMAC-SHA256 and HKDF over one digest that is fetched once. One thread at a time.
class hkdf {
  public:
    hkdf();
    // HKDF-Extract of "HPKE-v1" and the parts.
    secret extract(bytes salt, std::initializer_list<bytes> parts);
    // HKDF-Expand to `out`, at most 32 bytes, of the labelled info.
    void expand(const secret &key, std::initializer_list<bytes> parts, std::span<std::uint8_t> out);

  private:
    secret hmac(bytes key, std::initializer_list<bytes> before, std::initializer_list<bytes> parts,
                bytes after);

    digest sha256_;
    digest_context context_;
};

// An AEAD of HPKE with the part of its key schedule that is the same for every envelope.
class aead {
  public:
    // `name` as OpenSSL knows it, `id` of RFC 9180, 7.3.
    aead(const char *name, std::uint16_t id, bytes info, hkdf &with);

    // SetupBaseR from the shared secret on, then Open with sequence number 0. Decrypts to `out`,
    // where the ciphertext's length has room. False: the ciphertext is not of this key, suite and
    // associated data.
    bool open(const secret &shared, bytes associated, bytes ciphertext, std::uint8_t *out,
              hkdf &with);

  private:
    std::array<std::uint8_t, 10> suite_;
    std::array<std::uint8_t, 65> schedule_; // key_schedule_context
    cipher cipher_;
    cipher_context context_;
    std::size_t key_bytes_;
};

// Decap of DHKEM(X25519, HKDF-SHA256) for one private key. One thread at a time.
class receiver {
  public:
    // The key must outlive it.
    explicit receiver(EVP_PKEY *key);

    // False: enc is no key that anybody's could be agreed with.
    bool decapsulate(bytes enc, bytes public_key, secret &shared, hkdf &with);

  private:
    pkey_context context_;
    pkey peer_;
};

} // namespace sotto::aggregator::hpke
#endif
