// SPDX-License-Identifier: Apache-2.0
// Report files into a store: the program and the Python package call it.
#ifndef SOTTO_AGGREGATOR_STORE_FILE_INGEST_HPP
#define SOTTO_AGGREGATOR_STORE_FILE_INGEST_HPP

#include "aggregator/base/failure.hpp"
#include "aggregator/report/reason.hpp"
#include "aggregator/seal/open.hpp"
#include "aggregator/store/named_store.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sotto::aggregator {

// Files of an ingest that need another look.
struct ingested_files {
    // In these nothing is readable, or another key, another registry or a newer program may read
    // more.
    std::vector<std::string> unfinished;
    // These could not be read to their end, and why; the rest of them is not in the store.
    std::vector<std::pair<std::string, std::string>> failed;
};

struct ingested {
    std::uint64_t envelopes = 0, reports = 0; // reports: new in the store
    rejections rejected;
    std::vector<std::pair<std::string, rejections>> rejected_of; // the files that rejects came from
    ingested_files files;
    exit_code code = exit_code::done; // the worst complaint's
};

// Is called as an ingest goes on.
struct ingest_listener {
    // So many envelopes, and this share of all bytes: 0 to 1.
    std::function<void(std::uint64_t, double)> progress;
    // A file that could not be taken; the next ones are.
    std::function<void(exit_code, const std::string &)> complain;
};

// Takes all files in; `keys` may be null. Where anybody chose the files, those that fail are
// listed and not complained about. Errors: those of the store.
ingested ingest_files_into(named_store &target, const keyring *keys,
                           const std::vector<std::string> &files, chosen_by whom,
                           const ingest_listener &listener);

} // namespace sotto::aggregator
#endif
