// SPDX-License-Identifier: Apache-2.0
#include "aggregator/host/partitioned_rows.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/base/bytes.hpp"
#include "aggregator/base/failure.hpp"
#include "aggregator/report/envelope_file.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t parts_max = 65536;
constexpr std::size_t taken_head_bytes = 12;

std::uint32_t checked_parts(std::uint32_t parts) {
    if (parts == 0 || parts > parts_max) {
        throw usage_error(fmt::format("parts: {} is not 1 to {}", parts, parts_max));
    }
    return parts;
}

} // namespace

partitioned_rows::partitioned_rows(const admitted &with, std::uint32_t parts)
    : with_(with), parts_(checked_parts(parts)), rows_(parts * with.metrics.size()) {
    for (const registry &known : with.registries) {
        source &from =
            sources_.try_emplace(known.fingerprint, source{value_layouts(known), {}}).first->second;
        for (const metric &m : known.metrics) {
            const auto at =
                std::ranges::lower_bound(with.metrics, m.fingerprint, {}, &metric::fingerprint);
            from.targets.resize(std::max<std::size_t>(from.targets.size(), m.id + std::size_t{1}));
            from.targets[m.id] =
                target{report_rules(m), static_cast<std::size_t>(at - with.metrics.begin())};
        }
    }
    if (with.keys) {
        opener_.emplace(*with.keys);
    }
}

void partitioned_rows::add(std::string_view file, read_counts &counts) {
    while (const auto bytes = take_envelope(file)) {
        add_envelope(*bytes, counts);
    }
    if (!file.empty()) {
        counts.rejected.add(reason::truncated);
    }
}

void partitioned_rows::add_envelope(std::string_view bytes, read_counts &counts) {
    ++counts.envelopes;
    const auto read = decode_envelope(bytes);
    const envelope *e = std::get_if<envelope>(&read);
    if (e == nullptr) {
        return counts.rejected.add(std::get<reason>(read));
    }
    const auto from = sources_.find(e->registry);
    if (from == sources_.end()) {
        return counts.rejected.add_id(reason::unknown_registry, e->registry);
    }
    if (!e->sealed) {
        return add_batch(e->batch, from->second, counts);
    }
    if (!opener_) {
        return counts.rejected.add(reason::sealed);
    }
    const auto opened = opener_->open(*e);
    if (const reason *why = std::get_if<reason>(&opened)) {
        return counts.rejected.add_id(*why, e->key_id);
    }
    add_batch(std::get<std::string_view>(opened), from->second, counts);
}

void partitioned_rows::add_batch(std::string_view bytes, const source &from, read_counts &counts) {
    const batch_view &batch = reader_.read(bytes_of(bytes), from.layouts);
    if (batch.refused) {
        return counts.rejected.add(*batch.refused);
    }
    for (const report_view &r : batch.reports) {
        const target &goal = *from.targets[r.metric];
        if (const auto why = goal.rules.check(r)) {
            counts.rejected.add(*why);
            continue;
        }
        const std::size_t width = row_bytes(with_.metrics[goal.place]);
        const std::uint32_t part = partition_index(release_hash(r.release), parts_);
        std::string &rows = rows_[part * with_.metrics.size() + goal.place];
        rows.resize(rows.size() + width);
        put_row(r, {reinterpret_cast<std::uint8_t *>(rows.data() + rows.size() - width), width});
        row_bytes_ += width;
        ++counts.reports;
    }
}

std::string partitioned_rows::take(std::uint32_t part) {
    if (part >= parts_) {
        throw usage_error(fmt::format("part: {} is not 0 to {}", part, parts_ - 1));
    }
    std::string out;
    for (std::size_t i = 0; i < with_.metrics.size(); ++i) {
        std::string &rows = rows_[part * with_.metrics.size() + i];
        if (!rows.empty()) {
            const metric &m = with_.metrics[i];
            std::uint8_t head[taken_head_bytes];
            put_big_endian(head, m.fingerprint);
            put_big_endian(head + 4, std::uint64_t{rows.size() / row_bytes(m)});
            out.append(text_of(head)).append(rows);
            row_bytes_ -= rows.size();
            rows.clear();
        }
    }
    return out;
}

tally_share count_taken(const admitted &with, const partition &part,
                        const std::vector<std::string_view> &taken) {
    if (part.index >= checked_parts(part.count)) {
        throw usage_error(fmt::format("part: {} is not 0 to {}", part.index, part.count - 1));
    }
    const auto fail = [] {
        throw usage_error("damaged rows, or of another registry; parse the report files again");
    };
    std::map<std::uint32_t, row_list> lists; // by metric
    for (const std::string_view text : taken) {
        for (std::span<const std::uint8_t> rest = bytes_of(text); !rest.empty();) {
            if (rest.size() < taken_head_bytes) {
                fail();
            }
            const auto fingerprint = get_big_endian<std::uint32_t>(rest.data());
            const auto count = get_big_endian<std::uint64_t>(&rest[4]);
            rest = rest.subspan(taken_head_bytes);
            const auto m =
                std::ranges::lower_bound(with.metrics, fingerprint, {}, &metric::fingerprint);
            const bool is_known = m != with.metrics.end() && m->fingerprint == fingerprint;
            const std::size_t width = is_known ? row_bytes(*m) : 1;
            if (!is_known || count > rest.size() / width) {
                fail();
            }
            row_list &list = lists.try_emplace(fingerprint, width).first->second;
            const row_range rows(rest.first(count * width), width);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                list.add(rows[i]);
            }
            rest = rest.subspan(count * width);
        }
    }
    tally_share share{part, {}};
    for (const metric &m : with.metrics) {
        if (const auto list = lists.find(m.fingerprint); list != lists.end()) {
            std::ranges::move(tally_rows(m, list->second, part), std::back_inserter(share.tallies));
            lists.erase(list); // its memory
        }
    }
    return share;
}

} // namespace sotto::aggregator
