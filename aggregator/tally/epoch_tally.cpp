// SPDX-License-Identifier: Apache-2.0
#include "aggregator/tally/epoch_tally.hpp"

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
    bool at_end() const { return rest_.empty(); }

  private:
    std::span<const std::uint8_t> rest_;
};

} // namespace

epoch_tally empty_epoch_tally(const metric &m) { return {empty_tally(m), empty_tally(m), {}, 0}; }

void add(epoch_tally &to, const epoch_tally &more) {
    const auto sum = [](auto &a, auto b) { a += b; };
    for_each_count(to.highest, more.highest, sum);
    for_each_count(to.lower, more.lower, sum);
    for (const auto &[what, count] : more.selected) {
        to.selected[what] += count;
    }
    to.unexplained += more.unexplained;
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
    }
    return out;
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
    }
    tally.unexplained = in.varint();
    if (!in.sound || !in.at_end()) {
        return std::nullopt;
    }
    return tally;
}

} // namespace sotto::aggregator
