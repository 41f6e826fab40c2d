// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_SPOOL_HPP
#define SOTTO_AGGREGATOR_SERVE_SPOOL_HPP

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace sotto::aggregator {

// A directory of report files that wait to be ingested. Names are its own; nothing that was
// received is part of one. For one thread.
class spool {
  public:
    // Removes what an earlier run was killed over. Errors: environment_error.
    explicit spool(std::filesystem::path directory);

    struct body {
        std::string_view bytes;
        std::function<void(std::exception_ptr)> then; // of whoever is to be told
        std::exception_ptr failure = nullptr;         // none: whole and durable
    };
    // Writes all bodies with as few syncs as there can be, and sets each one's failure; order is
    // lost. Bodies share a file, one after the other; one that does not end with an envelope is the
    // last of its file, so that no other is lost with its framing.
    void store(std::span<body> bodies) noexcept;

    const std::filesystem::path &directory() const noexcept { return directory_; }
    std::uint64_t syncs() const noexcept { return syncs_; }

  private:
    void store_or_halve(std::span<body> bodies) noexcept;
    void write_file(std::span<const body> bodies);

    std::filesystem::path directory_;
    std::uint64_t files_ = 0, syncs_ = 0;
    std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
};

} // namespace sotto::aggregator
#endif
