// SPDX-License-Identifier: Apache-2.0
#include "aggregator/report/parse.hpp"

#include "aggregator/base/big_endian.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/report/cursor.hpp"
#include "aggregator/report/wire_tags.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

using namespace wire;

constexpr std::uint32_t epoch_max = 0xfffffffe;
constexpr std::size_t id_bytes = 8;

bool all_zero(std::span<const std::uint8_t> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}

// The column of values, from its lowest bit on; beyond its end, `sound` is false.
class bit_cursor {
  public:
    explicit bit_cursor(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    std::uint32_t bits(unsigned count) {
        if (8 * bytes_.size() - at_ < count) {
            sound = false;
            return 0;
        }
        std::uint64_t word = 0;
        const std::size_t first = at_ / 8, end = (at_ + count + 7) / 8;
        for (std::size_t i = first; i < end; ++i) {
            word |= std::uint64_t{bytes_[i]} << 8 * (i - first);
        }
        const unsigned skipped = at_ % 8;
        at_ += count;
        return static_cast<std::uint32_t>(word >> skipped & ((std::uint64_t{1} << count) - 1));
    }

    // Whole bytes, from the next one on.
    std::span<const std::uint8_t> bytes(std::size_t count) {
        const std::size_t first = align();
        if (bytes_.size() - first < count) {
            sound = false;
            return {};
        }
        at_ += 8 * count;
        return bytes_.subspan(first, count);
    }

    // Is this all, and nothing between the values?
    bool at_end() { return align() == bytes_.size() && sound; }
    bool is_canonical = true;
    bool sound = true;

  private:
    std::size_t align() {
        if (at_ % 8 != 0) {
            is_canonical = is_canonical && bytes_[at_ / 8] >> at_ % 8 == 0;
            at_ += 8 - at_ % 8;
        }
        return at_ / 8;
    }
    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
};

// A column of numbers for `reports`: as many as there are, and not all zero. None at all: zeros.
template <typename Use>
std::optional<reason> read_column(std::optional<std::span<const std::uint8_t>> column,
                                  std::span<report_view> reports, Use use) {
    if (!column) {
        return std::nullopt;
    }
    cursor in(*column);
    std::uint32_t any = 0;
    for (report_view &r : reports) {
        if (in.at_end()) {
            return reason::malformed;
        }
        const std::uint32_t number = in.word();
        any |= number;
        use(r, number);
    }
    if (!in.at_end() || !in.sound) {
        return reason::malformed;
    }
    const bool is_canonical = any != 0 && in.is_shortest;
    return is_canonical ? std::nullopt : std::optional(reason::not_canonical);
}

} // namespace

value_layouts::value_layouts(const registry &with) {
    for (const metric &m : with.metrics) {
        places_.resize(std::max<std::size_t>(places_.size(), m.id + std::size_t{1}));
        places_[m.id] = layout_of(mechanism_of(m).published(m));
    }
}

// The fields of a batch, as they stand.
struct batch_reader::fields {
    using bytes = std::optional<std::span<const std::uint8_t>>;
    std::uint32_t epoch = 0;
    bytes seed, metrics, levels, epoch_ages, flags, releases, values;

    std::optional<reason> read(std::span<const std::uint8_t> text) {
        namespace field = batch_tag;
        cursor in(text);
        bool canonical = true;
        std::uint8_t last = 0;
        while (!in.at_end()) {
            const std::uint8_t first = in.byte();
            switch (first) {
            case key(field::epoch, varint):
                epoch = in.word();
                canonical = canonical && epoch != 0;
                break;
            case key(field::seed, fixed64):
                seed = in.take_bytes(id_bytes);
                break;
            case key(field::metrics, delimited):
                metrics = in.bytes();
                break;
            case key(field::levels, delimited):
                levels = in.bytes();
                break;
            case key(field::epoch_ages, delimited):
                epoch_ages = in.bytes();
                break;
            case key(field::flags, delimited):
                flags = in.bytes();
                break;
            case key(field::releases, delimited):
                releases = in.bytes();
                break;
            case key(field::values, delimited):
                values = in.bytes();
                break;
            case key(field::padding, delimited):
                canonical = all_zero(in.bytes()) && canonical;
                break;
            default:
                canonical = false;
                (void)in.unknown_field(first, field::padding + 1);
            }
            if (!in.sound) {
                return reason::malformed;
            }
            canonical = canonical && first > last;
            last = first;
        }
        for (const bytes &each : {metrics, levels, epoch_ages, flags, releases, values}) {
            canonical = canonical && !(each && each->empty());
        }
        return canonical && in.is_shortest ? std::nullopt : std::optional(reason::not_canonical);
    }
};

std::optional<reason> batch_reader::read(std::span<const std::uint8_t> bytes,
                                         const value_layouts &layouts) {
    reports_.clear();
    layouts_.clear();
    fields found;
    auto why = found.read(bytes);
    epoch_ = found.epoch;
    if (!why) {
        why = read_numbers(found, layouts);
    }
    if (!why) {
        why = read_releases(found);
    }
    if (!why) {
        why = read_values(found.values.value_or(std::span<const std::uint8_t>()));
    }
    if (why) {
        reports_.clear();
    }
    return why;
}

std::optional<reason> batch_reader::read_numbers(const fields &found,
                                                 const value_layouts &layouts) {
    std::uint64_t metric = 0;
    if (!found.metrics) {
        return reason::missing_field;
    }
    cursor in(*found.metrics);
    while (!in.at_end() && reports_.size() <= reports_in_batch_max) {
        metric += in.word();
        const value_layout *layout = layouts.find(metric);
        if (layout == nullptr) {
            return in.sound ? reason::unknown_metric : reason::malformed;
        }
        report_view &r = reports_.emplace_back();
        r.metric = static_cast<std::uint32_t>(metric);
        r.epoch = epoch_;
        layouts_.push_back(layout);
    }
    if (reports_.size() > reports_in_batch_max || !in.is_shortest) {
        return reason::not_canonical;
    }
    if (epoch_ > epoch_max) {
        return reason::epoch_range;
    }
    bool is_in_range = true;
    auto why =
        read_column(found.levels, reports_, [](report_view &r, std::uint32_t n) { r.level = n; });
    if (!why) {
        why = read_column(found.epoch_ages, reports_, [&](report_view &r, std::uint32_t n) {
            is_in_range = is_in_range && n <= epoch_;
            r.epoch = epoch_ - n;
        });
    }
    if (!why) {
        why = read_column(found.flags, reports_,
                          [](report_view &r, std::uint32_t n) { r.flags = n; });
    }
    return why || is_in_range ? why : std::optional(reason::epoch_range);
}

std::optional<reason> batch_reader::read_releases(const fields &found) {
    std::uint32_t flags = 0;
    std::size_t known = 0;
    for (const report_view &r : reports_) {
        flags |= r.flags;
        known += (r.flags & report_flags::known) != 0 ? 1 : 0;
    }
    const std::size_t fresh = reports_.size() - known;
    if ((flags & ~(report_flags::selected | report_flags::known)) != 0 ||
        (found.seed && fresh == 0) || (found.releases && known == 0)) {
        return reason::not_canonical;
    }
    if ((fresh > 0 && !found.seed) || (known > 0 && !found.releases)) {
        return reason::missing_field;
    }
    const std::span<const std::uint8_t> old = found.releases.value_or(std::span<std::uint8_t>());
    if (old.size() != id_bytes * known) {
        return reason::malformed;
    }
    const std::uint8_t *next_old = old.data();
    const std::uint8_t *next_new = nullptr;
    if (fresh > 0) {
        next_new = ids_.of_seed(found.seed->first<id_bytes>(), fresh).data();
    }
    for (report_view &r : reports_) {
        const std::uint8_t *&next = (r.flags & report_flags::known) != 0 ? next_old : next_new;
        r.release = get_big_endian<std::uint64_t>(next);
        next += id_bytes;
        r.flags &= ~report_flags::known;
    }
    return std::nullopt;
}

std::optional<reason> batch_reader::read_values(std::span<const std::uint8_t> values) {
    bit_cursor in(values);
    for (std::size_t i = 0; in.sound && i < reports_.size(); ++i) {
        report_view &r = reports_[i];
        const value_layout &layout = *layouts_[i];
        r.kind = layout.kind;
        r.has_cohort = layout.cohort_bits > 0;
        r.cohort = in.bits(layout.cohort_bits);
        r.scalar = in.bits(layout.index_bits);
        std::size_t bytes = layout.bytes;
        if (layout.kind == value_kind::numbers && layout.index_bits > 0) {
            bytes = std::size_t{4} * r.scalar; // rows, as many as it says
            r.scalar = 0;
        }
        if (bytes > 0) {
            r.bytes = in.bytes(bytes);
        }
        if (layout.kind == value_kind::number && in.sound) {
            r.scalar = get_little_endian(r.bytes.data());
            r.bytes = {};
        }
    }
    if (!in.at_end()) {
        return values.empty() ? reason::missing_field : reason::malformed;
    }
    return in.is_canonical ? std::nullopt : std::optional(reason::not_canonical);
}

} // namespace sotto::aggregator
