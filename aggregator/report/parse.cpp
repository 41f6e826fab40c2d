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

    // At most 32.
    std::uint32_t bits(unsigned count) {
        if (count == 0) {
            return 0;
        }
        if (8 * bytes_.size() - at_ < count) {
            sound = false;
            return 0;
        }
        const std::size_t first = at_ / 8;
        std::uint64_t word = 0;
        if (bytes_.size() - first >= sizeof word) [[likely]] {
            word = get_little_endian<std::uint64_t>(bytes_.data() + first);
        } else {
            const std::size_t end = (at_ + count + 7) / 8;
            for (std::size_t i = first; i < end; ++i) {
                word |= std::uint64_t{bytes_[i]} << 8 * (i - first);
            }
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

    // The whole bytes that are left; none in the middle of one.
    std::span<const std::uint8_t> rest() const {
        return at_ % 8 == 0 ? bytes_.subspan(at_ / 8) : std::span<const std::uint8_t>();
    }
    void skip(std::size_t bytes) { at_ += 8 * bytes; }

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

bool is_there(std::span<const std::uint8_t> field) { return field.data() != nullptr; }

// A column of numbers for `reports`: as many as there are, and not all zero. None at all: zeros.
template <typename Use>
std::optional<reason> read_column(std::span<const std::uint8_t> column,
                                  std::span<report_view> reports, Use use) {
    if (!is_there(column)) {
        return std::nullopt;
    }
    cursor in(column);
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

// The fields of a batch, as they stand; one that is not there points nowhere.
struct batch_reader::fields {
    using bytes = std::span<const std::uint8_t>;
    std::uint32_t epoch = 0;
    bytes seed, metrics, levels, epoch_ages, flags, releases, values;

    std::optional<reason> read(std::span<const std::uint8_t> text) {
        namespace field = batch_tag;
        cursor in(text);
        bool canonical = true;
        std::uint8_t last = 0;
        const auto take = [&](bytes &column) {
            column = in.bytes();
            canonical = canonical && !column.empty();
        };
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
                take(metrics);
                break;
            case key(field::levels, delimited):
                take(levels);
                break;
            case key(field::epoch_ages, delimited):
                take(epoch_ages);
                break;
            case key(field::flags, delimited):
                take(flags);
                break;
            case key(field::releases, delimited):
                take(releases);
                break;
            case key(field::values, delimited):
                take(values);
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
        return canonical && in.is_shortest ? std::nullopt : std::optional(reason::not_canonical);
    }
};

std::span<const batch_view> batch_reader::read(std::span<const batch_bytes> batches) {
    batches_.clear();
    extents_.clear();
    std::size_t used = 0;
    for (const batch_bytes &b : batches) {
        fields found;
        extent at = {used, 0, 0, 0};
        auto why = found.read(b.bytes);
        if (!why) {
            why = read_reports(found, *b.layouts, at);
        }
        if (why) {
            at = {used, 0, 0, 0};
        }
        batches_.push_back({why, found.epoch, {}});
        extents_.push_back(at);
        used += at.count;
    }
    give_ids();
    for (std::size_t i = 0; i < batches_.size(); ++i) {
        batches_[i].reports = std::span(reports_).subspan(extents_[i].first, extents_[i].count);
    }
    return batches_;
}

std::optional<reason> batch_reader::read_reports(const fields &found, const value_layouts &layouts,
                                                 extent &at) {
    auto why = read_metrics(found, layouts, at);
    if (!why) {
        why = read_columns(found, std::span(reports_).subspan(at.first, at.count));
    }
    if (!why) {
        why = read_releases(found, at);
    }
    if (!why) {
        why = read_values(found.values, at);
    }
    return why;
}

std::optional<reason> batch_reader::read_metrics(const fields &found, const value_layouts &layouts,
                                                 extent &at) {
    if (!is_there(found.metrics)) {
        return reason::missing_field;
    }
    // A report takes a byte of the column at least.
    const std::size_t most = std::min(found.metrics.size(), reports_in_batch_max + 1);
    if (reports_.size() < at.first + most) {
        reports_.resize(at.first + most);
    }
    runs_.clear();
    cursor in(found.metrics);
    std::uint64_t metric = 0;
    report_view *const first = reports_.data() + at.first, *r = first;
    while (!in.at_end() && r < first + most) {
        metric += in.word();
        const value_layout *layout = layouts.find(metric);
        if (layout == nullptr) {
            return in.sound ? reason::unknown_metric : reason::malformed;
        }
        std::size_t count = 1 + in.zeros(most - 1 - static_cast<std::size_t>(r - first));
        runs_.push_back({layout, count});
        for (; count > 0; --count, ++r) {
            r->metric = static_cast<std::uint32_t>(metric);
            r->level = 0;
            r->flags = 0;
            r->epoch = found.epoch;
        }
    }
    at.count = static_cast<std::size_t>(r - first);
    if (!in.sound) {
        return reason::malformed;
    }
    if (at.count > reports_in_batch_max || !in.is_shortest) {
        return reason::not_canonical;
    }
    return found.epoch <= epoch_max ? std::nullopt : std::optional(reason::epoch_range);
}

std::optional<reason> batch_reader::read_columns(const fields &found,
                                                 std::span<report_view> reports) const {
    bool is_in_range = true;
    auto why =
        read_column(found.levels, reports, [](report_view &r, std::uint32_t n) { r.level = n; });
    if (!why) {
        why = read_column(found.epoch_ages, reports, [&](report_view &r, std::uint32_t n) {
            is_in_range = is_in_range && n <= found.epoch;
            r.epoch = found.epoch - n;
        });
    }
    if (!why) {
        why =
            read_column(found.flags, reports, [](report_view &r, std::uint32_t n) { r.flags = n; });
    }
    return why || is_in_range ? why : std::optional(reason::epoch_range);
}

// Ids of new releases come later, those of many batches at once.
std::optional<reason> batch_reader::read_releases(const fields &found, extent &at) {
    const std::span<report_view> reports = std::span(reports_).subspan(at.first, at.count);
    std::uint32_t flags = 0;
    std::size_t known = 0;
    if (is_there(found.flags)) {
        for (const report_view &r : reports) {
            flags |= r.flags;
            known += (r.flags & report_flags::known) != 0 ? 1 : 0;
        }
    }
    at.fresh = reports.size() - known;
    if ((flags & ~(report_flags::selected | report_flags::known)) != 0 ||
        (is_there(found.seed) && at.fresh == 0) || (is_there(found.releases) && known == 0)) {
        return reason::not_canonical;
    }
    if ((at.fresh > 0 && !is_there(found.seed)) || (known > 0 && !is_there(found.releases))) {
        return reason::missing_field;
    }
    if (found.releases.size() != id_bytes * known) {
        return reason::malformed;
    }
    if (known > 0) {
        const std::uint8_t *next = found.releases.data();
        for (report_view &r : reports) {
            if ((r.flags & report_flags::known) != 0) {
                r.release = get_big_endian<std::uint64_t>(next);
                next += id_bytes;
            }
        }
    }
    if (at.fresh > 0) {
        at.seed = get_little_endian<std::uint64_t>(found.seed.data());
    }
    return std::nullopt;
}

namespace {

void read_value(bit_cursor &in, const value_layout &layout, report_view &r) {
    r.kind = layout.kind;
    r.has_cohort = layout.cohort_bits > 0;
    r.cohort = in.bits(layout.cohort_bits);
    r.scalar = in.bits(layout.index_bits);
    std::size_t bytes = layout.bytes;
    if (layout.kind == value_kind::numbers && layout.index_bits > 0) {
        bytes = std::size_t{4} * r.scalar; // rows, as many as it says
        r.scalar = 0;
    }
    r.bytes = bytes > 0 ? in.bytes(bytes) : std::span<const std::uint8_t>();
    if (layout.kind == value_kind::number && in.sound) {
        r.scalar = get_little_endian(r.bytes.data());
        r.bytes = {};
    }
}

// Strings of bits that begin with a byte, their cohorts before them: as many as there are whole.
// Most reports of most fleets are such. Returns how many it read.
std::size_t read_strings(bit_cursor &in, const value_layout &layout,
                         std::span<report_view> reports) {
    constexpr unsigned head_bits_max = 16;
    if (layout.kind != value_kind::bits || layout.index_bits > 0 ||
        layout.cohort_bits > head_bits_max) {
        return 0;
    }
    const std::size_t head = (layout.cohort_bits + 7) / 8, size = head + layout.bytes;
    const std::span<const std::uint8_t> text = in.rest();
    const std::size_t count = std::min(reports.size(), text.size() / size);
    const std::uint8_t *at = text.data();
    const bool has_cohort = head > 0;
    std::uint32_t beyond = 0;
    for (report_view &r : reports.first(count)) {
        std::uint32_t cohort = has_cohort ? at[0] : 0;
        cohort |= head > 1 ? std::uint32_t{at[1]} << 8 : 0;
        beyond |= cohort >> layout.cohort_bits;
        r.kind = value_kind::bits;
        r.has_cohort = has_cohort;
        r.cohort = cohort;
        r.scalar = 0;
        r.bytes = {at + head, layout.bytes};
        at += size;
    }
    in.is_canonical = in.is_canonical && beyond == 0;
    in.skip(count * size);
    return count;
}

} // namespace

std::optional<reason> batch_reader::read_values(std::span<const std::uint8_t> values,
                                                const extent &at) {
    bit_cursor in(values);
    std::span<report_view> left = std::span(reports_).subspan(at.first, at.count);
    for (const run &same : runs_) {
        std::span<report_view> reports = left.first(same.count);
        left = left.subspan(same.count);
        while (in.sound && !reports.empty()) {
            if (const std::size_t done = read_strings(in, *same.layout, reports)) {
                reports = reports.subspan(done);
            } else {
                read_value(in, *same.layout, reports.front());
                reports = reports.subspan(1);
            }
        }
    }
    if (!in.at_end()) {
        return values.empty() ? reason::missing_field : reason::malformed;
    }
    return in.is_canonical ? std::nullopt : std::optional(reason::not_canonical);
}

void batch_reader::give_ids() {
    blocks_.clear();
    for (const extent &at : extents_) {
        for (std::uint32_t number = 0; ids_in_block * number < at.fresh; ++number) {
            blocks_.push_back({at.seed, number});
        }
    }
    if (ids_.size() < ids_in_block * blocks_.size()) {
        ids_.resize(ids_in_block * blocks_.size());
    }
    make_new_ids(blocks_, ids_, kernel_);
    const std::uint64_t *ids = ids_.data();
    for (const extent &at : extents_) {
        const std::uint64_t *next = ids;
        const std::span<report_view> reports = std::span(reports_).subspan(at.first, at.count);
        if (at.fresh == at.count) {
            for (report_view &r : reports) {
                r.release = *next++;
            }
        } else {
            for (report_view &r : reports) {
                if ((r.flags & report_flags::known) == 0) {
                    r.release = *next++;
                }
                r.flags &= ~report_flags::known;
            }
        }
        ids += ids_in_block * ((at.fresh + ids_in_block - 1) / ids_in_block);
    }
}

} // namespace sotto::aggregator
