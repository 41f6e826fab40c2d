// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/new_ids.hpp"

#include "aggregator/base/failure.hpp"

#include <algorithm>
#include <openssl/evp.h>

namespace sotto::aggregator {
namespace {

// OpenSSL's: a counter of four bytes, then RFC 8439's nonce.
constexpr std::array<std::uint8_t, 16> nonce = {0,   0,   0,   0,   's', 'o', 't', 't',
                                                'o', '-', 'i', 'd', 0,   0,   0,   0};

void check(int done) {
    if (done != 1) {
        throw environment_error("OpenSSL can't do ChaCha20 here");
    }
}

} // namespace

void new_ids::free_context::operator()(evp_cipher_ctx_st *context) const {
    EVP_CIPHER_CTX_free(context);
}

new_ids::new_ids() : context_(EVP_CIPHER_CTX_new()) {
    check(context_ != nullptr ? 1 : 0);
    check(EVP_EncryptInit_ex(context_.get(), EVP_chacha20(), nullptr, nullptr, nullptr));
}

std::span<const std::uint8_t> new_ids::of_seed(std::span<const std::uint8_t, 8> seed,
                                               std::size_t count) {
    std::array<std::uint8_t, 32> key = {};
    std::copy(seed.begin(), seed.end(), key.begin());
    zeros_.resize(std::max(zeros_.size(), 8 * count));
    ids_.resize(zeros_.size());
    check(EVP_EncryptInit_ex(context_.get(), nullptr, nullptr, key.data(), nonce.data()));
    int written = 0;
    check(EVP_EncryptUpdate(context_.get(), ids_.data(), &written, zeros_.data(),
                            static_cast<int>(8 * count)));
    return std::span(ids_).first(8 * count);
}

} // namespace sotto::aggregator
