// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tighten/noise_key.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/base/new_file.hpp"
#include "aggregator/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <unistd.h>

namespace sotto::aggregator {
namespace {

constexpr std::string_view label = "sotto tighten key v1\nnoise ";

noise_key random_key() {
    noise_key key;
    if (RAND_bytes(key.data(), static_cast<int>(key.size())) != 1) {
        throw environment_error("OpenSSL has no randomness");
    }
    return key;
}

void make(const std::filesystem::path &path) {
    noise_key key = random_key();
    std::string text = fmt::format("{}{}\n", label, hex(key));
    const std::filesystem::path unfinished =
        path.parent_path() / fmt::format("{}{}-key", temporary_prefix, getpid());
    write_new_file(unfinished, text, 0600);
    OPENSSL_cleanse(text.data(), text.size());
    OPENSSL_cleanse(key.data(), key.size());
    const int failed = rename_unless_taken(AT_FDCWD, unfinished, AT_FDCWD, path);
    if (failed != 0) {
        std::filesystem::remove(unfinished);
    }
    if (failed != 0 && failed != EEXIST) {
        throw environment_error(path, failed);
    }
    sync_directory(path.has_parent_path() ? path.parent_path() : ".");
}

} // namespace

noise_key read_or_make_noise_key(const std::string &path) {
    if (std::filesystem::symlink_status(path).type() == std::filesystem::file_type::not_found) {
        make(path);
    }
    std::string text = read_whole(path, 4096);
    const bool is_key = text.size() == label.size() + 2 * sizeof(noise_key) + 1 &&
                        text.starts_with(label) && text.back() == '\n';
    auto bytes = is_key ? from_hex(text.substr(label.size(), 2 * sizeof(noise_key))) : std::nullopt;
    OPENSSL_cleanse(text.data(), text.size());
    if (!bytes) {
        throw usage_error(path + ": no noise key as sotto tighten makes it");
    }
    noise_key key;
    std::copy(bytes->begin(), bytes->end(), key.begin());
    OPENSSL_cleanse(bytes->data(), bytes->size());
    return key;
}

noise_key noise_key_of(const seed_bytes &seed) {
    noise_key key;
    if (EVP_Digest(seed.data(), seed.size(), key.data(), nullptr, EVP_sha256(), nullptr) != 1) {
        throw environment_error("OpenSSL can't do SHA-256 here");
    }
    return key;
}

} // namespace sotto::aggregator
