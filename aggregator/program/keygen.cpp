// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/new_file.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/program/commands.hpp"
#include "aggregator/request/key.hpp"
#include "aggregator/seal/key.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <openssl/crypto.h>

namespace sotto::aggregator {
namespace {

struct key_files {
    std::filesystem::path secret, open;
};

// Wipes the private text. Both or none are there afterwards.
key_files write_pair(const std::filesystem::path &directory, std::uint32_t id,
                     std::string &private_text, const std::string &public_text) {
    make_directory(directory);
    const std::string name = fingerprint_text(id);
    key_files files = {directory / (name + ".key"), directory / (name + ".pub")};
    write_new_file(files.secret, private_text, 0600);
    OPENSSL_cleanse(private_text.data(), private_text.size());
    try {
        write_new_file(files.open, public_text, 0644);
    } catch (...) {
        std::filesystem::remove(files.secret); // half a pair is of no use
        throw;
    }
    return files;
}

} // namespace

exit_code keygen(const keygen_options &options) {
    if (options.requests) {
        const request_key made = generate_request_key();
        std::string text = private_key_text(made);
        const key_files files = write_pair(options.out, made.id(), text, public_key_text(made));
        fmt::print("key {}: {} signs requests to devices that know {}\n",
                   fingerprint_text(made.id()), files.secret.string(), files.open.string());
    } else {
        const private_key made = generate_key();
        std::string text = key_text(made);
        const key_files files =
            write_pair(options.out, made.of_public().id, text, key_text(made.of_public()));
        fmt::print("key {}: {} opens what is sealed with {}\n",
                   fingerprint_text(made.of_public().id), files.secret.string(),
                   files.open.string());
    }
    return exit_code::done;
}

} // namespace sotto::aggregator
