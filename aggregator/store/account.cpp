// SPDX-License-Identifier: Apache-2.0
#include "aggregator/store/account.hpp"

#include <array>
#include <numeric>

namespace sotto::aggregator {
namespace {

// Envelopes that another key, registry or program can open.
std::uint64_t unopened(const rejections &of) {
    constexpr std::array why = {reason::sealed,          reason::unknown_key,
                                reason::retired_key,     reason::not_opened,
                                reason::unknown_version, reason::unknown_registry};
    return std::accumulate(why.begin(), why.end(), std::uint64_t{0},
                           [&](std::uint64_t sum, reason one) { return sum + of.of(one); });
}

} // namespace

known_accounts::known_accounts(std::vector<file_record> all) {
    for (const file_record &one : all) {
        put(one);
    }
}

std::vector<std::uint64_t> known_accounts::lengths_bytes() const {
    std::vector<std::uint64_t> lengths;
    for (const auto &[key, file] : files_) {
        if (lengths.empty() || lengths.back() != file.bytes) {
            lengths.push_back(file.bytes);
        }
    }
    return lengths;
}

const file_record *known_accounts::find(const content_prefix &of) const {
    const auto at = files_.find({of.bytes, of.digest});
    return at == files_.end() ? nullptr : &at->second;
}

void known_accounts::put(const file_record &one) {
    files_.insert_or_assign({one.bytes, one.digest}, one);
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
