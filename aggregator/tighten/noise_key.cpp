// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tighten/noise_key.hpp"

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/file.hpp"
#include "aggregator/base/log.hpp"
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
#include <system_error>
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

// Under a name that nothing has: a killed run may have left one of this process's number.
std::filesystem::path write_unfinished(const std::filesystem::path &directory,
                                       std::string_view text) {
    for (int attempt = 0;; ++attempt) {
        std::filesystem::path path =
            directory / fmt::format("{}{}-key{}", temporary_prefix, getpid(), attempt);
        try {
            write_new_file(path, text, 0600);
            return path;
        } catch (const environment_error &why) {
            if (why.error_number() != EEXIST) {
                throw;
            }
        }
    }
}

// Answers an errno value, EEXIST where there is anything of this name, or 0.
int write_key(const std::filesystem::path &path, std::string_view text) {
    const std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : ".";
    try {
        const std::filesystem::path unfinished = write_unfinished(directory, text);
        const int failed = rename_unless_taken(AT_FDCWD, unfinished, AT_FDCWD, path);
        if (failed != 0) {
            std::filesystem::remove(unfinished);
            return failed;
        }
        sync_directory(directory);
    } catch (const environment_error &why) {
        return why.error_number();
    }
    return 0;
}

void check_is_its_owners(const std::string &path) {
    using std::filesystem::perms;
    const perms mode = std::filesystem::status(path).permissions();
    if ((mode & (perms::group_all | perms::others_all)) != perms::none) {
        throw usage_error(fmt::format("{}: others than its owner may use this noise key (mode "
                                      "{:04o}); allowed are 0600 and 0400, as chmod 600 makes it",
                                      path, static_cast<unsigned>(mode & perms::mask)));
    }
}

} // namespace

kept_noise_key read_or_draw_noise_key(const std::string &path) {
    if (std::filesystem::symlink_status(path).type() == std::filesystem::file_type::not_found) {
        return {random_key(), true};
    }
    std::string text = read_whole(path, 4096);
    const bool is_key = text.size() == label.size() + 2 * sizeof(noise_key) + 1 &&
                        text.starts_with(label) && text.back() == '\n';
    auto bytes = is_key ? from_hex(text.substr(label.size(), 2 * sizeof(noise_key))) : std::nullopt;
    OPENSSL_cleanse(text.data(), text.size());
    if (!bytes) {
        throw usage_error(path + ": no noise key as sotto tighten makes it");
    }
    check_is_its_owners(path);
    noise_key key;
    std::copy(bytes->begin(), bytes->end(), key.begin());
    OPENSSL_cleanse(bytes->data(), bytes->size());
    return {key, false};
}

void keep_noise_key(const std::string &path, const noise_key &key) {
    std::string text = fmt::format("{}{}\n", label, hex(key));
    const int failed = write_key(path, text);
    OPENSSL_cleanse(text.data(), text.size());
    if (failed == EEXIST) {
        throw environment_error(path + ": another run made this noise key meanwhile; run it again");
    }
    if (failed != 0) {
        throw environment_error(
            fmt::format("{}: the noise key can't be made there: {}; --noise-key "
                        "FILE names another place",
                        path, std::generic_category().message(failed)));
    }
    log_line(fmt::format("{}: new noise key; keep it with the registry and every copy of it: with "
                         "another key the noise is another",
                         path));
}

noise_key noise_key_of(const seed_bytes &seed) {
    noise_key key;
    if (EVP_Digest(seed.data(), seed.size(), key.data(), nullptr, EVP_sha256(), nullptr) != 1) {
        throw environment_error("OpenSSL can't do SHA-256 here");
    }
    return key;
}

} // namespace sotto::aggregator
