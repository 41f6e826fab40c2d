// SPDX-License-Identifier: Apache-2.0
// Every mechanism of tests/mechanisms.toml, from the device's draw to the host's estimate. The core
// noises a known value many times, and the estimate finds that value.
#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/own_candidates.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/tally/tally.hpp"
#include "support.hpp"

#include "mechanism/code.hpp"
#include "mechanism/ladder.hpp"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace sotto::aggregator::test {
namespace {

constexpr int releases = 20000;
// P(|Z| > 6.9) = 5.2e-12: a hundred estimates stay below 1e-9 together.
constexpr double z_limit = 6.9;

using word_list = std::vector<std::uint32_t>;

class core {
  public:
    explicit core(const sotto_metric &m) : m_(m), random_(m.id) {}

    // All levels of one release, level 0 first, as they are published.
    std::vector<word_list> release(const word_list &truth) {
        std::vector<word_list> levels(m_.level_count, truth);
        word_list drawn = truth;
        for (std::uint32_t level = m_.level_count; level-- > 0;) {
            for (std::uint32_t i = 0; i < drawn.size(); ++i) {
                EXPECT_EQ(draw_word(m_, level, i, drawn[i], bytes(), &drawn[i]), SOTTO_OK);
                levels[level][i] = reported(level, i, drawn[i], levels);
            }
        }
        return levels;
    }

  private:
    // The second stage, of a mechanism that has two; else the word itself.
    std::uint32_t reported(std::uint32_t level, std::uint32_t i, std::uint32_t drawn,
                           const std::vector<word_list> &above) {
        if (!is_two_stage(m_)) {
            return published_word(m_, drawn);
        }
        const two_stages &reports = *m_.code->reports;
        const bool is_chained = reports.is_chained(m_, level);
        return reports.draw(m_, level, i, is_chained ? above[level + 1][i] : drawn, bytes().data);
    }
    random_bytes bytes() {
        for (std::uint8_t &byte : random_bytes_) {
            byte = static_cast<std::uint8_t>(random_());
        }
        return {random_bytes_.data(), random_bytes_.size()};
    }

    const sotto_metric &m_;
    std::mt19937 random_;
    std::array<std::uint8_t, 512> random_bytes_ = {};
};

// The value 1, as a device encodes it; the least number of a mean, which is rounded to a zero.
word_list true_words(const metric &m) {
    const bool is_mean = m.kind() == value_kind::index && m.range();
    return word_list(m.value_words, is_mean ? 0 : 1);
}
word_list one_bit(const metric &m) {
    word_list words(m.value_words);
    words[0] = 2;
    return words;
}

// A bin stands for its middle.
double expected(const metric &m) {
    if (const binned_numbers *numbers = mechanism_of(m).bins(m)) {
        return numbers->number_at(0.5);
    }
    if (m.type == SOTTO_TYPE_SET && m.kind() == value_kind::index) {
        // The core draws what was sampled of a set: all releases name the one member. The pair of
        // that number has two others.
        const bool is_named = std::get<pad_and_sample_table>(m.table).named == 1;
        return is_named * static_cast<double>(releases) * mechanism_of(m).published(m).max_members;
    }
    return !m.range() ? releases : m.kind() == value_kind::index ? m.range()->min : 1;
}

std::vector<std::uint8_t> stored(const metric &m, const word_list &words) {
    std::vector<std::uint8_t> bytes(4 * words.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::size_t place = m.kind() == value_kind::bits ? i % 4 : 3 - i % 4;
        bytes[i] = static_cast<std::uint8_t>(words[i / 4] >> 8 * place);
    }
    bytes.resize(m.value_bytes());
    return bytes;
}

// Hashed categories are estimated together. Every release says category 1, in each cohort in turn.
void expect_candidates(const metric &m, core &device) {
    const bloom_function hash = bloom_of(m);
    const std::uint32_t cohorts = mechanism_of(m).strings(m)->cohorts;
    metric_tally tally = empty_tally(m);
    for (std::uint32_t k = 0; k < releases; ++k) {
        const std::uint32_t cohort = k % cohorts;
        const std::vector<word_list> levels = device.release({hash("1", cohort).front()});
        for (std::uint32_t level = 0; level < levels.size(); ++level) {
            ASSERT_TRUE(count_release(tally, m, level, cohort, stored(m, levels[level])));
        }
    }
    for (std::size_t level = 0; level < m.levels.size(); ++level) {
        metric_tally alone = empty_tally(m);
        alone[level] = tally[level];
        const auto rows = estimate_metric(m, 0, alone, {own_candidates_of(m, {}).texts}).rows;
        ASSERT_EQ(rows.size(), m.value_size());
        for (std::uint32_t v = 0; v < rows.size(); ++v) {
            EXPECT_EQ(rows[v].value, row_value(v));
            const double truth = v == 1 ? releases : 0;
            EXPECT_LT(std::abs(rows[v].result.value - truth), z_limit * rows[v].result.std_error)
                << m.name << ", level " << level << ", category " << v;
        }
    }
}

// Adds the mechanisms that were estimated.
void expect_estimates(const char *path, std::set<std::string> &estimated_by) {
    const registry every = parse_registry(read_file(path), "M.json");
    const tables in_flash(every);
    for (std::size_t i = 0; i < every.metrics.size(); ++i) {
        const metric &m = every.metrics[i];
        const mechanism &how = mechanism_of(m);
        if (has_texts(m)) {
            continue; // they are estimated together: rappor_estimate_test.cpp
        }
        estimated_by.insert(m.mechanism_name);
        core device(in_flash.get().metrics[i]);
        if (has_strings(m)) {
            expect_candidates(m, device);
            continue;
        }
        metric_tally tally = empty_tally(m);
        const word_list truth = m.kind() == value_kind::bits ? one_bit(m) : true_words(m);
        for (int k = 0; k < releases; ++k) {
            const std::vector<word_list> levels = device.release(truth);
            for (std::uint32_t level = 0; level < levels.size(); ++level) {
                ASSERT_TRUE(count_release(tally, m, level, 0, stored(m, levels[level])));
            }
        }
        for (std::size_t level = 0; level < m.levels.size(); ++level) {
            const std::size_t at = m.range() ? 0 : 1;
            const estimated found =
                how.estimate(m, std::span(tally).subspan(level, 1), {&m.law(level), 1}, at);
            EXPECT_LT(std::abs(found.value - expected(m)), z_limit * found.std_error)
                << m.name << ", level " << level << ": " << found.value;
            EXPECT_EQ(found.reports, static_cast<std::uint64_t>(releases));
        }
    }
}

TEST(DrawnEstimates, FindTheValueByEveryMechanism) {
    std::set<std::string> estimated_by;
    expect_estimates(SOTTO_EVERY_MECHANISM, estimated_by);
    expect_estimates(SOTTO_COUNTERS, estimated_by);
    for (const known_mechanism &known : known_mechanisms()) {
        // Strings are decoded, points joined, quantiles no means of theirs: estimate_test.cpp,
        // places_test.cpp and quantile_test.cpp.
        const std::string type = known.type;
        EXPECT_TRUE(estimated_by.contains(known.name) || type == "string" || type == "histogram" ||
                    type == "location" || type == "quantile")
            << known.name << ": tests/mechanisms.toml has no metric of it";
    }
}

} // namespace
} // namespace sotto::aggregator::test
