// SPDX-License-Identifier: Apache-2.0
#include "aggregator/seal/key.hpp"

#include "aggregator/base/failure.hpp"
#include "aggregator/base/key_reader.hpp"
#include "aggregator/base/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace sotto::aggregator {
namespace {

struct free_key {
    void operator()(EVP_PKEY *key) const { EVP_PKEY_free(key); }
};
using evp_key = std::unique_ptr<EVP_PKEY, free_key>;

[[noreturn]] void fail_openssl() {
    throw environment_error("OpenSSL can't do X25519 here, or has no randomness");
}

key_bytes public_of(const key_bytes &secret) {
    const evp_key key(
        EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, secret.data(), secret.size()));
    key_bytes out;
    std::size_t length = out.size();
    if (!key || EVP_PKEY_get_raw_public_key(key.get(), out.data(), &length) != 1) {
        fail_openssl();
    }
    return out;
}

// A directory has both, and neither does the other's work.
void fail_of_requests(key_reader &reader) {
    if (reader.has(key_label::signs) || reader.has(key_label::checks)) {
        reader.fail("a key of sotto keygen --requests, for signing; one that seals and opens is "
                    "needed");
    }
}

private_key read_private_key(const std::string &path) {
    key_reader reader(path);
    if (reader.has(key_label::seals)) {
        reader.fail("a public key; the private one, which opens, is needed");
    }
    fail_of_requests(reader);
    if (!reader.has(key_label::opens)) {
        reader.fail_shape();
    }
    key_bytes secret = reader.hex_line<32>("x25519 ");
    private_key key(secret, false);
    reader.finish(key.of_public().id);
    if (reader.has("retired\n")) {
        key = private_key(secret, true);
    }
    OPENSSL_cleanse(secret.data(), secret.size());
    reader.require_end();
    return key;
}

} // namespace

std::uint32_t key_id(const key_bytes &public_key) {
    static constexpr std::string_view label = "\x0csotto key v1";
    std::vector<std::uint8_t> text(label.begin(), label.end());
    text.insert(text.end(), public_key.begin(), public_key.end());
    std::array<std::uint8_t, 32> digest;
    if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1) {
        fail_openssl();
    }
    return static_cast<std::uint32_t>(digest[0]) << 24 |
           static_cast<std::uint32_t>(digest[1]) << 16 |
           static_cast<std::uint32_t>(digest[2]) << 8 | digest[3];
}

private_key::private_key(const key_bytes &secret, bool retired)
    : secret_(secret), retired_(retired) {
    public_.bytes = public_of(secret);
    public_.id = key_id(public_.bytes);
}

private_key::~private_key() { OPENSSL_cleanse(secret_.data(), secret_.size()); }

private_key generate_key() {
    const evp_key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519"));
    key_bytes secret;
    std::size_t length = secret.size();
    if (!key || EVP_PKEY_get_raw_private_key(key.get(), secret.data(), &length) != 1) {
        fail_openssl();
    }
    const private_key made(secret, false);
    OPENSSL_cleanse(secret.data(), secret.size());
    return made;
}

std::string key_text(const public_key &key) {
    return fmt::format("{}x25519 {}\nid {}\n", key_label::seals, hex(key.bytes),
                       fingerprint_text(key.id));
}

std::string key_text(const private_key &key) {
    return fmt::format("{}x25519 {}\nid {}\n{}", key_label::opens, hex(key.secret()),
                       fingerprint_text(key.of_public().id), key.retired() ? "retired\n" : "");
}

public_key read_public_key(const std::string &path) {
    key_reader reader(path);
    if (reader.has(key_label::opens)) {
        reader.fail("a private key; the public one, which seals, is needed");
    }
    fail_of_requests(reader);
    if (!reader.has(key_label::seals)) {
        reader.fail_shape();
    }
    public_key key;
    key.bytes = reader.hex_line<32>("x25519 ");
    key.id = key_id(key.bytes);
    reader.finish(key.id);
    reader.require_end();
    return key;
}

std::vector<private_key> read_private_keys(const std::string &path) {
    if (!std::filesystem::is_directory(path)) {
        return {read_private_key(path)};
    }
    std::vector<std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(path)) {
        const std::string file = entry.path().string();
        if (entry.path().extension() == ".key" && !key_reader(file).has(key_label::signs)) {
            files.push_back(file);
        }
    }
    if (files.empty()) {
        throw usage_error(path + ": no file in it that ends in .key opens what is sealed");
    }
    std::sort(files.begin(), files.end());
    std::vector<private_key> keys;
    std::transform(files.begin(), files.end(), std::back_inserter(keys), read_private_key);
    return keys;
}

} // namespace sotto::aggregator
