// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_SERVE_SPOOL_HPP
#define SOTTO_AGGREGATOR_SERVE_SPOOL_HPP

#include "aggregator/base/atomic_file.hpp"
#include "aggregator/serve/body_kind.hpp"

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
        body_kind kind;                               // as kind_of() says
        std::function<void(std::exception_ptr)> then; // tells the sender
        std::exception_ptr failure = nullptr;         // none: whole and durable
    };
    // Writes all bodies with as few syncs as there can be, and sets each one's failure; order is
    // lost. Bodies of one kind share a file, one after the other: a body of another kind can't get
    // that file refused. A body of no kind has a file of its own.
    void store(std::span<body> bodies) noexcept;
    // Writes a file, and removes it. Errors: environment_error. Safe in any thread.
    void try_out() const;

    const std::filesystem::path &directory() const noexcept { return directory_; }
    // Counts of all that was stored; `room_bytes` as of waiting_files.
    struct totals {
        std::uint64_t files = 0, room_bytes = 0, syncs = 0;
    };
    const totals &stored() const noexcept { return stored_; }

  private:
    void store_or_halve(std::span<body> bodies) noexcept;
    void write_files(std::span<const body> bodies);
    void name(atomic_file &file, unsynced_files &with);

    std::filesystem::path directory_;
    std::uint64_t names_ = 0;
    totals stored_;
    std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
};

} // namespace sotto::aggregator
#endif
