// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SEAL_KEY_HPP
#define SOTTO_AGGREGATOR_SEAL_KEY_HPP

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

using key_bytes = std::array<std::uint8_t, 32>; // X25519

// The id of a public key, as sdk/proto/WIRE.md says.
std::uint32_t key_id(const key_bytes &public_key);

// An X25519 public key and the id that envelopes name it by.
struct public_key {
    std::uint32_t id = 0;
    key_bytes bytes = {};
};

// Zeroes what it holds when it goes.
class private_key {
  public:
    private_key(const key_bytes &secret, bool retired);
    private_key(const private_key &) = default;
    private_key &operator=(const private_key &) = default;
    ~private_key();

    const public_key &of_public() const noexcept { return public_; }
    const key_bytes &secret() const noexcept { return secret_; }
    // Whether its file says so: batches sealed for it are rejected.
    bool retired() const noexcept { return retired_; }

  private:
    key_bytes secret_;
    public_key public_;
    bool retired_;
};

// A new one, from the operating system's randomness. Errors: environment_error.
private_key generate_key();

// The files' text.
std::string key_text(const public_key &key);
std::string key_text(const private_key &key);

// Errors of both: usage_error "path: what", that never shows what is in the file; see fail_input.
public_key read_public_key(const std::string &path);
// `path` is a file, or a directory: then every file whose name ends in .key, except keys that sign
// requests. There must be one.
std::vector<private_key> read_private_keys(const std::string &path);

} // namespace sotto::aggregator
#endif
