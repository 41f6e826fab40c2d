// SPDX-License-Identifier: Apache-2.0
// Tallies from elsewhere: files of partial tallies, of regions, and shares. Each is read or refused
// by one line, and what is taken can be estimated.
#include "aggregator/base/append_big_endian.hpp"
#include "aggregator/base/checksum.hpp"
#include "aggregator/estimate/quality.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/tally/region_tally.hpp"
#include "aggregator/tally/share.hpp"
#include "target.hpp"

#include <cmath>

using namespace sotto::aggregator;

namespace {

const registry &metrics() {
    static const registry known = load_registry(SOTTO_REGISTRY).content;
    return known;
}

// Releases of every value and level, some of them selected.
epoch_tally some_releases(const metric &m) {
    epoch_tally t = empty_epoch_tally(m);
    std::vector<std::uint8_t> value(m.value_bytes());
    for (std::uint32_t i = 0; i < 6 * m.level_count(); ++i) {
        const std::uint32_t level = i / 6;
        if (m.kind() == value_kind::index) {
            put_big_endian(value.data(), i % m.value_size());
        } else if (m.kind() == value_kind::bits) {
            value[0] = static_cast<std::uint8_t>(i % 2);
        }
        expect(count_release(t.highest, m, level, 0, value) &&
                   (level == 0 || count_release(t.lower, m, level - 1, 0, value)),
               "a seed is sound");
        if (m.kind() == value_kind::index && level > 0 && i % 2 == 0) {
            ++t.selected[{level - 1, i % m.value_size(), level, i % m.value_size()}];
            t.unexplained = 2;
        }
    }
    return t;
}

std::string text_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

// As `sotto estimate` does it.
void estimate_tally(const metric &m, const epoch_tally &t) {
    decode_options options;
    options.candidates = {"B737", "A320"};
    options.coalition = 2;
    for (const auto &[what, count] : t.selected) {
        expect(what.level < m.level_count() && what.value < m.value_size() &&
                   count <= t.highest[what.level].ones[what.value],
               "what was selected was counted");
        options.selected.push_back({what.low_level, what.low_value, what.level, what.value, count});
    }
    std::uint64_t reports = 0;
    for (const level_tally &at : t.highest) {
        reports += at.reports;
    }
    if (reports == 0) {
        return;
    }
    for (const estimate_row &row : estimate_metric(m, 5, t.highest, options).rows) {
        expect(std::isfinite(row.result.value) && row.result.std_error >= 0 &&
                   row.result.reports <= reports,
               "an estimate is a number");
    }
    (void)check_quality(m, t.highest);
    (void)estimate_metric(m, 5, published_at(t, 0));
}

void estimate_sums(const std::vector<partial_tally> &sums) {
    for (const partial_tally &tally : sums) {
        const auto m = std::ranges::find(metrics().metrics, tally.metric, &metric::fingerprint);
        expect(m != metrics().metrics.end(), "only known metrics are added up");
        const auto sum = read_tally(*m, tally.counts);
        expect(sum.has_value(), "sums of tallies are tallies");
        estimate_tally(*m, *sum);
    }
}

void read_text(std::string_view text) {
    read_or_refuse([&] { estimate_sums(merge_tallies(read_tallies("file", text), metrics())); });
    read_or_refuse([&] { estimate_sums(add_shares({read_share(text)}, metrics().metrics)); });
    read_or_refuse([&] {
        const region_tallies region = read_region("file", text);
        const region_tallies sum = merge_regions({region, region}, metrics());
        expect(sum.tallies.size() == sum.samples.size(), "each tally has a sample");
        estimate_sums(sum.tallies);
    });
}

// Counts by themselves, for the metric that the first byte says.
void read_counts(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) {
        return;
    }
    const metric &m = metrics().metrics[bytes[0] % metrics().metrics.size()];
    if (const auto tally = read_tally(m, bytes.subspan(1))) {
        expect(std::ranges::equal(tally_bytes(*tally), bytes.subspan(1)), "a tally is its bytes");
        estimate_tally(m, *tally);
    }
}

// Edits do not find a checksum: seeds have none, and each input is read with one, too.
std::string without_checksum(std::string text) {
    text.resize(text.size() - sizeof(std::uint64_t));
    return text;
}

} // namespace

std::vector<std::string> seeds() {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < metrics().metrics.size(); ++i) {
        const metric &m = metrics().metrics[i];
        const std::vector<std::uint8_t> counts = tally_bytes(some_releases(m));
        expect(read_tally(m, counts).has_value(), "a seed is taken");
        texts.push_back(static_cast<char>(i) + text_of(counts));
        const std::vector<partial_tally> whole = {{m.fingerprint, 5, 6, 7, {}, counts}};
        const region_tallies region{"", 1, whole, {{2, 3}}};
        for (const std::string &text : {tally_file_text(whole, "seed"), share_text({{}, whole}),
                                        region_text(region, "seed")}) {
            texts.push_back(without_checksum(text));
        }
    }
    return texts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::string text(reinterpret_cast<const char *>(data), size);
    read_counts({data, size});
    read_text(text);
    append_big_endian(text, checksum({data, size}));
    read_text(text);
    return 0;
}
