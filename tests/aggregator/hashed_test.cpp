// SPDX-License-Identifier: Apache-2.0
// Strings by their hash values: estimates of candidates, what reports lose, tallies by cohort.
#include "aggregator/base/failure.hpp"
#include "aggregator/estimate/bloom.hpp"
#include "aggregator/estimate/own_candidates.hpp"
#include "aggregator/estimate/report_likelihood.hpp"
#include "aggregator/estimate/rows.hpp"
#include "aggregator/mechanism/hashed_plan.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/plan/plan.hpp"
#include "aggregator/tally/epoch_tally.hpp"
#include "rappor_fleet.hpp"
#include "support.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace sotto::aggregator::test {
namespace {

constexpr rappor_shape shape = {4, 1, 16, true};
constexpr double keep = 0.4;
const bit_channel channel = k_randomized_response_channel(keep, shape.bits);
const std::vector<std::string> names = {"B737", "A320", "C172", "B747", "DH8"};

// So many devices that have the hash value report it or, each with the same chance, any.
void report(generator &random, std::uint64_t devices, std::uint32_t hash, cohort_count &counts) {
    const std::uint64_t kept = binomial(random, devices, keep);
    counts.ones[hash] += kept;
    std::uint64_t left = devices - kept;
    for (std::uint32_t v = 0; v < shape.bits; ++v) {
        const std::uint64_t here = binomial(random, left, 1.0 / (shape.bits - v));
        counts.ones[v] += here;
        left -= here;
    }
    counts.reports += devices;
}

std::vector<cohort_count> answers_of(generator &random, const std::vector<held> &devices,
                                     const bloom_function &bloom) {
    std::vector<cohort_count> counts(shape.cohorts, {0, std::vector<std::uint64_t>(shape.bits)});
    for (const held &h : devices) {
        std::uint64_t left = h.releases;
        for (std::uint32_t c = 0; c < shape.cohorts; ++c) {
            const std::uint64_t here = binomial(random, left, 1.0 / (shape.cohorts - c));
            report(random, here, bloom(h.text, c)[0], counts[c]);
            left -= here;
        }
    }
    return counts;
}

// Three candidates that are there, two that are not, and many rare strings beside them.
std::vector<held> fleet() {
    std::vector<held> devices = {
        {"B737", 3000}, {"A320", 1000}, {"C172", 400}, {"B747", 0}, {"DH8", 0}};
    for (int i = 0; i < 200; ++i) {
        devices.push_back({"rare" + std::to_string(i), 8});
    }
    return devices;
}

candidate_fit fit_of(const std::vector<cohort_count> &counts, const bloom_function &bloom) {
    const std::vector<std::vector<cohort_count>> levels = {counts};
    return estimate_rappor(levels, {&channel, 1}, shape, bloom, names);
}

TEST(HashedEstimates, CoverWithoutBias) {
    generator random(14);
    const bloom_function bloom = bloom_of(shape);
    const std::vector<held> devices = fleet();
    trials seen[5];
    double misfit = 0;
    for (int i = 0; i < trials::count; ++i) {
        const candidate_fit found = fit_of(answers_of(random, devices, bloom), bloom);
        for (std::size_t k = 0; k < names.size(); ++k) {
            seen[k].add(*found.candidates[k].result, static_cast<double>(devices[k].releases));
        }
        misfit += found.misfit / trials::count;
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
        EXPECT_TRUE(seen[k].covers_95()) << names[k] << ": " << seen[k].covered();
        EXPECT_TRUE(seen[k].unbiased()) << names[k];
        EXPECT_NEAR(seen[k].said_error() / seen[k].seen_error(), 1, 0.1) << names[k];
    }
    // 16 cohorts of 3 numbers less 5 unknowns: a mean of 2,000 is off by .005.
    EXPECT_NEAR(misfit, 1, 0.04);
    // The formula of plans, for a string that nobody has.
    EXPECT_TRUE(seen[4].agrees_with(
        6000 * expected_share_error(channel, shape, 6000, 0, static_cast<double>(names.size()))));
}

// Optimized local hashing: 1 / ((g - 1) keep^2) of one report.
TEST(HashedEstimates, HaveTheErrorOfLocalHashing) {
    const rappor_shape large = {4, 1, 1024, true};
    EXPECT_NEAR(expected_share_error(channel, large, 1, 0, 1), std::sqrt(1 / (3 * keep * keep)),
                0.01);
    EXPECT_EQ(most_without_screen(shape, 16), 38u); // 0.8 of the 48 numbers that reports tell
}

// A report of another answer moves an estimate by no more than is said.
TEST(HashedEstimates, SayHowFarAReportMovesThem) {
    generator random(15);
    const bloom_function bloom = bloom_of(shape);
    std::vector<cohort_count> counts = answers_of(random, fleet(), bloom);
    const candidate_fit before = fit_of(counts, bloom);
    double most = 0;
    for (cohort_count &at : counts) {
        for (std::uint32_t v = 1; v < shape.bits; ++v) {
            --at.ones[0];
            ++at.ones[v];
            const candidate_fit after = fit_of(counts, bloom);
            ++at.ones[0];
            --at.ones[v];
            const double moved =
                std::abs(after.candidates[0].result->value - before.candidates[0].result->value);
            EXPECT_LE(moved, before.candidates[0].reach * (1 + 1e-9));
            most = std::max(most, moved);
        }
    }
    EXPECT_GT(most, 0.5 * before.candidates[0].reach);
}

const registry &every() {
    static const registry known = parse_registry(read_file(SOTTO_EVERY_MECHANISM), "M.json");
    return known;
}
const metric &model() { return *every().find("model"); }

// tools/registry/hashed.py works them out exactly.
TEST(HashedLosses, AreThoseOfTheCompiler) {
    const metric &m = model();
    EXPECT_EQ(best_hash_values(m.levels[1].nominal->value), m.value_size());
    EXPECT_EQ(best_hash_values(32), 1024u);
    for (const ladder_level &level : m.levels) {
        for (std::size_t i = 0; i < repeated_loss::counts.size(); ++i) {
            const double here = hashed_loss(level.nominal->value, 3, 4, repeated_loss::counts[i]);
            EXPECT_NEAR(here, level.repeated->after[i].value, 1e-9);
        }
    }
}

TEST(HashedPlans, KeepTheCaps) {
    plan_request request;
    request.type = "string";
    request.devices = 1e6;
    request.reports_per_day = 24;
    request.epsilon_per_day = 1.5;
    const std::vector<plan_option> options = hashed_options(request, 1);
    ASSERT_EQ(options.size(), 1u);
    EXPECT_LE(options[0].epsilon_day, 1.5);
    EXPECT_GT(options[0].epsilon_day, 1.49);
    EXPECT_EQ(options[0].mechanism, "hashed");
    request.epsilon_lifetime = 1;
    EXPECT_TRUE(hashed_options(request, 1).empty()) << "a first report loses as much";
}

// Beyond the bits of a report a plan has nothing as good.
TEST(HashedPlans, HaveNoCliffOfCategories) {
    plan_request request;
    request.type = "category";
    request.devices = 1e6;
    request.epsilon = 1;
    request.accuracy = 0.01;
    request.size = SOTTO_BITS_MAX;
    EXPECT_NE(make_plan(request).chosen().mechanism, "hashed") << "a design promises more";
    request.size = 5000;
    EXPECT_EQ(make_plan(request).chosen().mechanism, "design");
    request.size = 65'000;
    const plan made = make_plan(request);
    EXPECT_EQ(made.chosen().mechanism, "hashed");
    EXPECT_NE(made.chosen().keys.find("type = \"category\"\nsize = 65000\n"), std::string::npos);
    const auto far = std::ranges::find_if(
        made.options, [](const plan_option &o) { return o.mechanism == "k_randomized_response"; });
    ASSERT_NE(far, made.options.end());
    EXPECT_LT(*made.devices_for(made.chosen()) * 50, *made.devices_for(*far));
    request.size = SOTTO_CATEGORY_INDICES_MAX;
    EXPECT_EQ(make_plan(request).options.size(), 1u);
    request.epsilon_lifetime = 1;
    EXPECT_THROW((void)make_plan(request), usage_error);
    request.size = SOTTO_CATEGORY_INDICES_MAX + 1u;
    EXPECT_THROW((void)make_plan(request), usage_error);
}

std::vector<std::uint8_t> stored(std::uint32_t index) {
    return {0, 0, 0, static_cast<std::uint8_t>(index)};
}

TEST(HashedTallies, CountByCohort) {
    const metric &m = model();
    metric_tally tally = empty_tally(m);
    ASSERT_TRUE(count_release(tally, m, 0, 3, stored(2)));
    ASSERT_TRUE(count_release(tally, m, 0, 15, stored(0)));
    EXPECT_FALSE(count_release(tally, m, 0, 16, stored(0))) << "there are 16 cohorts";
    EXPECT_FALSE(count_release(tally, m, 0, 0, stored(4))) << "there are 4 hash values";
    EXPECT_EQ(tally[0].reports, 2u);
    EXPECT_EQ(tally[0].ones[3 * 4 + 2], 1u);
    EXPECT_EQ(tally[0].cohorts[15], 1u);
    epoch_tally epoch = empty_epoch_tally(m);
    epoch.highest = tally;
    EXPECT_TRUE(is_possible(m, epoch));
    std::swap(epoch.highest[0].ones[3 * 4 + 2], epoch.highest[0].ones[4 * 4 + 2]);
    EXPECT_FALSE(is_possible(m, epoch)) << "of a cohort without a report";
}

TEST(HashedLikelihoods, AreThoseOfTheHashValue) {
    const metric &m = model();
    report_likelihood likelihood(m, {"B737", "A320"});
    const std::vector<float> chances = likelihood.of_report(2, 5, stored(1));
    const bit_channel by = *mechanism_of(m).channel(m, m.law(2));
    ASSERT_EQ(chances.size(), 4u) << "both, a longer one, any other; no value is one too many";
    const bloom_function bloom = aggregator::bloom_of(*mechanism_of(m).strings(m));
    const double other = by.one_if_zero / by.one_if_one;
    EXPECT_NEAR(chances[0], bloom("B737", 5)[0] == 1 ? 1.0 : other, 1e-6);
    EXPECT_NEAR(chances[1], bloom("A320", 5)[0] == 1 ? 1.0 : other, 1e-6);
    EXPECT_NEAR(chances[3], 0.25 / by.one_if_one, 1e-6);
}

// The metric "part" of tests/mechanisms.toml, of so many categories.
metric parts(std::uint32_t categories, std::vector<std::string> labels = {}) {
    metric m = *every().find("part");
    std::get<hashed_table>(m.table).categories = categories;
    m.names = std::move(labels);
    return m;
}

TEST(HashedCategories, AreHashedByTheirIndex) {
    const metric m = parts(100'000);
    const bloom_function by_text = aggregator::bloom_of(m);
    const bloom_function by_bytes = aggregator::bloom_of(*mechanism_of(m).strings(m));
    const bloom_function named = aggregator::bloom_of(parts(2, {"red", "blue"}));
    for (std::uint32_t cohort = 0; cohort < 16; ++cohort) {
        EXPECT_EQ(by_text("70000", cohort), by_bytes({"\0\1\x11\x70", 4}, cohort));
        EXPECT_EQ(named("blue", cohort), by_text("1", cohort));
    }
    EXPECT_NE(by_text("256", 0), by_bytes("256", 0))
        << "control: it is not the text that is hashed";
}

TEST(HashedCategories, AreCandidatesWhereTheyAreFew) {
    const own_candidates few = own_candidates_of(parts(3), {});
    EXPECT_EQ(few.texts, (std::vector<std::string>{"0", "1", "2"}));
    EXPECT_EQ(own_candidates_of(parts(2, {"red", "blue"}), {"B737"}).texts,
              (std::vector<std::string>{"red", "blue"}));
    EXPECT_EQ(own_candidates_of(parts(categories_tried_max), {}).texts.size(),
              categories_tried_max);
    const own_candidates none = own_candidates_of(parts(categories_tried_max + 1), {});
    EXPECT_TRUE(none.texts.empty());
    EXPECT_FALSE(none.left_out);
}

TEST(HashedCategories, AreCandidatesThatAreNamed) {
    const own_candidates some =
        own_candidates_of(parts(100'000), {"7", "007", "99999", "100000", "-1", "7 ", "red", ""});
    EXPECT_EQ(some.texts, (std::vector<std::string>{"7", "99999"}));
    ASSERT_TRUE(some.left_out);
    const auto &left_out = std::get<candidates_unknown>(*some.left_out);
    EXPECT_EQ(left_out.candidates, 6u);
    EXPECT_EQ(left_out.categories, 100'000u);
    EXPECT_EQ(own_candidates_of(parts(3), {"2"}).texts, std::vector<std::string>{"2"});
}

// Where every category is a candidate, no other value is left.
TEST(HashedCategories, HaveAnotherValueWhereSomeAreNoCandidates) {
    const metric m = parts(3);
    EXPECT_EQ(report_likelihood(m, {"0", "1", "2"}).values().size(), 3u);
    EXPECT_EQ(report_likelihood(m, {"0", "1", "2"}).of_report(0, 5, stored(1)).size(), 3u);
    report_likelihood some(m, {"0", "1"});
    ASSERT_EQ(some.values().size(), 3u);
    EXPECT_EQ(some.values().back().is, value_class::other);
    EXPECT_EQ(some.of_report(0, 5, stored(1)).size(), 3u);
}

TEST(HashedCategories, HaveRowsOfTheirOwnAlone) {
    const metric m = parts(6);
    metric_tally tally = empty_tally(m);
    for (std::uint32_t i = 0; i < 640; ++i) {
        ASSERT_TRUE(count_release(tally, m, 1, i % 16, stored(i * i % 37 % 4)));
    }
    const metric_estimate found = estimate_metric(m, 0, tally, {own_candidates_of(m, {}).texts});
    ASSERT_EQ(found.rows.size(), 6u) << "and none for longer texts";
    for (std::uint32_t i = 0; i < 6; ++i) {
        EXPECT_EQ(found.rows[i].value, row_value(i));
    }
}

} // namespace
} // namespace sotto::aggregator::test
