// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/account.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace sotto::aggregator {
namespace {

// Envelopes that another key, registry or program can open.
std::uint64_t unopened(const rejections &rejected) {
    constexpr std::array why = {reason::sealed,          reason::unknown_key,
                                reason::retired_key,     reason::not_opened,
                                reason::unknown_version, reason::unknown_registry};
    return std::accumulate(
        why.begin(), why.end(), std::uint64_t{0},
        [&](std::uint64_t sum, reason cause) { return sum + rejected.count(cause); });
}

} // namespace

void known_accounts::ask(ledger *book) {
    kept_.reset();
    if (book != nullptr) {
        kept_.emplace(*book);
    }
}

std::optional<std::uint64_t> known_accounts::next_length(std::uint64_t above_bytes,
                                                         std::uint64_t head) {
    const auto kept = kept_ ? kept_->next_length(above_bytes, head) : std::nullopt;
    const auto fresh = fresh_.lower_bound({head, above_bytes + 1, 0});
    if (fresh == fresh_.end() || fresh->second.head != head) {
        return kept;
    }
    return std::min(fresh->second.bytes, kept.value_or(fresh->second.bytes));
}

std::optional<file_record> known_accounts::find(const content_prefix &prefix, std::uint64_t head) {
    head = prefix.bytes < file_head_bytes ? 0 : head;
    if (const auto at = fresh_.find({head, prefix.bytes, prefix.digest}); at != fresh_.end()) {
        return at->second;
    }
    std::optional<file_record> kept =
        kept_ ? kept_->find(prefix.bytes, prefix.digest) : std::nullopt;
    if (kept) {
        kept->head = head; // an older program did not keep it
    }
    return kept;
}

void known_accounts::put(const file_record &record) {
    fresh_.insert_or_assign({record.head, record.bytes, record.digest}, record);
}

void known_accounts::commit(ledger &book) {
    transaction change = book.begin();
    for (const auto &[key, record] : fresh_) {
        book.put(record);
    }
    change.commit();
    fresh_.clear();
}

void file_account::settle(const rejections &since, const file_record &known, bool is_all) {
    add(since);
    counts_ = unopened(read_) < unopened(known.rejected) ? read_ : known.rejected;
    if (!is_all) {
        counts_.forget(reason::truncated); // it goes on
        beginnings_.push_back(known);
        beginnings_.back().rejected = {};
    }
}

void file_account::add(const rejections &since) {
    read_.add(since);
    counts_.add(since);
}

} // namespace sotto::aggregator
