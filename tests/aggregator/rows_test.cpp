// SPDX-License-Identifier: Apache-2.0
// From stored values to the rows that are printed, for every mechanism; hand-made metrics whose
// probabilities are round.
#include "aggregator/base/failure.hpp"
#include "aggregator/base/text.hpp"
#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/next_level.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"
#include "aggregator/text/estimate_phrases.hpp"
#include "aggregator/text/estimate_text.hpp"
#include "aggregator/text/format.hpp"
#include "aggregator/text/remark_words.hpp"
#include "rappor_fleet.hpp"

#include "sotto/registry.h"

#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

using bytes = std::vector<std::uint8_t>;

rappor_table strings_of(std::uint16_t bits, std::uint8_t hashes, std::uint16_t cohorts) {
    rappor_table table;
    table.bits = bits;
    table.hashes = hashes;
    table.cohorts = cohorts;
    table.max_bytes = 16;
    return table;
}

metric metric_of(int type, mechanism_table table, const std::vector<level_law> &laws) {
    metric m;
    m.name = "m";
    m.type = static_cast<std::uint8_t>(type);
    m.table = std::move(table);
    for (const level_law &law : laws) {
        ladder_level level;
        level.realised.value = 1 + static_cast<double>(m.levels.size());
        level.law = law;
        m.levels.push_back(level);
        m.costs.push_back(static_cast<std::uint32_t>(m.levels.size()) << 20); // lossless
        m.joint = level.realised;
    }
    return m;
}

metric_estimate rows_of(const metric &m, const std::vector<std::pair<std::uint32_t, bytes>> &values,
                        const std::vector<std::string> &candidates = {}) {
    metric_tally tally = empty_tally(m);
    for (const auto &[level, value] : values) {
        EXPECT_TRUE(count_release(tally, m, level, 0, value));
    }
    return estimate_metric(m, 7, tally, {candidates});
}

// keep = 1/2 of 4: beta = 5/8, gamma = 1/8.
metric category() {
    k_randomized_response_table table;
    table.size = 4;
    metric m = metric_of(SOTTO_TYPE_CATEGORY, table, {keep_law{0.5}});
    m.names = {"taxi", "climb", "cruise", "landing"};
    return m;
}

TEST(Rows, CategoriesByNameAndByNumber) {
    metric m = category();
    const std::vector<std::pair<std::uint32_t, bytes>> values = {
        {0, {0, 0, 0, 2}}, {0, {0, 0, 0, 2}}, {0, {0, 0, 0, 3}}};
    const auto found = rows_of(m, values).rows;
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(found[2].value, row_value("cruise"));
    EXPECT_EQ(found[2].epoch, 7u);
    EXPECT_EQ(found[2].epsilon, 1);
    EXPECT_EQ(found[2].result.reports, 3u);
    EXPECT_DOUBLE_EQ(found[2].result.value, (2 - 3 / 8.0) * 2);
    EXPECT_DOUBLE_EQ(found[0].result.value, -3 / 4.0);
    EXPECT_FALSE(found[2].relaxed || found[2].detected || found[2].mixed);
    m.names.clear();
    EXPECT_EQ(rows_of(m, values).rows[2].value, row_value(2u));
}

TEST(Rows, BitsOfSetsCountWhereTheyStand) {
    unary_table table;
    table.size = 10;
    const metric m =
        metric_of(SOTTO_TYPE_SET, table, {bit_channel{0.25, 0.5}, bit_channel{0.125, 0.625}});
    // Bit i is byte[i / 8] >> (i % 8).
    const auto found = rows_of(m, {{0, {0x01, 0x02}}, {1, {0x81, 0x00}}}).rows;
    ASSERT_EQ(found.size(), 10u);
    const double yes0 = 0.75 * 4, no0 = -0.25 * 4, yes1 = 0.875 * 2, no1 = -0.125 * 2;
    EXPECT_DOUBLE_EQ(found[0].result.value, yes0 + yes1);
    EXPECT_DOUBLE_EQ(found[1].result.value, no0 + no1);
    EXPECT_DOUBLE_EQ(found[7].result.value, no0 + yes1);
    EXPECT_DOUBLE_EQ(found[9].result.value, yes0 + no1);
    EXPECT_TRUE(found[0].mixed);
    EXPECT_EQ(found[0].epsilon, 2);
    metric_tally tally = empty_tally(m);
    EXPECT_FALSE(count_release(tally, m, 0, 0, bytes{0, 4})); // there is no bit 10
    EXPECT_FALSE(count_release(tally, m, 0, 0, bytes{0}));
    EXPECT_FALSE(count_release(tally, m, 0, 1, bytes{0, 0}));
    EXPECT_FALSE(count_release(tally, m, 2, 0, bytes{0, 0}));
    EXPECT_EQ(tally[0].reports, 0u);
}

TEST(Rows, NumbersAndVectors) {
    discrete_laplace_table table;
    table.min = table.publish_min = -300;
    table.max = table.publish_max = 300;
    const double ln2 = std::log(2.0);
    const auto law = number_law{ln2, 0};
    const metric m = metric_of(SOTTO_TYPE_INTEGER, table, {law});
    // -2, and 300, which stands for one more.
    const auto found = rows_of(m, {{0, {0xff, 0xff, 0xff, 0xfe}}, {0, {0, 0, 1, 44}}}).rows;
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].value, row_value());
    EXPECT_NEAR(found[0].result.value, (-2 + 301) / 2.0, 1e-12);
    table.length = 2;
    const metric v = metric_of(SOTTO_TYPE_VECTOR, table, {law});
    const auto two = rows_of(v, {{0, {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff}}}).rows;
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[1].value, row_value(1u));
    EXPECT_NEAR(two[0].result.value, 1, 1e-12);
    EXPECT_NEAR(two[1].result.value, -1, 1e-12);
    metric_tally tally = empty_tally(m);
    EXPECT_FALSE(count_release(tally, m, 0, 0, bytes{0, 0, 1, 45}));
    EXPECT_FALSE(count_release(tally, m, 0, 3, bytes{0, 0, 0, 0}));
}

TEST(Rows, OneBitMeansAndThresholdedLaplace) {
    one_bit_mean_table table;
    table.min = -4;
    table.max = 11;
    table.scale = 1u << 28;
    const metric m = metric_of(SOTTO_TYPE_MEAN, table, {flip_law{0.25}});
    const auto found = rows_of(m, {{0, {0, 0, 0, 1}}, {0, {0, 0, 0, 0}}}).rows;
    ASSERT_EQ(found.size(), 1u);
    EXPECT_DOUBLE_EQ(found[0].result.value, -4 + 8);
    const metric fine =
        metric_of(SOTTO_TYPE_BOOLEAN, laplace_threshold_table(), {bit_channel{0.25, 0.75}});
    const auto yes = rows_of(fine, {{0, {0, 0, 0, 1}}}).rows;
    ASSERT_EQ(yes.size(), 1u);
    EXPECT_EQ(yes[0].value, row_value(true));
    EXPECT_DOUBLE_EQ(yes[0].result.value, 1.5);
    metric_tally tally = empty_tally(fine);
    EXPECT_FALSE(count_release(tally, fine, 0, 0, bytes{0, 0, 0, 2}));
}

// By Python's hashlib.
TEST(Bloom, BitsAreTheDevices) {
    rappor_table table;
    table.bits = 128;
    table.hashes = 2;
    table.max_bytes = 64;
    using positions = std::vector<std::uint32_t>;
    EXPECT_EQ(bloom_of(table)("B737", 0), (positions{2, 19}));
    EXPECT_EQ(bloom_of(table)("B737", 5), (positions{63, 84}));
    table.hashes = 4;
    EXPECT_EQ(bloom_of(table)("", 0), (positions{2, 45, 63, 69}));
    table.bits = 32;
    table.hashes = 8;
    // Too long is one value, whatever it is.
    EXPECT_EQ(bloom_of(table)(std::string(65, 'x'), 3), (positions{0, 2, 3, 5, 15, 18, 19, 21}));
    EXPECT_EQ(bloom_of(table)(std::string(70, 'y'), 3), bloom_of(table)(std::string(65, 'x'), 3));
    EXPECT_NE(bloom_of(table)(std::string(64, 'x'), 3), bloom_of(table)(std::string(65, 'x'), 3));
}

// Through the tally, cohorts and all: three strings without noise.
TEST(Rows, StringsOfACandidateList) {
    const rappor_table table = strings_of(64, 2, 3);
    const metric m = metric_of(SOTTO_TYPE_STRING, table, {permanent_law{0, 1, 0}});
    metric_tally tally = empty_tally(m);
    const std::vector<std::string> names = {"B737", "A320", "DH8", "nobody's"};
    const int held[] = {50, 30, 20, 0};
    for (std::uint32_t cohort = 0; cohort < 3; ++cohort) {
        for (std::size_t k = 0; k < names.size(); ++k) {
            bytes value(8);
            for (const std::uint32_t bit : bloom_of(table)(names[k], cohort)) {
                value[bit / 8] = static_cast<std::uint8_t>(value[bit / 8] | 1u << bit % 8);
            }
            for (int i = 0; i < held[k]; ++i) {
                EXPECT_TRUE(count_release(tally, m, 0, cohort, value));
            }
        }
    }
    EXPECT_FALSE(count_release(tally, m, 0, 3, bytes(8)));
    const metric_estimate found = estimate_metric(m, 0, tally, {names});
    ASSERT_EQ(found.rows.size(), 5u);
    EXPECT_EQ(found.rows[4].value, row_value(longer_strings{16}));
    for (std::size_t k = 0; k < names.size(); ++k) {
        EXPECT_EQ(found.rows[k].value, row_value(names[k]));
        EXPECT_NEAR(found.rows[k].result.value, 3 * held[k], 1e-9);
        EXPECT_TRUE(found.rows[k].detected.has_value());
    }
    EXPECT_TRUE(estimate_metric(m, 0, tally).rows.empty());
    // A twin can't be told apart, and is named.
    rappor_table short_strings = table;
    short_strings.max_bytes = 4;
    const metric s = metric_of(SOTTO_TYPE_STRING, short_strings, {permanent_law{0, 1, 0}});
    const auto twins = estimate_metric(s, 0, tally, {{"B737", "too long", "far too long"}});
    EXPECT_EQ(twins.undetermined,
              (std::vector<std::string>{"too long", "far too long", "longer than 4 bytes"}));
    EXPECT_EQ(twins.rows.size(), 1u);
}

// The next level shows what was foretold, where the truth is what was found.
TEST(NextLevel, AgreesWithTheEstimateThere) {
    const metric m = metric_of(SOTTO_TYPE_BOOLEAN, randomized_response_table(),
                               {flip_law{0.25}, flip_law{0.125}});
    const auto found = rows_of(m, {{0, {0, 0, 0, 1}}}).rows;
    ASSERT_TRUE(found[0].relaxed);
    EXPECT_DOUBLE_EQ(found[0].relaxed->std_error, std::sqrt(7 / 64.0) / 0.75);
    EXPECT_EQ(found[0].relaxed->epsilon, 2);
    EXPECT_FALSE(rows_of(m, {{1, {0, 0, 0, 1}}}).rows[0].relaxed);
    // A mixture: all of them there.
    const auto mixed = rows_of(m, {{0, {0, 0, 0, 1}}, {1, {0, 0, 0, 1}}}).rows;
    ASSERT_TRUE(mixed[0].relaxed);
    EXPECT_DOUBLE_EQ(mixed[0].relaxed->std_error, std::sqrt(2 * 7 / 64.0) / 0.75);
    EXPECT_LT(mixed[0].relaxed->std_error, mixed[0].result.std_error);
    EXPECT_EQ(mixed[0].relaxed->epsilon, 2);
    // The rest, to the level above the one that the most have.
    const bytes yes = {0, 0, 0, 1}, no = {0, 0, 0, 0};
    const auto more = rows_of(m, {{0, yes}, {0, no}, {1, yes}}).rows;
    ASSERT_TRUE(more[0].relaxed);
    EXPECT_DOUBLE_EQ(more[0].relaxed->std_error, *std_error_at(m, 1, more[0].result));
    // Nor is there nothing left where most are at the top.
    const auto rest = rows_of(m, {{0, yes}, {1, yes}, {1, no}}).rows;
    ASSERT_TRUE(rest[0].relaxed);
    EXPECT_DOUBLE_EQ(rest[0].relaxed->std_error, *std_error_at(m, 1, rest[0].result));
    // Numbers: simulated, 400 on 3 in [0, 10].
    discrete_laplace_table table;
    table.publish_max = table.max = 10;
    const metric n = metric_of(SOTTO_TYPE_INTEGER, table, {number_law{0.2, 0}});
    generator random(1);
    trials seen;
    const double epsilon[] = {0.2};
    for (int i = 0; i < trials::count; ++i) {
        number_count count[1];
        for (int k = 0; k < 400; ++k) {
            const auto y = std::clamp<std::int64_t>(3 + laplace(random, 0.2), 0, 10);
            count[0].add(static_cast<std::int32_t>(y), 0, 10);
        }
        seen.add(estimate_discrete_laplace(count, epsilon), 3);
    }
    EXPECT_TRUE(seen.agrees_with(*std_error_at(n, 0, {3, 0, 400}))) << seen.seen_error();
}

// In ten epochs, as the same permanent bits: the next level can only lessen the noise of one.
TEST(NextLevel, AllowsForPermanentBits) {
    rappor_table table;
    table.bits = 4;
    table.hashes = table.cohorts = 1;
    std::vector<permanent_law> laws;
    for (const double flip : {0.25, 0.125}) {
        const bit_channel c = rappor_channel(2 * flip, 0, 1);
        laws.push_back({c.one_if_zero, c.one_if_one, flip});
    }
    const metric m = metric_of(SOTTO_TYPE_CATEGORY, table, {laws[0], laws[1]});
    decode_options options;
    // 4,000 reports, 1,000 of each category.
    const auto rows_at = [&](std::size_t level) {
        metric_tally tally = empty_tally(m);
        const double ones = 1000 * laws[level].one_if_one + 3000 * laws[level].one_if_zero;
        tally[level].reports = 4000;
        tally[level].cohorts = {4000};
        tally[level].ones.assign(4, static_cast<std::uint64_t>(ones));
        return estimate_metric(m, {}, tally, options).rows;
    };
    const double once = rows_at(0)[0].relaxed->std_error;
    options.of_a_value = 10;
    const double ten_times = rows_at(0)[0].relaxed->std_error;
    EXPECT_NEAR(ten_times, rows_at(1)[0].result.std_error, 1e-9 * ten_times);
    const double more = 9 * 4000 * 0.125 * 0.875 / (0.75 * 0.75);
    EXPECT_NEAR(ten_times, std::sqrt(once * once + more), 1e-9 * ten_times);
    EXPECT_GT(ten_times, 3 * once);
}

// 2,000 of 40,000 reports are of one string; nothing is left over that says less than R does.
TEST(NextLevel, AllowsForPermanentBitsOfStrings) {
    const rappor_table table = strings_of(64, 1, 1);
    std::vector<permanent_law> laws;
    for (const double flip : {0.25, 0.125}) {
        const bit_channel c = rappor_channel(2 * flip, 0, 1);
        laws.push_back({c.one_if_zero, c.one_if_one, flip});
    }
    metric m = metric_of(SOTTO_TYPE_STRING, table, {laws[0], laws[1]});
    decode_options options;
    options.candidates = {"B737"};
    const auto rows_at = [&](std::size_t level) {
        metric_tally tally = empty_tally(m);
        level_tally &at = tally[level];
        at.reports = 40'000;
        at.cohorts = {40'000};
        const auto ones_of = [&](double share) {
            return static_cast<std::uint64_t>(
                40'000 * (share * laws[level].one_if_one + (1 - share) * laws[level].one_if_zero));
        };
        at.ones.assign(64, ones_of(0.95 / 64)); // all others
        at.ones[aggregator::bloom_of(table)("B737", 0)[0]] = ones_of(0.05 + 0.95 / 64);
        return estimate_metric(m, {}, tally, options).rows;
    };
    for (const double repeats : {1.0, 20.0}) {
        options.of_a_value = repeats;
        EXPECT_NEAR(rows_at(0)[0].relaxed->std_error / rows_at(1)[0].result.std_error, 1, 0.1);
    }
    const double permanent = rows_at(1)[0].result.std_error;
    // Bits drawn anew in every epoch: a device only stays in its cohort.
    std::get<rappor_table>(m.table).protects_sequence = true;
    const double in_cohorts = rows_at(1)[0].result.std_error;
    options.of_a_value = 1;
    EXPECT_GT(in_cohorts, 1.1 * rows_at(1)[0].result.std_error);
    EXPECT_LT(in_cohorts, 0.9 * permanent);
}

std::string written(const output_format &as, const std::vector<estimate_row> &rows) {
    return as.estimates({{rows, {}}, {}, {}, {}});
}

TEST(JointEpsilon, IsSaidWhereTheLadderIsLossy) {
    metric m = metric_of(SOTTO_TYPE_BOOLEAN, randomized_response_table(),
                         {flip_law{0.25}, flip_law{0.125}});
    auto first = rows_of(m, {{0, {0, 0, 0, 1}}}).rows, top = rows_of(m, {{1, {0, 0, 0, 1}}}).rows;
    EXPECT_EQ(first[0].relaxed->joint_epsilon, 2);
    EXPECT_EQ(top[0].joint_epsilon, 2);
    EXPECT_EQ(joint_loss(top[0]), "");
    EXPECT_EQ(if_relaxed(first[0]).find("together"), std::string::npos);
    m.costs[1] = 5 << 19; // 2.5
    m.joint.value = 2.5;
    first = rows_of(m, {{0, {0, 0, 0, 1}}}).rows, top = rows_of(m, {{1, {0, 0, 0, 1}}}).rows;
    EXPECT_EQ(joint_loss(first[0]), "");
    EXPECT_NE(if_relaxed(first[0]).find("epsilon 2 (together with all levels below 2.5), these"),
              std::string::npos)
        << if_relaxed(first[0]);
    EXPECT_EQ(joint_loss(top[0]),
              "published at every level up to this one, a release loses epsilon 2.5");
    EXPECT_NE(written(json_format, top).find("\"epsilon\": 2,"), std::string::npos);
    EXPECT_NE(
        written(json_format, top)
            .find("\"epsilon_all_levels\": 2.5, \"remarks\": [{\"kind\": \"too_few_reports\", "),
        std::string::npos);
    EXPECT_NE(written(csv_format, top).find(",count,2.5,,,,,,,,,too_few_reports,"),
              std::string::npos)
        << written(csv_format, top);
    EXPECT_EQ(joint_epsilon(m, 0), 1);
}

// Strings too, in proportion: relaxed, the same fleet shows that error.
TEST(NextLevel, ForeseesTheErrorOfStrings) {
    const rappor_table table = strings_of(32, 1, 16);
    const bit_channel channels[] = {rappor_channel(0.5, 0.5, 0.75),
                                    rappor_channel(0.25, 0.0625, 0.9375)};
    std::vector<level_law> laws;
    for (const bit_channel &c : channels) {
        laws.push_back(permanent_law{c.one_if_zero, c.one_if_one, 0});
    }
    const metric m = metric_of(SOTTO_TYPE_STRING, table, {laws[0], laws[1]});
    std::vector<held> fleet = {{"B737", 4000}, {"A320", 2000}};
    for (int i = 0; i < 200; ++i) {
        fleet.push_back({"rare" + std::to_string(i), 30});
    }
    generator random(9);
    std::vector<std::string> names = {"B737", "A320"};
    const auto rows_at = [&](std::size_t level) {
        metric_tally tally = empty_tally(m);
        level_tally &at = tally[level];
        at.cohorts.clear();
        at.ones.clear();
        for (const cohort_count &c :
             round_of(random, fleet, {32, 1, 16}, channels[level], aggregator::bloom_of(table))) {
            at.reports += c.reports;
            at.cohorts.push_back(c.reports);
            at.ones.insert(at.ones.end(), c.ones.begin(), c.ones.end());
        }
        return estimate_metric(m, 0, tally, {names}).rows;
    };
    const auto low = rows_at(0), high = rows_at(1);
    ASSERT_EQ(low.size(), 3u); // longer strings' row is the last
    ASSERT_EQ(high.size(), 3u);
    for (std::size_t k = 0; k < 2; ++k) {
        ASSERT_TRUE(low[k].relaxed);
        EXPECT_LT(high[k].result.std_error, 0.5 * low[k].result.std_error);
        EXPECT_NEAR(low[k].relaxed->std_error / high[k].result.std_error, 1, 0.3);
    }
    // More candidates than 32 * 16 equations: it is those that passed the screen that count.
    for (int i = 0; i < 600; ++i) {
        names.push_back("nobody's " + std::to_string(i));
    }
    const auto screened = rows_at(0);
    ASSERT_GE(screened.size(), 1u);
    EXPECT_LT(screened.size(), 100u);
    EXPECT_NEAR(screened[0].relaxed->std_error / low[0].relaxed->std_error, 1, 0.3);
    EXPECT_GT(expected_share_error(channels[0], {8, 1, 1}, 100, 0, 1e6), 0);
}

// Few reports: the best fit without a negative count can add up to more than there are.
TEST(Rows, StringsAreNoMoreThanReports) {
    const rappor_table table = strings_of(16, 1, 2);
    const metric m = metric_of(SOTTO_TYPE_STRING, table, {permanent_law{0.4, 0.6, 0}});
    metric_tally tally = empty_tally(m);
    tally[0].reports = 20;
    tally[0].cohorts = {10, 10};
    std::fill(tally[0].ones.begin(), tally[0].ones.end(), 3);
    const bloom_function bloom = aggregator::bloom_of(table);
    for (const char *name : {"B737", "A320", "C172"}) {
        for (std::uint32_t c = 0; c < 2; ++c) {
            tally[0].ones[16 * c + bloom(name, c)[0]] = 10;
        }
    }
    const auto rows = estimate_metric(m, 0, tally, {{"B737", "A320", "C172"}}).rows;
    double sum = 0;
    for (const estimate_row &row : rows) {
        EXPECT_GE(row.consistent, 0);
        sum += row.consistent;
    }
    EXPECT_GT(rows[0].result.value + rows[1].result.value + rows[2].result.value, 30);
    EXPECT_NEAR(sum, 20, 1e-9);
    // No string is found from a share on that there can't be.
    const auto said = want_of_reports(rows);
    ASSERT_TRUE(said);
    EXPECT_GT(std::get<too_few_for_strings>(*said).found_from, 1);
    EXPECT_NE(words_of(*said).find("to say much; no string can be found, from 5 % on with about"),
              std::string::npos)
        << words_of(*said);
}

TEST(Text, ForOtherPrograms) {
    EXPECT_EQ(csv_field("plain"), "plain");
    EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
    EXPECT_TRUE(is_utf8("") && is_utf8("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa6"));
    for (const char *wrong :
         {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
        EXPECT_FALSE(is_utf8(wrong)) << wrong;
    }
}

} // namespace
} // namespace sotto::aggregator::test
