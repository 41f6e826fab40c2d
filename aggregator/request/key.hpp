// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REQUEST_KEY_HPP
#define SOTTO_AGGREGATOR_REQUEST_KEY_HPP

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace sotto::aggregator {

using p256_point = std::array<std::uint8_t, 64>;     // x and y
using p256_signature = std::array<std::uint8_t, 64>; // r and s

// The operator's key, which signs requests. Zeroes what it holds when it goes.
class request_key {
  public:
    // Errors: environment_error; usage_error for a scalar that is none of P-256.
    explicit request_key(const std::array<std::uint8_t, 32> &scalar);
    request_key(const request_key &) = default;
    request_key &operator=(const request_key &) = default;
    ~request_key();

    const std::array<std::uint8_t, 32> &scalar() const noexcept { return scalar_; }
    const p256_point &of_public() const noexcept { return public_; }
    // The public key's id, as sdk/proto/WIRE.md says.
    std::uint32_t id() const noexcept { return id_; }

    // ECDSA with SHA-256. Errors: environment_error.
    p256_signature sign(std::span<const std::uint8_t> text) const;

  private:
    std::array<std::uint8_t, 32> scalar_;
    p256_point public_ = {};
    std::uint32_t id_ = 0;
};

// A new one, from the operating system's randomness. Errors: environment_error.
request_key generate_request_key();

// The files' text.
std::string public_key_text(const request_key &key);
std::string private_key_text(const request_key &key);

// Errors: as those of key_reader.
request_key read_request_key(const std::string &path);
p256_point read_public_request_key(const std::string &path);

} // namespace sotto::aggregator
#endif
