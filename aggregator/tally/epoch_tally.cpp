// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/epoch_tally.hpp"

#include "aggregator/mechanism/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto::aggregator {
namespace {

// Every count in one order; numbers' sums have a sign, which wraps. Both tallies must be of one
// metric: `visit` gets a count of each.
template <typename One, typename Other, typename Visit>
void for_each_count(One &a, Other &b, const Visit &visit) {
    for (std::size_t l = 0; l < a.size(); ++l) {
        visit(a[l].reports, b[l].reports);
        for (std::size_t i = 0; i < a[l].ones.size(); ++i) {
            visit(a[l].ones[i], b[l].ones[i]);
        }
        for (std::size_t i = 0; i < a[l].cohorts.size(); ++i) {
            visit(a[l].cohorts[i], b[l].cohorts[i]);
        }
        for (std::size_t i = 0; i < a[l].numbers.size(); ++i) {
            auto &x = a[l].numbers[i];
            auto &y = b[l].numbers[i];
            visit(x.reports, y.reports);
            visit(x.sum, y.sum);
            visit(x.at_min, y.at_min);
            visit(x.at_max, y.at_max);
        }
        for (std::size_t i = 0; i < a[l].rows.size(); ++i) {
            auto &x = a[l].rows[i];
            auto &y = b[l].rows[i];
            visit(x.reports, y.reports);
            visit(x.sum, y.sum);
            visit(x.squares_low, y.squares_low);
            visit(x.squares_high, y.squares_high);
        }
    }
}

class writer {
  public:
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) {
            bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
        }
        bytes.push_back(static_cast<std::uint8_t>(value));
    }

    // Pairs of zeros before and count, ended by a zero count.
    void counts(const metric_tally &tally) {
        std::uint64_t zeros = 0;
        for_each_count(tally, tally, [&](auto count, auto) {
            if (count == 0) {
                ++zeros;
                return;
            }
            varint(zeros);
            varint(static_cast<std::uint64_t>(count));
            zeros = 0;
        });
        varint(0);
        varint(0);
    }

    std::vector<std::uint8_t> bytes;
};

// Anything may stand in the bytes. Once it has failed it answers zeros.
class reader {
  public:
    explicit reader(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const std::uint8_t byte = rest_.front();
            rest_ = rest_.subspan(1);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80) {
                return value;
            }
        }
        sound = false;
        return 0;
    }

    void counts(metric_tally &tally) {
        std::uint64_t zeros = varint(), next = varint();
        for_each_count(tally, tally, [&](auto &count, auto &) {
            if (next == 0) {
                return;
            }
            if (zeros > 0) {
                --zeros;
                return;
            }
            count = static_cast<std::remove_reference_t<decltype(count)>>(next);
            zeros = varint();
            next = varint();
        });
        sound = sound && next == 0 && zeros == 0;
    }

    bool sound = true;

  private:
    std::span<const std::uint8_t> rest_;
};

// So few that two tallies add up, the sums of their numbers too.
std::uint64_t most_rows(const metric &m) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    const published_values published = mechanism_of(m).published(m);
    const std::int64_t furthest =
        std::max<std::int64_t>(-std::int64_t{published.least}, published.most);
    return static_cast<std::uint64_t>(most / std::max<std::int64_t>(1, furthest));
}

bool add_up_to(std::uint64_t total, std::span<const std::uint64_t> counts) {
    for (const std::uint64_t count : counts) {
        if (count > total) {
            return false;
        }
        total -= count;
    }
    return total == 0;
}

bool is_possible(const published_values &published, std::uint64_t reports, const number_count &n) {
    if (n.reports != reports || n.at_min > reports || n.at_max > reports - n.at_min) {
        return false;
    }
    const auto times = [](std::uint64_t count, std::int64_t number) {
        return static_cast<std::int64_t>(count) * number;
    };
    const std::int64_t at_ends = times(n.at_min, published.least) + times(n.at_max, published.most);
    const std::uint64_t between = reports - n.at_min - n.at_max;
    return at_ends + times(between, published.least + 1) <= n.sum &&
           n.sum <= at_ends + times(between, published.most - 1);
}

// Sums of numbers of so many bits.
bool is_possible(const row_sums &n, std::size_t bits) {
    const auto reports = static_cast<double>(n.reports),
               size = std::ldexp(1.0, static_cast<int>(bits));
    const double sum = std::abs(static_cast<double>(n.sum)), squares = n.squares();
    const double rounding = 1 + 1e-9;
    return sum <= reports * size && squares <= reports * size * size * rounding &&
           sum * sum <= reports * squares * rounding && n.squares_low <= n.reports * 0xffffffff &&
           n.squares_high <= n.reports << 30;
}

// Every release has a number of the first class, and of each further one no more have one.
bool are_possible(const level_tally &at, std::uint64_t most) {
    for (std::size_t i = 0; i < at.rows.size(); i += row_sums::sizes) {
        std::uint64_t reports = 0;
        for (std::size_t bits = 0; bits < row_sums::sizes; ++bits) {
            const row_sums &n = at.rows[i + bits];
            if (n.reports > most - reports || !is_possible(n, bits)) {
                return false;
            }
            reports += n.reports;
        }
        if (i == 0 && reports != most) {
            return false;
        }
        most = reports;
    }
    return true;
}

// A report names one index in its cohort; none, where there are no cohorts.
bool are_by_cohort(const published_values &values, const level_tally &at) {
    for (std::size_t c = 0; c < at.cohorts.size(); ++c) {
        const auto begin = at.ones.begin() + static_cast<std::ptrdiff_t>(c * values.size);
        if (!add_up_to(at.cohorts[c], std::span(begin, values.size))) {
            return false;
        }
    }
    return true;
}

// The reports are at most most_rows.
bool is_possible(const metric &m, const level_tally &at) {
    const published_values values = mechanism_of(m).published(m);
    switch (values.kind) {
    case value_kind::index:
        return add_up_to(at.reports, at.ones) && are_by_cohort(values, at);
    case value_kind::bits:
        for (std::size_t i = 0; i < at.ones.size(); ++i) {
            if (at.ones[i] > at.cohorts[i / values.size]) {
                return false;
            }
        }
        return add_up_to(at.reports, at.cohorts);
    case value_kind::number:
    case value_kind::numbers:
        break;
    }
    return are_possible(at, at.reports) &&
           std::ranges::all_of(at.numbers, [&](const number_count &n) {
               return is_possible(values, at.reports, n);
           });
}

bool can_be_selected(const metric &m, const selected_release &what) {
    const std::uint32_t size = mechanism_of(m).published(m).size;
    return what.low_level < what.level && what.level < m.level_count() && what.low_value < size &&
           what.value < size;
}

// Each selected release is one of those that were counted where it says.
bool are_counted(const metric &m, const epoch_tally &tally) {
    metric_tally last = tally.highest, first = tally.lower;
    const auto take = [&](metric_tally &from, std::uint32_t level, std::uint32_t value,
                          std::uint64_t count) {
        const bool is_there = count <= from[level].ones[value];
        from[level].ones[value] -= is_there ? count : 0;
        return is_there;
    };
    return std::ranges::all_of(tally.selected, [&](const auto &relaxed) {
        const auto &[what, count] = relaxed;
        return count > 0 && can_be_selected(m, what) && take(last, what.level, what.value, count) &&
               take(first, what.low_level, what.low_value, count);
    });
}

} // namespace

epoch_tally empty_epoch_tally(const metric &m) { return {empty_tally(m), empty_tally(m), {}, 0}; }

void add(epoch_tally &total, const epoch_tally &more) {
    const auto sum = [](auto &a, auto b) { a += b; };
    for_each_count(total.highest, more.highest, sum);
    for_each_count(total.lower, more.lower, sum);
    for (const auto &[what, count] : more.selected) {
        total.selected[what] += count;
    }
    total.unexplained += more.unexplained;
}

metric_tally published_at(const epoch_tally &tally, std::uint32_t level) {
    epoch_tally sum{tally.highest, tally.lower, {}, 0};
    add(sum, {tally.lower, tally.lower, {}, 0});
    metric_tally out(tally.highest.size());
    for (std::size_t l = 0; l < out.size(); ++l) {
        if (l == level) {
            out[l] = std::move(sum.highest[l]);
            continue;
        }
        out[l].ones.resize(sum.highest[l].ones.size());
        out[l].cohorts.resize(sum.highest[l].cohorts.size());
        out[l].numbers.resize(sum.highest[l].numbers.size());
        out[l].rows.resize(sum.highest[l].rows.size());
    }
    return out;
}

bool is_possible(const metric &m, const epoch_tally &tally) {
    std::uint64_t left = most_rows(m);
    for (const metric_tally *metric_counts : {&tally.highest, &tally.lower}) {
        for (const level_tally &at : *metric_counts) {
            if (at.reports > left || !is_possible(m, at)) {
                return false;
            }
            left -= at.reports;
        }
    }
    if (m.kind() != value_kind::index) { // nothing is selected by what it said
        return tally.selected.empty() && tally.unexplained == 0;
    }
    return tally.unexplained <= left && (tally.selected.empty() || are_counted(m, tally));
}

std::uint64_t counted_rows(const epoch_tally &tally) {
    std::uint64_t rows = tally.unexplained;
    for (const metric_tally *metric_counts : {&tally.highest, &tally.lower}) {
        for (const level_tally &at : *metric_counts) {
            rows += at.reports;
        }
    }
    return rows;
}

std::vector<std::uint8_t> tally_bytes(const epoch_tally &tally) {
    writer out;
    out.counts(tally.highest);
    out.counts(tally.lower);
    out.varint(tally.selected.size());
    for (const auto &[what, count] : tally.selected) {
        out.varint(what.low_level);
        out.varint(what.low_value);
        out.varint(what.level);
        out.varint(what.value);
        out.varint(count);
    }
    out.varint(tally.unexplained);
    return out.bytes;
}

std::optional<epoch_tally> read_tally(const metric &m, std::span<const std::uint8_t> bytes) {
    epoch_tally tally = empty_epoch_tally(m);
    reader in(bytes);
    in.counts(tally.highest);
    in.counts(tally.lower);
    const std::uint64_t selected = in.varint();
    const auto word = [&] { return static_cast<std::uint32_t>(in.varint()); };
    for (std::uint64_t i = 0; i < selected && in.sound; ++i) {
        selected_release what;
        what.low_level = word();
        what.low_value = word();
        what.level = word();
        what.value = word();
        tally.selected[what] = in.varint();
        in.sound = in.sound && can_be_selected(m, what);
    }
    tally.unexplained = in.varint();
    // Written in the one way there is: so in order, and nothing twice.
    if (!in.sound || !std::ranges::equal(tally_bytes(tally), bytes) || !is_possible(m, tally)) {
        return std::nullopt;
    }
    return tally;
}

} // namespace sotto::aggregator
