// SPDX-License-Identifier: Apache-2.0
// Frequent texts that nobody has a list of, from metrics of their prefixes.
#include "aggregator/base/failure.hpp"
#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/discover.hpp"
#include "aggregator/estimate/string_remarks.hpp"
#include "aggregator/text/remark_words.hpp"
#include "rappor_fleet.hpp"
#include "support.hpp"

#include "sotto/registry.h"

#include <algorithm>
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
    level.law = permanent_law{0.25, 0.75, 0};
    m.levels.push_back(level);
    m.costs = {1 << 20};
    return m;
}

std::vector<held> prefixes_of(std::vector<held> fleet, std::size_t length) {
    for (held &device : fleet) {
        device.text = device.text.substr(0, length);
    }
    return fleet;
}

metric_tally tally_of(generator &random, const metric &m, const std::vector<held> &fleet,
                      const bloom_function &bloom) {
    const auto &table = std::get<rappor_table>(m.table);
    const auto counts =
        round_of(random, fleet, {table.bits, table.hashes, table.cohorts}, {0.25, 0.75}, bloom);
    metric_tally tally = empty_tally(m);
    for (std::size_t c = 0; c < counts.size(); ++c) {
        tally[0].reports += counts[c].reports;
        tally[0].cohorts[c] = counts[c].reports;
        std::copy(counts[c].ones.begin(), counts[c].ones.end(),
                  tally[0].ones.begin() + static_cast<std::ptrdiff_t>(c * table.bits));
    }
    return tally;
}

metric_tally tally_of(generator &random, const metric &m, const std::vector<held> &fleet) {
    return tally_of(random, m, fleet, bloom_of(std::get<rappor_table>(m.table)));
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
            const auto bytes = std::get<rappor_table>(m.table).max_bytes;
            out.push_back({&m, tally_of(random_, m, prefixes_of(fleet_, bytes))});
        }
        return out;
    }

    generator random_{1};
    std::string alphabet_ = "abcdefghijklmnopqrstuvwxyz";
    std::vector<held> fleet_ = {
        {"sotto", 40'000}, {"so", 20'000}, {"sottovoce", 15'000}, {"piano", 15'000}, {"", 10'000}};
    std::vector<metric> metrics_ = {prefix_metric(1, 2), prefix_metric(2, 4), prefix_metric(3, 6)};
};

// All five, whole or the first six bytes, and hardly anything else. 702 and then thousands of
// candidates are more than the 819 that can be fitted at once.
TEST_F(Discover, FindsFrequentTexts) {
    const std::vector<prefix_stage> reported = stages();
    const discovered found = discover(reported, alphabet_, {});
    ASSERT_EQ(found.found.size(), 2u);
    EXPECT_LE(found.found[0].kept.size(), 10u);
    EXPECT_FALSE(found.found[0].too_long);
    decode_options options;
    options.candidates = found.candidates;
    std::map<std::string, estimated> detected;
    for (const estimate_row &row :
         estimate_metric(metrics_[2], 0, reported[2].tally, options).rows) {
        if (*row.detected && std::holds_alternative<std::string>(row.value)) {
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

// A stage that is given whole texts has no prefixes of most of them, says so, and makes none up.
TEST_F(Discover, SaysThatTextsAreLonger) {
    std::vector<prefix_stage> whole;
    for (const metric &m : metrics_) {
        whole.push_back({&m, tally_of(random_, m, fleet_)});
    }
    const discovered found = discover(whole, alphabet_, {});
    ASSERT_TRUE(found.found[0].too_long);
    EXPECT_NEAR(found.found[0].too_long->value, 90'000, 6.2 * found.found[0].too_long->std_error);
    EXPECT_LE(found.found[0].kept.size(), 4u); // "so" and ""
    EXPECT_FALSE(found.found[0].is_misfit);
    EXPECT_EQ(found.found[0].kept.front(), "so");
}

// An estimate of those that are longer may be above all that there are.
TEST_F(Discover, SaysNoMoreTextsThanReports) {
    std::string doubt;
    found_prefixes found;
    found.too_long = estimated{60'047, 150, 60'000};
    const auto keep = [&](const remark_content &content) { doubt = words_of(content); };
    note_stage(keep, metrics_[0], found);
    EXPECT_TRUE(doubt.starts_with("59,753 to 60,000 of 60,000 reports are of texts longer than "))
        << doubt;
    found.too_long = estimated{180, 100, 60'000};
    note_stage(keep, metrics_[0], found);
    EXPECT_TRUE(doubt.starts_with("0 to 376 of 60,000 reports are of")) << doubt;
}

// Frequent texts of other characters leave over more than noise would.
TEST_F(Discover, SaysThatTheAlphabetIsTooSmall) {
    for (held &device : fleet_) {
        device.releases *= 4;
    }
    EXPECT_FALSE(discover(stages(), alphabet_, {}).found[0].is_misfit) << "the control";
    EXPECT_TRUE(discover(stages(), "abcdefghijklmno", {}).found[0].is_misfit);
}

// Fifteen prefixes of which ten can be extended: the most frequent are, and the others counted.
TEST_F(Discover, KeepsTheMostFrequent) {
    fleet_.clear();
    for (char c = 'a'; c < 'p'; ++c) {
        fleet_.push_back(
            {std::string("x") + c, static_cast<std::uint64_t>(20'000 + 10'000 * (c - 'a'))});
    }
    metrics_ = {prefix_metric(1, 2), prefix_metric(2, 5)};
    const discovered found = discover(stages(), alphabet_, {});
    ASSERT_EQ(found.found.size(), 1u);
    EXPECT_EQ(found.found[0].kept.size(), 10u);
    EXPECT_GE(found.found[0].left_out, 5u);
    EXPECT_EQ(found.found[0].kept.front(), "xo");
    EXPECT_EQ(std::ranges::count(found.found[0].kept, "xa"), 0);
    EXPECT_EQ(found.candidates.size(), 10u * (1 + 26 + 26 * 26 + 26 * 26 * 26));
}

TEST_F(Discover, RefusesWhatIsTooMuch) {
    const std::vector<prefix_stage> reported = stages();
    const auto refusal = [&](const std::vector<prefix_stage> &given, const std::string &alphabet) {
        try {
            (void)discover(given, alphabet, {});
        } catch (const usage_error &error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_EQ(refusal({reported[1], reported[2]}, alphabet_),
              "text_4: 4 bytes more of 26 characters make more than 200,000 candidates; put a "
              "metric between, or give a smaller alphabet");
    // Before anything is decoded: counts that are not there can't be.
    const metric long_step = prefix_metric(4, 12);
    EXPECT_TRUE(
        refusal({reported[0], {&long_step, {}}}, alphabet_).starts_with("text_12: 10 bytes"));
    EXPECT_EQ(refusal({reported[1], reported[2]}, "sotpian"), "none") << "the control";
}

TEST_F(Discover, SaysThatItIsForStrings) {
    metric phase = parse_registry(every_type_text(), "M.json").metrics.front();
    try {
        check_stages({&metrics_[0], &phase}, 2);
        ADD_FAILURE() << "a category is discovered";
    } catch (const usage_error &error) {
        EXPECT_EQ(std::string(error.what()), "--discover: " + phase.name + " is of type " +
                                                 phase.type_name +
                                                 "; only metrics of type string are discovered");
    }
    EXPECT_NO_THROW(check_stages({&metrics_[0]}, 2)) << "the control";
}

// The message names the metrics and the right order.
TEST_F(Discover, SaysWhichMetricsAreOutOfOrder) {
    const auto refusal = [&](std::initializer_list<std::size_t> order) -> std::string {
        std::vector<prefix_stage> given;
        for (const std::size_t i : order) {
            given.push_back({&metrics_[i], {}});
        }
        try {
            (void)discover(given, "ab", {});
        } catch (const usage_error &error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(refusal({2, 1, 0}),
              "--discover: text_6 (max_bytes 6) stands before text_4 (max_bytes "
              "4); the shortest comes first: --discover text_2,text_4,text_6");
    EXPECT_EQ(refusal({0, 2, 1}),
              "--discover: text_6 (max_bytes 6) stands before text_4 (max_bytes "
              "4); the shortest comes first: --discover text_2,text_4,text_6");
    EXPECT_EQ(refusal({0, 1, 1}),
              "--discover: text_4 and text_4 both have max_bytes 4; each metric "
              "needs a longer prefix than the one before it");
}

// A value of its own, so that its bits decode as no other's. It has 27 % of 60,000 devices. 100
// texts are somebody's, and 100 nobody's.
TEST(LongerStrings, AreARowOfTheirOwn) {
    generator random(7);
    const metric m = prefix_metric(1, 9);
    std::vector<held> fleet = {{"longer than that", 10'000}, {"much longer than that", 6'200}};
    decode_options options;
    for (int i = 0; i < 100; ++i) {
        fleet.push_back({"text " + std::to_string(i), 438});
        options.candidates.push_back(fleet.back().text);
        options.candidates.push_back("none " + std::to_string(i));
    }
    const metric_estimate found = estimate_metric(m, 0, tally_of(random, m, fleet), options);
    ASSERT_EQ(found.rows.size(), options.candidates.size() + 1);
    const estimate_row &longer = found.rows.back();
    EXPECT_EQ(longer.value, row_value(longer_strings{9}));
    EXPECT_NEAR(longer.result.value, 16'200, 6.2 * longer.result.std_error);
    EXPECT_TRUE(*longer.detected);
    EXPECT_FALSE(found.is_misfit);
    const auto is_false = [](const estimate_row &row) {
        const auto *text = std::get_if<std::string>(&row.value);
        return *row.detected && text != nullptr && text->starts_with("none");
    };
    EXPECT_LE(std::ranges::count_if(found.rows, is_false), 12); // 100 are detected
    // The control: without that row its bits are those of texts that nobody has.
    const auto &table = std::get<rappor_table>(m.table);
    generator again(7);
    const auto counts = round_of(again, fleet, {table.bits, table.hashes, table.cohorts},
                                 {0.25, 0.75}, bloom_of(table));
    const candidate_fit without = estimate_rappor(
        std::array{counts}, std::array{bit_channel{0.25, 0.75}},
        {table.bits, table.hashes, table.cohorts}, bloom_of(table), options.candidates);
    EXPECT_TRUE(without.is_misfit());
}

// A dummy, which a device reports beyond max_values, has no bit: it decodes as nothing.
TEST(LongerStrings, DummiesAreNoRow) {
    generator random(8);
    const metric m = prefix_metric(1, 9);
    const bloom_function bloom = bloom_of(std::get<rappor_table>(m.table));
    const auto with_dummies = [&](const std::string &text, std::uint32_t cohort) {
        return text == "dummy" ? std::vector<std::uint32_t>() : bloom(text, cohort);
    };
    decode_options options;
    std::vector<held> fleet = {{"dummy", 16'200}, {"text", 43'800}};
    for (int i = 0; i < 200; ++i) {
        options.candidates.push_back("none " + std::to_string(i));
    }
    options.candidates.emplace_back("text");
    const metric_estimate found =
        estimate_metric(m, 0, tally_of(random, m, fleet, with_dummies), options);
    for (const estimate_row &row : found.rows) {
        const double truth = row.value == row_value("text") ? 43'800 : 0;
        EXPECT_NEAR(row.result.value, truth, 6.2 * row.result.std_error);
    }
    EXPECT_LE(std::ranges::count_if(found.rows, [](const auto &row) { return *row.detected; }), 6);
    EXPECT_FALSE(found.is_misfit);
}

} // namespace
} // namespace sotto::aggregator::test
