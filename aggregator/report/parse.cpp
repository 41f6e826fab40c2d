// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/parse.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/report/cursor.hpp"
#include "aggregator/report/wire_tags.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

using namespace wire;

constexpr std::uint32_t epoch_max = 0xfffffffe;

bool all_zero(std::span<const std::uint8_t> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}

} // namespace

std::optional<reason> parse_report(std::span<const std::uint8_t> bytes, std::uint32_t batch_epoch,
                                   report_view &out) {
    namespace field = report_tag;
    cursor in(bytes);
    out = {};
    std::uint32_t epoch_age = 0;
    std::uint32_t seen = 0; // a bit for each field
    bool canonical = true;
    // The SDK begins every report with a release and a small metric id.
    const std::uint8_t *head = in.here();
    if (in.left() >= 12 && head[0] == key(field::release, delimited) && head[1] == 8 &&
        head[10] == key(field::metric, varint) && head[11] < 0x80) {
        out.release = get_big_endian<std::uint64_t>(head + 2);
        out.metric = head[11];
        seen = 1U << field::release | 1U << field::metric;
        in.skip(12);
    }
    while (!in.at_end()) {
        const std::uint8_t first = in.byte();
        switch (first) {
        case key(field::release, delimited): {
            const std::span<const std::uint8_t> id = in.bytes();
            if (id.size() != 8) {
                return in.sound ? reason::release_length : reason::malformed;
            }
            out.release = get_big_endian<std::uint64_t>(id.data());
            break;
        }
        case key(field::metric, varint):
            out.metric = in.word();
            break;
        case key(field::level, varint):
            out.level = in.word();
            break;
        case key(field::epoch_age, varint):
            epoch_age = in.word();
            break;
        case key(field::cohort, fixed32): // always written or never: its width tells nothing
            out.cohort = in.fixed();
            break;
        case key(field::flags, varint):
            out.flags = in.word();
            break;
        case key(field::index, fixed32):
            out.scalar = in.fixed();
            out.kind = value_kind::index;
            break;
        case key(field::number, fixed32):
            out.scalar = in.fixed();
            out.kind = value_kind::number;
            break;
        case key(field::bits, delimited):
            out.bytes = in.bytes();
            out.kind = value_kind::bits;
            break;
        case key(field::numbers, delimited):
            out.bytes = in.bytes();
            out.kind = value_kind::numbers;
            if (out.bytes.size() % 4 != 0) {
                return reason::malformed;
            }
            break;
        default:
            canonical = false;
            if (!in.unknown_field(first, field::numbers + 1)) {
                return reason::malformed;
            }
            continue;
        }
        const std::uint32_t bit = std::uint32_t{1} << (first >> 3);
        canonical = canonical && (seen & bit) == 0;
        seen |= bit;
    }
    if (!in.sound) {
        return reason::malformed;
    }
    const auto has = [&](unsigned number) { return (seen >> number & 1) != 0; };
    if (!canonical) {
        return reason::not_canonical;
    }
    const std::uint32_t values = seen >> field::index;
    if (!has(field::release) || !has(field::metric) || values == 0) {
        return reason::missing_field;
    }
    if ((values & (values - 1)) != 0 || (out.flags & ~report_flags::known) != 0) {
        return reason::not_canonical;
    }
    if (epoch_age > batch_epoch || batch_epoch > epoch_max) {
        return reason::epoch_range;
    }
    out.has_cohort = has(field::cohort);
    out.epoch = batch_epoch - epoch_age;
    return std::nullopt;
}

std::optional<reason> split_batch(std::span<const std::uint8_t> bytes, batch_parts &out) {
    cursor in(bytes);
    out.epoch = 0;
    out.reports.clear();
    bool canonical = true, has_epoch = false, has_padding = false;
    while (!in.at_end()) {
        const std::uint8_t first = in.byte();
        switch (first) {
        case key(batch_tag::reports, delimited):
            out.reports.push_back(in.bytes());
            break;
        case key(batch_tag::epoch, varint):
            canonical = canonical && !has_epoch;
            has_epoch = true;
            out.epoch = in.word();
            break;
        case key(batch_tag::padding, delimited):
            canonical = canonical && !has_padding;
            has_padding = true;
            if (!all_zero(in.bytes())) {
                return reason::not_canonical;
            }
            break;
        default:
            canonical = false;
            (void)in.unknown_field(first, batch_tag::padding + 1);
        }
        if (!in.sound) {
            return reason::malformed;
        }
    }
    return canonical ? std::nullopt : std::optional(reason::not_canonical);
}

} // namespace sotto::aggregator
