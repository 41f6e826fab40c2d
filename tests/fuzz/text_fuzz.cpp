// SPDX-License-Identifier: Apache-2.0
// Files that people write: tables in CSV, lists of candidates; and tallies from elsewhere. Each is
// read to its end or refused by one line, and what is taken for a tally can be estimated.
#include "aggregator/base/checksum.hpp"
#include "aggregator/base/csv.hpp"
#include "aggregator/estimate/candidates.hpp"
#include "aggregator/estimate/quality.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/tally/tally_file.hpp"
#include "target.hpp"

#include <cmath>
#include <sys/mman.h>
#include <unistd.h>

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

// Tallies in a file that claims metrics of this registry; and counts by themselves, for the metric
// that the first byte says.
void read_tally_files(const std::string &path) {
    for (const partial_tally &tally : merge_tallies(read_tallies(path), metrics())) {
        for (const metric &m : metrics().metrics) {
            if (m.fingerprint == tally.metric) {
                const auto sum = read_tally(m, tally.counts);
                expect(sum.has_value(), "sums of tallies are tallies");
                estimate_tally(m, *sum);
            }
        }
    }
}

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

} // namespace

std::vector<std::string> seeds() {
    std::vector<std::string> texts = {"name,Damaged\n\"bird, 1\",yes\n\"a \"\"b\"\"\",no\r\n\n,\n",
                                      "B737\r\n\nA320\n\xc3\xa9\n"};
    std::string file("SOTTOTLY\0\0\0\2", 12);
    for (std::size_t i = 0; i < metrics().metrics.size(); ++i) {
        const metric &m = metrics().metrics[i];
        const std::vector<std::uint8_t> counts = tally_bytes(some_releases(m));
        expect(read_tally(m, counts).has_value(), "a seed is taken");
        texts.push_back(static_cast<char>(i) + text_of(counts));
        std::uint8_t head[36] = {};
        put_big_endian(&head[0], m.fingerprint);
        put_big_endian(&head[28], std::uint32_t{1});
        put_big_endian(&head[32], static_cast<std::uint32_t>(counts.size()));
        texts.push_back(file + text_of(head) + text_of(counts));
    }
    return texts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const int memory = memfd_create("fuzz", 0);
    static const std::string path = "/proc/self/fd/" + std::to_string(memory);
    const auto hold = [](std::span<const std::uint8_t> bytes) {
        expect(ftruncate(memory, 0) == 0 && pwrite(memory, bytes.data(), bytes.size(), 0) ==
                                                static_cast<ssize_t>(bytes.size()),
               "there is memory");
    };
    std::vector<std::uint8_t> bytes(data, data + size);
    hold(bytes);
    read_or_refuse([] {
        csv_file table(path);
        std::vector<std::string> cells;
        while (table.next(cells)) {
            expect(cells.size() < 1'000'000, "a row is no larger than its file");
        }
    });
    read_or_refuse([] { (void)read_candidates(path); });
    read_or_refuse([] { read_tally_files(path); });
    read_counts(bytes);
    bytes.resize(size + 8); // edits don't find the checksum
    put_big_endian(&bytes[size], checksum({data, size}));
    hold(bytes);
    read_or_refuse([] { read_tally_files(path); });
    return 0;
}
