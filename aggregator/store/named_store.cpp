// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/named_store.hpp"

#include <filesystem>

namespace sotto::aggregator {

std::vector<registry> named_store::admitted() const {
    store::check_ledger(path_, ledger_place_);
    std::vector<registry> known;
    if (std::filesystem::exists(path_)) {
        known = store::to_read(path_).registries();
        store::check_admissible(path_, known, given_.content);
    }
    known.push_back(given_.content);
    return known;
}

void named_store::tell(ingest &run) const {
    if (store_ || std::filesystem::exists(path_)) {
        run.know(store::to_read(path_));
    }
}

const store &named_store::open() {
    if (!store_) {
        is_new_ = !std::filesystem::exists(std::filesystem::path(path_) / "store.json");
        store_ = store::to_write(path_, ledger_place_);
        store_->keep(given_);
    }
    return *store_;
}

} // namespace sotto::aggregator
