// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_ACCOUNT_HPP
#define SOTTO_AGGREGATOR_STORE_ACCOUNT_HPP

#include "aggregator/report/envelope_file.hpp"
#include "aggregator/store/ledger.hpp"

#include <map>

namespace sotto::aggregator {

// What the store says of the files that it took in before, by their content.
class known_accounts {
  public:
    known_accounts() = default;
    explicit known_accounts(std::vector<file_record> all);

    std::vector<std::uint64_t> lengths_bytes() const; // rising, each once
    const file_record *find(const content_prefix &of) const;
    void put(const file_record &one);

  private:
    std::map<std::pair<std::uint64_t, std::uint64_t>, file_record> files_; // by bytes and digest
};

// What is to be said of a file that is being read. Where the store knows its beginning, that of the
// reading counts that could open more of it; of two that could open as much the first, since
// reports that were counted then may have expired.
class file_account {
  public:
    // What was rejected since the last call, and what is known of the file up to here.
    void settle(const rejections &since, const file_record &known, bool is_all);
    void add(const rejections &since);

    const rejections &read() const noexcept { return read_; } // by this reading alone
    const rejections &counts() const noexcept { return counts_; }
    // The files whose account this one's now holds.
    const std::vector<file_record> &beginnings() const noexcept { return beginnings_; }

  private:
    rejections read_, counts_;
    std::vector<file_record> beginnings_;
};

} // namespace sotto::aggregator
#endif
