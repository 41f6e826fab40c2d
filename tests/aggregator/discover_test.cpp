// SPDX-License-Identifier: Apache-2.0
// Frequent texts that nobody has a list of, from metrics of their prefixes.
#include "aggregator/base/failure.hpp"
#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/discover.hpp"
#include "rappor_fleet.hpp"
#include "support.hpp"

#include "sotto/registry.h"

#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

// A metric of texts of up to so many bytes: two hashes of 64 bits in 16 cohorts, p* = 1/4.
metric prefix_metric(std::uint16_t id, std::uint16_t max_bytes) {
    rappor_table table;
    table.bits = 64;
    table.hashes = 2;
    table.cohorts = 16;
    table.max_bytes = max_bytes;
    metric m;
    m.id = id;
    m.type = SOTTO_TYPE_STRING;
    m.name = "text_" + std::to_string(max_bytes);
    m.table = table;
    ladder_level level;
    level.realised.value = 1;
    level.law.one_if_zero = 0.25;
    level.law.one_if_one = 0.75;
    m.levels.push_back(level);
    m.costs = {1 << 20};
    return m;
}

metric_tally tally_of(generator &random, const metric &m, const std::vector<held> &fleet) {
    const auto &table = std::get<rappor_table>(m.table);
    std::vector<held> prefixes = fleet;
    for (held &one : prefixes) {
        one.text = one.text.substr(0, table.max_bytes);
    }
    const auto counts = round_of(random, prefixes, {table.bits, table.hashes, table.cohorts},
                                 {0.25, 0.75}, bloom_of(table));
    metric_tally tally = empty_tally(m);
    for (std::size_t c = 0; c < counts.size(); ++c) {
        tally[0].reports += counts[c].reports;
        tally[0].cohorts[c] = counts[c].reports;
        std::copy(counts[c].ones.begin(), counts[c].ones.end(),
                  tally[0].ones.begin() + static_cast<std::ptrdiff_t>(c * table.bits));
    }
    return tally;
}

class Discover : public testing::Test {
  protected:
    Discover() {
        for (int i = 0; i < 200; ++i) { // rare, of random letters
            std::string text;
            for (int k = 0; k < 6; ++k) {
                text += alphabet_[random_() % alphabet_.size()];
            }
            fleet_.push_back({text, 100});
        }
    }

    std::vector<prefix_stage> stages() {
        std::vector<prefix_stage> out;
        for (const metric &m : metrics_) {
            out.push_back({&m, tally_of(random_, m, fleet_)});
        }
        return out;
    }

    generator random_{1};
    std::string alphabet_ = "abcdefghijklmnopqrstuvwxyz";
    std::vector<held> fleet_ = {
        {"sotto", 40'000}, {"so", 20'000}, {"sottovoce", 15'000}, {"piano", 15'000}, {"", 10'000}};
    std::vector<metric> metrics_ = {prefix_metric(1, 2), prefix_metric(2, 4), prefix_metric(3, 6)};
};

// All five, whole or the first six bytes, and hardly anything else: 702 and then thousands of
// candidates are more than the 819 that can be fitted at once.
TEST_F(Discover, FindsFrequentTexts) {
    const std::vector<prefix_stage> reported = stages();
    const discovered found = discover(reported, alphabet_, {});
    ASSERT_EQ(found.found.size(), 2u);
    EXPECT_LE(found.found[0].size(), 10u);
    decode_options options;
    options.candidates = found.candidates;
    std::map<std::string, estimated> detected;
    for (const estimate_row &row :
         estimate_metric(metrics_[2], 0, reported[2].tally, options).rows) {
        if (*row.detected) {
            detected[std::get<std::string>(row.value)] = row.result;
        }
    }
    const std::pair<const char *, double> wanted[] = {
        {"sotto", 40'000}, {"so", 20'000}, {"sottov", 15'000}, {"piano", 15'000}, {"", 10'000}};
    for (const auto &[text, count] : wanted) {
        ASSERT_TRUE(detected.contains(text)) << text;
        EXPECT_NEAR(detected[text].value, count, 6.2 * detected[text].std_error) << text;
    }
    EXPECT_LE(detected.size(), 7u);
}

// Where only one text is frequent the others are not made up.
TEST_F(Discover, FindsNothingInNoise) {
    fleet_.erase(fleet_.begin(), fleet_.begin() + 5);
    const discovered found = discover(stages(), alphabet_, {});
    EXPECT_LE(found.candidates.size(), 2u * 703);
}

TEST_F(Discover, RefusesWhatIsTooMuch) {
    std::vector<prefix_stage> reported = stages();
    std::swap(reported[0], reported[1]);
    EXPECT_THROW((void)discover(reported, alphabet_, {}), usage_error); // 26^4 texts, too many
    std::swap(reported[0], reported[2]);
    EXPECT_THROW((void)discover(reported, "a", {}), usage_error); // shorter and shorter
    const metric number = parse_registry(every_type_text(), "M.json").metrics.front();
    EXPECT_THROW((void)discover({{&number, empty_tally(number)}}, "a", {}), usage_error);
}

} // namespace
} // namespace sotto::aggregator::test
