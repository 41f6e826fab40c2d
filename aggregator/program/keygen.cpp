// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/new_file.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/seal/key.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <openssl/crypto.h>

namespace sotto::aggregator {

exit_code keygen(const keygen_options &options) {
    const std::filesystem::path directory = options.out;
    make_directory(directory);
    const private_key made = generate_key();
    const std::string id = fingerprint_text(made.of_public().id);
    const std::filesystem::path secret = directory / (id + ".key"),
                                open = directory / (id + ".pub");
    std::string text = key_text(made);
    write_new_file(secret, text, 0600);
    OPENSSL_cleanse(text.data(), text.size());
    try {
        write_new_file(open, key_text(made.of_public()), 0644);
    } catch (...) {
        std::filesystem::remove(secret); // half a pair is of no use
        throw;
    }
    fmt::print("key {}: {} opens what is sealed with {}\n", id, secret.string(), open.string());
    return exit_code::done;
}

} // namespace sotto::aggregator
