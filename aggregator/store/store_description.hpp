// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_STORE_DESCRIPTION_HPP
#define SOTTO_AGGREGATOR_STORE_STORE_DESCRIPTION_HPP

#include <filesystem>
#include <string>

namespace sotto::aggregator {

// The content of store.json: {"format": 4}, or that with "ledger" and "id".
struct store_description {
    std::string ledger; // connection string of PostgreSQL; empty: ledger.sqlite
    std::string id;     // the store in such a ledger: a random number

    std::string text() const;
};

// Errors: usage_error when the store is older than this program, or when its ledger's place is none
// that --ledger takes; environment_error when it is newer.
store_description read_description(const std::filesystem::path &file);

// Errors: environment_error.
std::string new_store_id();

} // namespace sotto::aggregator
#endif
