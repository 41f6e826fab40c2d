// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/tally_file.hpp"

#include "aggregator/base/append_big_endian.hpp"
#include "aggregator/base/atomic_file.hpp"
#include "aggregator/base/bytes.hpp"
#include "aggregator/base/checksum.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace sotto::aggregator {
namespace {

constexpr std::string_view magic = "SOTTOTLY";
constexpr std::uint32_t format = 2;
constexpr std::size_t head_bytes = 12, entry_bytes = 36, checksum_bytes = 8;

auto place(const partial_tally &t) {
    return std::tuple(t.metric, t.epoch, t.part.count, t.part.index);
}

bool same_rows(const partial_tally &a, const partial_tally &b) {
    return a.rows == b.rows && a.digest == b.digest && a.part.count == b.part.count;
}

const metric *find(const registry &in, std::uint32_t fingerprint) {
    const auto at = std::ranges::find(in.metrics, fingerprint, &metric::fingerprint);
    return at == in.metrics.end() ? nullptr : &*at;
}

partial_tally sum_of(std::span<const partial_tally> parts, const metric &m) {
    const auto fail = [&](const std::string &what) {
        throw usage_error(fmt::format("{}, epoch {}: {}", m.name, parts[0].epoch, what));
    };
    epoch_tally sum = empty_epoch_tally(m);
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!same_rows(parts[i], parts[0])) {
            fail("partial tallies of different rows; tally all parts again, or each store with "
                 "--region-key");
        }
        if (i > 0 && parts[i].part.index == parts[i - 1].part.index) {
            if (parts[i].counts != parts[i - 1].counts) {
                fail("two partial tallies contradict each other; tally all parts again");
            }
            continue;
        }
        const std::optional<epoch_tally> counts = read_tally(m, parts[i].counts);
        if (!counts) {
            fail("not a tally that reports of this metric can have; tally it again");
        }
        if (parts[i].part.index != next++) {
            fail(fmt::format("part {}/{} is missing", next - 1, parts[i].part.count));
        }
        add(sum, *counts);
        if (!is_possible(m, sum)) {
            fail("more reports than any store has; tally all parts again");
        }
    }
    if (next != parts[0].part.count) {
        fail(fmt::format("part {}/{} is missing", next, parts[0].part.count));
    }
    return {m.fingerprint, parts[0].epoch, parts[0].rows, parts[0].digest, {}, tally_bytes(sum)};
}

} // namespace

std::string entries_text(const std::vector<partial_tally> &tallies) {
    std::string out;
    for (const partial_tally &t : tallies) {
        append_big_endian(out, t.metric);
        append_big_endian(out, t.epoch);
        append_big_endian(out, t.rows);
        append_big_endian(out, t.digest);
        append_big_endian(out, t.part.index);
        append_big_endian(out, t.part.count);
        append_big_endian(out, static_cast<std::uint32_t>(t.counts.size()));
        out.append(t.counts.begin(), t.counts.end());
    }
    return out;
}

std::optional<std::vector<partial_tally>> read_entries(std::span<const std::uint8_t> rest) {
    std::vector<partial_tally> tallies;
    while (!rest.empty()) {
        const bool has_head = rest.size() >= entry_bytes;
        const std::size_t size =
            has_head ? get_big_endian<std::uint32_t>(&rest[entry_bytes - 4]) : 0;
        if (!has_head || rest.size() - entry_bytes < size) {
            return std::nullopt;
        }
        const auto counts = rest.subspan(entry_bytes, size);
        const auto word = [&](std::size_t at) { return get_big_endian<std::uint32_t>(&rest[at]); };
        tallies.push_back({word(0),
                           word(4),
                           get_big_endian<std::uint64_t>(&rest[8]),
                           get_big_endian<std::uint64_t>(&rest[16]),
                           {word(24), word(28)},
                           {counts.begin(), counts.end()}});
        if (tallies.back().part.index >= tallies.back().part.count) {
            return std::nullopt;
        }
        rest = rest.subspan(entry_bytes + size);
    }
    return tallies;
}

std::string tally_file_text(const std::vector<partial_tally> &tallies, const std::string &path) {
    std::string out(magic);
    append_big_endian(out, format);
    out += entries_text(tallies);
    append_big_endian(out, checksum(bytes_of(out)));
    if (out.size() > tally_file_bytes_max) {
        throw usage_error(fmt::format("{}: more than {} of tallies; --epoch E makes those of one",
                                      path, bytes_text(tally_file_bytes_max)));
    }
    return out;
}

void write_tallies(const std::filesystem::path &path, const std::vector<partial_tally> &tallies) {
    write_atomically(path, tally_file_text(tallies, path.string()));
}

std::vector<partial_tally> read_tallies(const std::string &path, std::string_view text) {
    std::span<const std::uint8_t> rest = bytes_of(text);
    if (rest.size() < head_bytes + checksum_bytes || !text.starts_with(magic)) {
        throw usage_error(path + ": not a tally file, as sotto tally --out writes it");
    }
    if (get_big_endian<std::uint32_t>(&rest[8]) != format) {
        throw environment_error(path + ": a tally of another version of sotto; make it again");
    }
    const std::uint64_t expected = get_big_endian<std::uint64_t>(&rest[rest.size() - 8]);
    rest = rest.first(rest.size() - checksum_bytes);
    std::optional<std::vector<partial_tally>> tallies;
    if (checksum(rest) == expected) {
        tallies = read_entries(rest.subspan(head_bytes));
    }
    if (!tallies) {
        throw usage_error(path + ": damaged; tally it again");
    }
    return std::move(*tallies);
}

std::vector<partial_tally> merge_tallies(std::vector<partial_tally> tallies, const registry &with) {
    std::ranges::stable_sort(tallies, {}, place);
    std::vector<partial_tally> out;
    for (auto begin = tallies.begin(); begin != tallies.end();) {
        const auto end = std::find_if(begin, tallies.end(), [&](const partial_tally &t) {
            return t.metric != begin->metric || t.epoch != begin->epoch;
        });
        const metric *m = find(with, begin->metric);
        if (m == nullptr) {
            throw usage_error(fmt::format("a tally of metric {}, which the registry does not have",
                                          fingerprint_text(begin->metric)));
        }
        out.push_back(sum_of({begin, end}, *m));
        begin = end;
    }
    return out;
}

} // namespace sotto::aggregator
