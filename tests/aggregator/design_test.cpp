// SPDX-License-Identifier: Apache-2.0
// Categories by difference sets: support as a channel, estimates, the sets that plans choose.
#include "aggregator/base/failure.hpp"
#include "aggregator/estimate/report_likelihood.hpp"
#include "aggregator/mechanism/design_plan.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/tally/tally.hpp"
#include "support.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

const difference_set seven = {7, {1, 2, 4}};
const difference_set thirteen = {13, {0, 1, 3, 9}};

// The chance of an answer where the value is `value`.
double chance(const difference_set &set, double keep, std::uint32_t value, std::uint32_t answer) {
    double supporting = 0;
    for (std::size_t j = 0; j < set.design.size(); ++j) {
        supporting +=
            set.support(j, value) == answer ? 1 / static_cast<double>(set.design.size()) : 0;
    }
    return keep * supporting + (1 - keep) / set.answers;
}

TEST(DifferenceSets, AreLookedAtInWhole) {
    EXPECT_TRUE(seven.is_one());
    EXPECT_TRUE(thirteen.is_one());
    for (const std::vector<std::uint16_t> &other : std::vector<std::vector<std::uint16_t>>{
             {}, {1}, {0, 1, 2}, {1, 4, 2}, {1, 2, 2}, {1, 2, 11}}) {
        EXPECT_FALSE((difference_set{7, other}.is_one()));
    }
}

TEST(DifferenceSets, SupportIsAChannelOfOneBit) {
    for (const difference_set &set : {seven, thirteen}) {
        constexpr double keep = 0.3;
        const bit_channel by =
            support_channel(keep, set.answers, static_cast<double>(set.design.size()));
        const bit_channel answer = set.answer_channel(by);
        for (std::uint32_t truth = 0; truth < set.answers; ++truth) {
            for (std::uint32_t asked = 0; asked < set.answers; ++asked) {
                double support = 0;
                for (std::uint32_t y = 0; y < set.answers; ++y) {
                    support += set.supports(y, asked) ? chance(set, keep, truth, y) : 0;
                }
                EXPECT_NEAR(support, truth == asked ? by.one_if_one : by.one_if_zero, 1e-12);
            }
            for (std::uint32_t y = 0; y < set.answers; ++y) {
                EXPECT_NEAR(chance(set, keep, truth, y),
                            set.supports(y, truth) ? answer.one_if_one : answer.one_if_zero, 1e-12);
            }
        }
    }
}

const registry &every() {
    static const registry known = parse_registry(read_file(SOTTO_EVERY_MECHANISM), "M.json");
    return known;
}

// Counts that are just as expected say how many had each category, at every level.
TEST(Designs, EstimateWhatIsThere) {
    const metric &m = *every().find("phase_design");
    const mechanism &how = mechanism_of(m);
    const difference_set &set = *how.supports(m);
    const std::vector<double> truth = {4e9, 0, 1e9, 3e9, 2e9, 0};
    ASSERT_EQ(m.value_size(), truth.size());
    ASSERT_GT(set.answers, truth.size());
    for (std::size_t level = 0; level < m.level_count(); ++level) {
        const auto *law = std::get_if<keep_law>(&m.law(level));
        ASSERT_NE(law, nullptr);
        level_tally at = empty_tally(m)[level];
        ASSERT_EQ(at.ones.size(), set.answers);
        for (std::uint32_t y = 0; y < set.answers; ++y) {
            double count = 0;
            for (std::uint32_t v = 0; v < truth.size(); ++v) {
                count += truth[v] * chance(set, law->keep, v, y);
            }
            at.ones[y] = static_cast<std::uint64_t>(std::llround(count));
        }
        at.reports = 10'000'000'000;
        for (std::uint32_t v = 0; v < truth.size(); ++v) {
            const estimated found = how.estimate(m, {&at, 1}, {&m.law(level), 1}, v);
            EXPECT_NEAR(found.value, truth[v], 100) << "level " << level << ", category " << v;
        }
    }
}

TEST(Designs, AnAnswerIsAsLikelyForEachCategoryItSupports) {
    const metric &m = *every().find("phase_design");
    const difference_set &set = *mechanism_of(m).supports(m);
    report_likelihood likelihood(m, {});
    ASSERT_EQ(likelihood.values().size(), m.value_size());
    for (std::uint8_t y = 0; y < set.answers; ++y) {
        const std::uint8_t stored[] = {0, 0, 0, y};
        const std::vector<float> found = likelihood.of_report(1, 0, stored);
        for (std::uint32_t v = 0; v < found.size(); ++v) {
            const double keep = std::get<keep_law>(m.law(1)).keep;
            EXPECT_NEAR(found[v] *
                            chance(set, keep, (set.design[0] + set.answers - y) % set.answers, y),
                        chance(set, keep, v, y), 1e-6);
        }
    }
}

TEST(Designs, AWrongSetIsRefused) {
    auto document = nlohmann::json::parse(read_file(SOTTO_EVERY_MECHANISM));
    for (auto &m : document["metrics"]) {
        if (m["mechanism"] == "design") {
            m["table"]["design"] = {0, 1, 2};
        }
    }
    try {
        (void)parse_registry(document.dump(), "M.json");
        FAIL();
    } catch (const usage_error &e) {
        EXPECT_NE(std::string(e.what()).find("is no cyclic difference set"), std::string::npos)
            << e.what();
    }
}

// The compiler chooses the same: tests/registry/test_design.py.
TEST(Designs, ArePlannedAsTheyAreCompiled) {
    const auto cases = nlohmann::json::parse(read_file(SOTTO_VECTORS "/designs.json"));
    EXPECT_GT(cases.size(), 100u);
    for (const auto &chosen : cases) {
        const auto found = best_design(chosen["categories"].get<std::uint32_t>(),
                                       std::stod(chosen["epsilon"].get<std::string>()));
        ASSERT_TRUE(found.has_value()) << chosen;
        EXPECT_EQ(found->answers, chosen["answers"].get<std::uint32_t>()) << chosen;
        EXPECT_EQ(found->width, chosen["width"].get<std::uint32_t>()) << chosen;
    }
    EXPECT_FALSE(best_design(65535, 1).has_value());
}

} // namespace
} // namespace sotto::aggregator::test
