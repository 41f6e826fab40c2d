// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STORE_ACCOUNT_HPP
#define SOTTO_AGGREGATOR_STORE_ACCOUNT_HPP

#include "aggregator/report/envelope_file.hpp"
#include "aggregator/store/ledger.hpp"

#include <array>
#include <map>
#include <optional>

namespace sotto::aggregator {

// Records of the files that were taken in before, found by their content. A ledger keeps them,
// perhaps very many; new ones wait in memory for commit().
class known_accounts {
  public:
    // From now on; it must stay in its place. Null: there is none yet.
    void ask(ledger *book);

    // As envelope_file asks for it.
    std::optional<std::uint64_t> next_length(std::uint64_t above_bytes, std::uint64_t head);
    std::optional<file_record> find(const content_prefix &prefix, std::uint64_t head);
    void put(const file_record &record);
    bool has_new() const noexcept { return !fresh_.empty(); }
    // To the ledger, in one transaction.
    void commit(ledger &book);

  private:
    std::optional<kept_files> kept_;
    std::map<std::array<std::uint64_t, 3>, file_record> fresh_; // by head, bytes and digest
};

// The account of a file that is being read. Where the store knows its beginning, the reading that
// could open more of it counts. Between equals the first counts, since reports it counted may
// have expired.
class file_account {
  public:
    // `since`: rejected since the last call. `known`: the record of the file up to here.
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
