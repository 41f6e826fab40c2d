// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_NAMED_STORE_HPP
#define SOTTO_AGGREGATOR_STORE_NAMED_STORE_HPP

#include "aggregator/store/ingest.hpp"
#include "aggregator/store/store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// The store that the user named. It is opened, or created, when the first file could be read: a
// mistyped file name or key leaves nothing behind. Errors: those of store.
class named_store {
  public:
    // `ledger_place`: see store::check_ledger.
    named_store(std::string path, registry_file given, std::string ledger_place = {})
        : path_(std::move(path)), given_(std::move(given)), ledger_place_(std::move(ledger_place)) {
    }

    // The registries that it keeps and the one that the user gave, which it will.
    std::vector<registry> admitted() const;

    // Tells a run which files are in the store, if there is one.
    void tell(ingest &run) const;

    const store &open();

    const std::string &path() const { return path_; }
    bool is_new() const { return is_new_; } // it was created: worth saying, as for a mistyped one

  private:
    std::string path_;
    registry_file given_;
    std::string ledger_place_;
    std::optional<store> store_;
    bool is_new_ = false;
};

} // namespace sotto::aggregator
#endif
