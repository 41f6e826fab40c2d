// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_TOOLS_BENCH_LIBRARY_IDS_HPP
#define SOTTO_TOOLS_BENCH_LIBRARY_IDS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <openssl/evp.h>
#include <span>
#include <stdexcept>
#include <vector>

namespace sotto::bench {

// The ids of new releases as WIRE.md says them, by OpenSSL's ChaCha20, one batch after the other.
class library_ids {
  public:
    library_ids() : context_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {
        check(EVP_EncryptInit_ex(context_.get(), EVP_chacha20(), nullptr, nullptr, nullptr));
    }

    // The first `count`, each as eight bytes; they stay until the next call.
    std::span<const std::uint8_t> make(std::span<const std::uint8_t, 8> seed, std::size_t count) {
        static constexpr std::array<std::uint8_t, 16> number_and_nonce = {
            0, 0, 0, 0, 's', 'o', 't', 't', 'o', '-', 'i', 'd', 0, 0, 0, 0};
        std::array<std::uint8_t, 32> key = {};
        std::copy(seed.begin(), seed.end(), key.begin());
        zeros_.resize(std::max(zeros_.size(), 8 * count));
        ids_.resize(zeros_.size());
        check(EVP_EncryptInit_ex(context_.get(), nullptr, nullptr, key.data(),
                                 number_and_nonce.data()));
        int written = 0;
        check(EVP_EncryptUpdate(context_.get(), ids_.data(), &written, zeros_.data(),
                                static_cast<int>(8 * count)));
        return std::span(ids_).first(8 * count);
    }

  private:
    static void check(int done) {
        if (done != 1) {
            throw std::runtime_error("OpenSSL can't do ChaCha20 here");
        }
    }
    std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context_;
    std::vector<std::uint8_t> zeros_, ids_;
};

} // namespace sotto::bench
#endif
