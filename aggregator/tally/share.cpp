// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/share.hpp"

#include "aggregator/base/append_big_endian.hpp"
#include "aggregator/base/bytes.hpp"
#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/tally/release_counter.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sotto::aggregator {
namespace {

constexpr std::string_view share_magic = "SOTTOSHR";
constexpr std::uint32_t share_format = 1;
constexpr std::size_t share_head_bytes = 20, share_tail_bytes = 8;

// Rows in their order, as merged_rows has them.
class row_sequence {
  public:
    explicit row_sequence(row_range rows) : rows_(rows) {}
    row_view next() { return at_ < rows_.size() ? rows_[at_++] : row_view(); }

  private:
    row_range rows_;
    std::size_t at_ = 0;
};

std::vector<std::uint8_t> distinct_rows(const row_list &rows) {
    const std::size_t width = rows.width();
    std::vector<std::uint8_t> out;
    out.reserve(rows.size() * width);
    rows.for_each_sorted([&](std::span<std::uint8_t> some) {
        row_view last;
        for (std::size_t at = 0; at < some.size(); at += width) {
            const row_view row = some.subspan(at, width);
            if (last.empty() || !same(last, row)) {
                out.insert(out.end(), row.begin(), row.end());
            }
            last = row;
        }
    });
    return out;
}

std::string part_text(const partition &part) {
    return fmt::format("{}/{}", part.index, part.count);
}

// Each partition once.
void remove_repeated(std::vector<tally_share> &shares) {
    std::ranges::sort(shares, {}, [](const tally_share &s) { return s.part.index; });
    const std::uint32_t count = shares.front().part.count;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const bool again = i > 0 && shares[i].part.index == shares[i - 1].part.index;
        if (shares[i].part.count != count) {
            throw usage_error(fmt::format("shares of {} and of {} parts; tally all parts again",
                                          count, shares[i].part.count));
        }
        if (again && share_text(shares[i]) != share_text(shares[i - 1])) {
            throw usage_error(fmt::format("two shares of part {} contradict each other; tally all "
                                          "parts again",
                                          part_text(shares[i].part)));
        }
    }
    const auto is_same = [](const tally_share &a, const tally_share &b) {
        return a.part.index == b.part.index;
    };
    shares.erase(std::unique(shares.begin(), shares.end(), is_same), shares.end());
    for (std::uint32_t i = 0; i < count; ++i) {
        if (i == shares.size() || shares[i].part.index != i) {
            throw usage_error(
                fmt::format("part {} is missing; tally all parts", part_text({i, count})));
        }
    }
}

struct sum_of_shares {
    partial_tally whole;
    epoch_tally counts;
};

} // namespace

std::vector<partial_tally> tally_rows(const metric &m, const row_list &rows,
                                      const partition &part) {
    const std::vector<std::uint8_t> distinct = distinct_rows(rows);
    row_range rest(distinct, rows.width());
    std::vector<partial_tally> out;
    while (!rest.empty()) {
        const std::uint32_t epoch = epoch_of(rest.front());
        const row_range here =
            rest.first(rest.partition_point([&](row_view r) { return epoch_of(r) == epoch; }));
        rest = rest.from(here.size());
        partial_tally tally{m.fingerprint, epoch, here.size(), 0, part, {}};
        bool is_sound = true;
        for (std::size_t i = 0; i < here.size(); ++i) {
            tally.digest += checksum(here[i]);
            is_sound = is_sound && partition_index(hash_of(here[i]), part.count) == part.index;
        }
        release_counter counter(m);
        for_each_release(row_sequence(here), [&](release_levels levels) {
            is_sound = counter.count(levels) && is_sound;
        });
        if (!is_sound) {
            throw usage_error(fmt::format("{}, epoch {}: a row that the metric or part {} can't "
                                          "have; parse the report files again",
                                          m.name, epoch, part_text(part)));
        }
        tally.counts = tally_bytes(counter.finish());
        out.push_back(std::move(tally));
    }
    return out;
}

std::string share_text(const tally_share &share) {
    std::string out(share_magic);
    append_big_endian(out, share_format);
    append_big_endian(out, share.part.index);
    append_big_endian(out, share.part.count);
    out += entries_text(share.tallies);
    append_big_endian(out, checksum(bytes_of(out)));
    return out;
}

tally_share read_share(std::string_view text) {
    std::span<const std::uint8_t> bytes = bytes_of(text);
    const auto word = [&](std::size_t at) { return get_big_endian<std::uint32_t>(&bytes[at]); };
    if (!text.starts_with(share_magic) || bytes.size() < share_head_bytes + share_tail_bytes ||
        word(8) != share_format) {
        throw usage_error("not a share of this version of sotto; tally its part again");
    }
    const auto content = bytes.first(bytes.size() - share_tail_bytes);
    auto tallies = read_entries(content.subspan(share_head_bytes));
    const partition part{word(12), word(16)};
    bool sound = checksum(content) == get_big_endian<std::uint64_t>(&bytes[content.size()]) &&
                 part.index < part.count && tallies.has_value();
    for (std::size_t i = 0; sound && i < tallies->size(); ++i) {
        const partition &other = (*tallies)[i].part;
        sound = other.index == part.index && other.count == part.count;
    }
    if (!sound) {
        throw usage_error("a damaged share; tally its part again");
    }
    return {part, std::move(*tallies)};
}

std::vector<partial_tally> add_shares(std::vector<tally_share> shares,
                                      const std::vector<metric> &metrics) {
    if (shares.empty()) {
        return {};
    }
    remove_repeated(shares);
    std::map<std::pair<std::uint32_t, std::uint32_t>, sum_of_shares> sums; // by metric and epoch
    for (const tally_share &share : shares) {
        for (const partial_tally &tally : share.tallies) {
            const auto m = std::ranges::find(metrics, tally.metric, &metric::fingerprint);
            if (m == metrics.end()) {
                throw usage_error(fmt::format("a share of metric {}, which no registry has",
                                              fingerprint_text(tally.metric)));
            }
            const auto counts = read_tally(*m, tally.counts);
            const auto [at, is_new] = sums.try_emplace({tally.metric, tally.epoch});
            auto &[whole, sum] = at->second;
            if (is_new) {
                whole = {tally.metric, tally.epoch, 0, 0, {}, {}};
                sum = empty_epoch_tally(*m);
            }
            if (counts) {
                add(sum, *counts);
            }
            if (!counts || !is_possible(*m, sum)) {
                throw usage_error(fmt::format("{}, epoch {}: part {} is not a tally that reports "
                                              "of this metric can have; tally it again",
                                              m->name, tally.epoch, part_text(share.part)));
            }
            whole.rows += tally.rows;
            whole.digest += tally.digest;
        }
    }
    std::vector<partial_tally> out;
    for (auto &[place, sum] : sums) {
        sum.whole.counts = tally_bytes(sum.counts);
        out.push_back(std::move(sum.whole));
    }
    return out;
}

} // namespace sotto::aggregator
