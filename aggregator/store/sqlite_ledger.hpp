// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_SQLITE_LEDGER_HPP
#define SOTTO_AGGREGATOR_STORE_SQLITE_LEDGER_HPP

#include "aggregator/store/ledger.hpp"

#include <filesystem>

namespace sotto::aggregator {

// A ledger in a file of the store, for programs of one machine. Errors: environment_error.
struct sqlite_ledger {
    // Makes the file where it is missing. For who holds the store's lock.
    static ledger to_write(const std::filesystem::path &path);
    // A snapshot: later writes don't show in it.
    static ledger to_read(const std::filesystem::path &path);
    static ledger empty(); // in memory
    // The file may be missing, or hardly begun.
    static bool names_segments(const std::filesystem::path &path);
};

} // namespace sotto::aggregator
#endif
