// SPDX-License-Identifier: Apache-2.0
// Predictions of sotto plan, against reference numbers, enumeration, and the mechanisms simulated.
#include "aggregator/base/failure.hpp"
#include "aggregator/mechanism/design_plan.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/mechanism/rappor_loss.hpp"
#include "aggregator/mechanism/unary_channel.hpp"
#include "aggregator/plan/plan.hpp"
#include "aggregator/statistics/difference_set.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"
#include "aggregator/statistics/k_randomized_response.hpp"
#include "aggregator/statistics/one_bit_mean.hpp"
#include "rappor_fleet.hpp"
#include "support.hpp"

#include <bit>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sotto::aggregator::test {
namespace {

double text_number(const nlohmann::json &value) { return std::stod(value.get<std::string>()); }

TEST(RapporLoss, AgreesWithTheReferenceNumbers) {
    const auto file = nlohmann::json::parse(read_file(SOTTO_VECTORS "/rappor_eps.json"));
    for (const auto &c : file.at("cases")) {
        const double f = text_number(c.at("f")), p = text_number(c.at("p"));
        const double q = text_number(c.at("q")), h = c.at("h").get<double>();
        EXPECT_NEAR(rappor_loss_forever(f, h), text_number(c.at("eps_inf")), 1e-13);
        for (const auto &[n, loss] : c.at("n_reports").items()) {
            EXPECT_NEAR(rappor_loss(f, p, q, h, std::stod(n)), text_number(loss.at("eps")), 1e-13);
        }
    }
    // p = 0 and q = 1: every report is the permanent bits.
    EXPECT_NEAR(rappor_loss(0.5, 0, 1, 1, 1), rappor_loss_forever(0.5, 1), 1e-15);
}

// Over all pairs of admissible sets: what the bits that differ lose.
double enumerated_loss(const bit_channel &c, unsigned size, int most) {
    const double of_a_one = std::log(c.one_if_one / c.one_if_zero);
    const double zero = std::log((1 - c.one_if_zero) / (1 - c.one_if_one));
    double worst = 0;
    for (unsigned a = 0; a < 1u << size; ++a) {
        for (unsigned b = 0; b < 1u << size; ++b) {
            if (std::popcount(a) <= most && std::popcount(b) <= most) {
                // Where only a has the member a one is the worst, where only b has it a zero.
                worst = std::max(worst,
                                 std::popcount(a & ~b) * of_a_one + std::popcount(b & ~a) * zero);
            }
        }
    }
    return worst;
}

TEST(UnaryChannel, SpendsJustEpsilonOnTheWorstPairOfSets) {
    for (const unsigned size : {2u, 3u, 5u, 6u}) {
        for (int most = 1; most <= static_cast<int>(size); ++most) {
            for (const double epsilon : {0.1, 1.0, 4.0}) {
                const bit_channel optimized = optimized_for_set(epsilon, size, most);
                EXPECT_NEAR(enumerated_loss(optimized, size, most), epsilon, 1e-12);
                EXPECT_EQ(optimized.one_if_one, 0.5);
                const bit_channel symmetric = symmetric_for_set(epsilon, size, most);
                EXPECT_NEAR(enumerated_loss(symmetric, size, most), epsilon, 1e-12);
            }
        }
    }
    EXPECT_NEAR(one_hot_loss(optimized_for_category(1.5)), 1.5, 1e-15);
    EXPECT_NEAR(one_hot_loss(symmetric_for_category(1.5)), 1.5, 1e-15);
}

plan_request request_of(const std::string &type, double devices, double epsilon) {
    plan_request r;
    r.type = type;
    r.devices = devices;
    r.epsilon = epsilon;
    return r;
}

const plan_option &option(const plan &made, const std::string &mechanism) {
    for (const plan_option &o : made.options) {
        if (o.mechanism == mechanism) {
            return o;
        }
    }
    throw std::runtime_error("no " + mechanism);
}

// Half of the fleet says yes; the share's error.
TEST(Plan, BooleanAsSimulated) {
    generator random(1);
    const plan made = make_plan(request_of("boolean", 2000, 0.8));
    const double flip[] = {1 / (1 + std::exp(0.8))};
    trials seen;
    int detected = 0, alarms = 0;
    const double floor = *made.chosen().floor(1);
    const auto there = static_cast<std::uint64_t>(std::round(2000 * floor));
    for (int i = 0; i < trials::count; ++i) {
        const bit_channel channel = {flip[0], 1 - flip[0]};
        const level_count half[] = {through(random, 2000, 1000, channel)};
        seen.add(estimate_flips(half, flip), 1000);
        const double alarm = 1.6448536269514722 * made.chosen().std_error * 2000;
        const level_count few[] = {through(random, 2000, there, channel)};
        const level_count none[] = {through(random, 2000, 0, channel)};
        detected += estimate_flips(few, flip).value > alarm ? 1 : 0;
        alarms += estimate_flips(none, flip).value > alarm ? 1 : 0;
    }
    EXPECT_TRUE(seen.agrees_with(2000 * made.chosen().std_error)) << seen.seen_error();
    EXPECT_FALSE(seen.agrees_with(2000 * 1.25 * made.chosen().std_error));
    // Binomial: 6.2 standard deviations, and a hundredth for what is not quite normal.
    EXPECT_NEAR(detected / 2000.0, 0.90, 6.2 * std::sqrt(0.09 / 2000) + 0.01);
    EXPECT_NEAR(alarms / 2000.0, 0.05, 6.2 * std::sqrt(0.0475 / 2000) + 0.01);
}

TEST(Plan, CategoriesAsSimulated) {
    generator random(2);
    plan_request request = request_of("category", 8000, 1.5);
    request.size = 8;
    const plan made = make_plan(request);
    ASSERT_EQ(made.options.size(), 6u);
    const double keep[] = {std::expm1(1.5) / (std::exp(1.5) + 7)};
    const design_shape shape = *best_design(8, 1.5);
    const double odds = std::expm1(1.5) * shape.width / shape.answers;
    const bit_channel support = support_channel(odds / (1 + odds), shape.answers, shape.width);
    const bit_channel channels[] = {k_randomized_response_channel(keep[0], 8),
                                    optimized_for_category(1.5), symmetric_for_category(1.5),
                                    support};
    const char *names[] = {"k_randomized_response", "optimized_unary", "unary", "design"};
    for (int kind = 0; kind < 4; ++kind) {
        trials typical, rare;
        for (int i = 0; i < trials::count; ++i) {
            const level_count some[] = {through(random, 8000, 1000, channels[kind])};
            typical.add(estimate_bit_channel(some, {&channels[kind], 1}), 1000);
            const level_count none[] = {through(random, 8000, 0, channels[kind])};
            rare.add(estimate_bit_channel(none, {&channels[kind], 1}), 0);
        }
        const plan_option &o = option(made, names[kind]);
        EXPECT_TRUE(typical.agrees_with(8000 * o.std_error)) << o.mechanism;
        EXPECT_TRUE(rare.agrees_with(8000 * *o.rare_error)) << o.mechanism;
    }
    // Reported once, RAPPOR's two stages are at best one channel; its probabilities are coarse.
    EXPECT_GE(*option(made, "basic_rappor").rare_error,
              0.999 * *option(made, "optimized_unary").rare_error);
    EXPECT_LE(*option(made, "basic_rappor").rare_error,
              1.1 * *option(made, "optimized_unary").rare_error);
}

TEST(Plan, SetsAsSimulated) {
    generator random(3);
    plan_request request = request_of("set", 4000, 3);
    request.members = 10;
    request.max_members = 3;
    const plan made = make_plan(request);
    const bit_channel channel = optimized_for_set(3, 10, 3);
    trials seen;
    for (int i = 0; i < trials::count; ++i) {
        const level_count some[] = {through(random, 4000, 1200, channel)};
        seen.add(estimate_bit_channel(some, {&channel, 1}), 1200);
    }
    EXPECT_TRUE(seen.agrees_with(4000 * option(made, "optimized_unary").std_error));
}

// Numbers in the middle of their range, where either mechanism is at its worst.
TEST(Plan, NumbersAsSimulated) {
    generator random(4);
    plan_request request = request_of("integer", 400, 2);
    request.min = -20;
    request.max = 20;
    const plan made = make_plan(request);
    trials laplace_seen, bit_seen;
    const double epsilon[] = {2.0 / 40}, flip[] = {1 / (1 + std::exp(2.0))};
    const std::uint32_t scale = 0xffffffffu / 40;
    for (int i = 0; i < trials::count; ++i) {
        number_count count[1];
        for (int n = 0; n < 400; ++n) {
            const auto y = std::clamp<std::int64_t>(laplace(random, epsilon[0]), -20, 20);
            count[0].add(static_cast<std::int32_t>(y), -20, 20);
        }
        laplace_seen.add(estimate_discrete_laplace(count, epsilon), 0);
        const level_count ones[] = {{400, binomial(random, 400, 0.5)}};
        bit_seen.add(estimate_one_bit_mean(ones, flip, {-20, scale}), 0);
    }
    EXPECT_TRUE(laplace_seen.agrees_with(40 * option(made, "discrete_laplace").std_error))
        << laplace_seen.seen_error();
    EXPECT_TRUE(bit_seen.agrees_with(40 * option(made, "one_bit_mean").std_error));
    // As a vector of one coordinate it costs the same; of four, each has a quarter of the epsilon.
    request.type = "vector";
    request.length = 1;
    EXPECT_DOUBLE_EQ(make_plan(request).chosen().std_error,
                     option(made, "discrete_laplace").std_error);
    request.length = 4;
    request.epsilon = 8;
    EXPECT_DOUBLE_EQ(make_plan(request).chosen().std_error,
                     option(made, "discrete_laplace").std_error);
}

// Thirty known strings of equal share, and one that nobody has.
TEST(Plan, StringsAsSimulated) {
    generator random(5);
    plan_request request = request_of("string", 31'000, 3);
    request.size = 32;
    const plan made = make_plan(request);
    // The chosen one and the last, which is permanent noise alone, read back from their keys.
    std::size_t last = made.options.size() - 1;
    while (made.options[last].mechanism != "rappor") {
        --last;
    }
    for (const std::size_t which : {made.best, last}) {
        const plan_option &o = made.options[which];
        rappor_shape shape;
        double f = 0, p = 0, q = 0;
        ASSERT_EQ(std::sscanf(o.keys.c_str(),
                              "type = \"string\"\nbits = %u\nhashes = %u\ncohorts = %u\n"
                              "permanent = [%lf]\ninstantaneous = [[%lf, %lf]]",
                              &shape.bits, &shape.hashes, &shape.cohorts, &f, &p, &q),
                  6);
        const bloom_function bloom = bloom_of(shape);
        const bit_channel channel = rappor_channel(f, p, q);
        std::vector<held> fleet;
        std::vector<std::string> names;
        for (int k = 0; k < 32; ++k) {
            names.push_back("string" + std::to_string(k));
            fleet.push_back({names.back(), k == 0 ? 0u : 1000u});
        }
        constexpr int rounds = 100;
        double rare = 0, typical = 0;
        for (int i = 0; i < rounds; ++i) {
            const std::vector<std::vector<cohort_count>> counts = {
                round_of(random, fleet, shape, channel, bloom)};
            const candidate_fit found = estimate_rappor(counts, {&channel, 1}, shape, bloom, names);
            rare += std::pow(found.candidates[0].result->value, 2) / rounds;
            for (std::size_t k = 1; k < 32; ++k) {
                typical += std::pow(found.candidates[k].result->value - 1000, 2) / rounds / 31;
            }
        }
        // 3,100 squares, nearly independent, say 12 % at 6.2 standard deviations; where the bits of
        // the strings happen to fall says a little more. 100 of the rare one: 62 %.
        EXPECT_NEAR(std::sqrt(typical) / (31'000 * o.std_error), 1, 0.12) << o.parameters;
        EXPECT_NEAR(std::sqrt(rare) / (31'000 * *o.rare_error), 1, 0.45) << o.parameters;
    }
}

TEST(Plan, ChoosesWhatTheSizeAsksFor) {
    plan_request request = request_of("category", 1e5, 1);
    request.size = 4;
    EXPECT_EQ(make_plan(request).chosen().mechanism, "k_randomized_response");
    for (const std::uint32_t size : {40u, 200u, 1000u}) {
        request.size = size;
        EXPECT_EQ(make_plan(request).chosen().mechanism, "design") << size;
    }
    request.size = 5000; // more bits than a report may have: by a design, hashed, or k-ary
    EXPECT_EQ(make_plan(request).options.size(), 3u);
    request.size = 65535; // no difference set
    EXPECT_EQ(make_plan(request).options.size(), 2u);
    plan_request mean = request_of("integer", 1000, 1);
    mean.min = 0;
    mean.max = 100;
    EXPECT_EQ(make_plan(mean).chosen().mechanism, "one_bit_mean");
    mean.epsilon = 8;
    EXPECT_EQ(make_plan(mean).chosen().mechanism, "window_mean");
    mean.epsilon = 0.01;
    mean.max = 1'000'000; // no noise of 29 digits reaches that far
    EXPECT_EQ(make_plan(mean).options.size(), 2u);
}

// The advice suffices, and a little less does not.
TEST(Plan, SaysWhatWouldReachWhatIsWanted) {
    plan_request request = request_of("category", 10'000, 1);
    request.size = 4; // nothing has less error than the first of its options
    request.accuracy = 0.01;
    const plan made = make_plan(request);
    EXPECT_FALSE(made.reached);
    plan_request more = request;
    more.devices = made.devices_needed.value();
    EXPECT_TRUE(make_plan(more).reached);
    more.devices *= 0.99;
    EXPECT_FALSE(make_plan(more).reached);
    more = request;
    more.epsilon = made.epsilon_needed.value() + 1e-4; // --epsilon is cut to four decimals
    EXPECT_TRUE(make_plan(more).reached);
    more.epsilon = made.epsilon_needed.value() - 0.01;
    EXPECT_FALSE(make_plan(more).reached);
    // A count that is below the noise: a larger fleet only has more of it.
    request.accuracy.reset();
    request.floor = 10;
    EXPECT_FALSE(make_plan(request).devices_needed);
    EXPECT_TRUE(make_plan(request).epsilon_needed);
    request.floor = 0.001;
    EXPECT_TRUE(make_plan(request).devices_needed);
    request.floor = 0.5;
    EXPECT_TRUE(make_plan(request).reached);
    // Strings too, though their probabilities are coarse.
    plan_request string = request_of("string", 1e6, 2);
    string.floor = 0.002;
    EXPECT_FALSE(make_plan(string).reached);
    string.epsilon = make_plan(string).epsilon_needed.value() + 1e-4;
    EXPECT_TRUE(make_plan(string).reached);
}

TEST(Plan, KeepsEveryCap) {
    plan_request request = request_of("boolean", 1000, 1);
    request.reports_per_day = 24;
    EXPECT_DOUBLE_EQ(make_plan(request).chosen().epsilon_day, 24);
    request.epsilon_per_day = 8;
    EXPECT_DOUBLE_EQ(make_plan(request).chosen().epsilon, 0.3333); // never rounded up
    plan_request string = request_of("string", 1e6, 2);
    string.epsilon_lifetime = 5;
    string.epsilon_per_day = 3;
    string.reports_per_day = 24;
    const plan made = make_plan(string);
    for (const plan_option &o : made.options) {
        EXPECT_LE(o.epsilon, 2);
        EXPECT_LE(o.epsilon_day, 3);
        EXPECT_LE(*o.epsilon_forever, 5);
    }
    EXPECT_NE(made.toml().find("permanent = ["), std::string::npos);
    // Many reports of a day are paid for once: not a 24th of the cap each.
    EXPECT_GT(made.chosen().epsilon, 3.0 / 24 * 2);
}

TEST(Plan, LevelsAreWhatTheMechanismShowsAtLess) {
    plan_request request = request_of("category", 1e5, 1.2);
    request.size = 6;
    const plan made = make_plan(request);
    ASSERT_EQ(made.levels.size(), 3u);
    EXPECT_TRUE(made.is_ladder);
    for (const std::size_t i : {0u, 1u}) {
        request.epsilon = made.levels[i].epsilon;
        EXPECT_DOUBLE_EQ(*request.epsilon, i == 0 ? 0.3 : 0.6);
        const plan less = make_plan(request);
        EXPECT_EQ(made.levels[i].mechanism, made.chosen().mechanism);
        EXPECT_DOUBLE_EQ(made.levels[i].std_error, option(less, made.chosen().mechanism).std_error);
    }
    EXPECT_EQ(made.levels[2].keys, made.chosen().keys);
    EXPECT_EQ(make_plan(request_of("boolean", 10, 0.001)).levels.size(), 1u);
    // RAPPOR's levels lose more together than the highest does.
    const plan string = make_plan(request_of("string", 1e6, 2));
    EXPECT_FALSE(string.is_ladder);
    EXPECT_TRUE(string.paces.empty());
}

// Sixteen rounds a day at a sixteenth of the epsilon are far worse than one, and one a week may
// spend what the week may.
TEST(Plan, FewerReportsWithinTheSameCaps) {
    plan_request request = request_of("boolean", 1e4, 3);
    request.epsilon_per_day = 0.8;
    request.reports_per_day = 16;
    request.accuracy = 0.03;
    const plan made = make_plan(request);
    ASSERT_EQ(made.paces.size(), 6u); // 16, 8, 4, 2, 1, and 1 in 7 days
    double epsilon = 0.05, before = HUGE_VAL;
    for (const plan_pace &p : made.paces) {
        const double expected = std::min(3.0, 0.8 / p.reports_per_day);
        EXPECT_NEAR(p.option.epsilon, expected, 1e-9);
        EXPECT_GE(p.option.epsilon, epsilon);
        EXPECT_LE(p.option.epsilon_day, 0.8 + 1e-9);
        const double error = 0.5 / std::sqrt(1e4) / std::sinh(p.option.epsilon / 2);
        const double rounds = std::max(1.0, p.reports_per_day);
        EXPECT_NEAR(p.day_half_width, 1.96 * error / std::sqrt(rounds), 1e-4 * p.day_half_width);
        EXPECT_LT(p.day_half_width, before);
        before = p.day_half_width;
        // As many devices as it says do it, at this pace.
        plan_request enough = request_of("boolean", *made.devices_for(p.option), p.option.epsilon);
        enough.accuracy = 0.03;
        EXPECT_TRUE(make_plan(enough).reached);
        enough.devices *= 0.99;
        EXPECT_FALSE(make_plan(enough).reached);
    }
    EXPECT_DOUBLE_EQ(made.paces.back().option.epsilon, 3);
    EXPECT_NE(made.toml().find(
                  "window_epochs = 16 # a day, where an epoch is a report\nwindow_epsilon = 0.8\n"),
              std::string::npos);
    request.reports_per_day = 65; // more epochs than a window has
    EXPECT_EQ(make_plan(request).toml().find("window"), std::string::npos);
}

// Every option, not just the one that is chosen. The registry compiler takes its lines and
// certifies the epsilon and the channel that the plan counted with.
TEST(Plan, SnippetsCompileToWhatWasPlanned) {
    plan_request category = request_of("category", 1e4, 1.2), set = request_of("set", 1e4, 2);
    plan_request wide_set = set, string = request_of("string", 1e5, 2), tiny = string;
    plan_request integer = request_of("integer", 1e3, 3), vector = integer;
    category.size = 20;
    set.members = 10;
    set.max_members = 3;
    wide_set.members = 5;
    wide_set.max_members = 4;
    tiny.epsilon = 0.05;
    integer.min = -7;
    integer.max = 400;
    vector = integer;
    vector.type = "vector";
    vector.length = 3;
    vector.l1_sensitivity = 500;
    std::string toml = "[registry]\nname = \"plan\"\nversion = 1\n";
    std::vector<plan_option> options;
    for (const plan_request &r : {request_of("boolean", 100, 1.0986), category, set, wide_set,
                                  string, tiny, integer, vector}) {
        for (const plan_option &o : make_plan(r).options) {
            options.push_back(o);
            toml += "\n[[metric]]\nid = " + std::to_string(options.size()) + "\nname = \"m" +
                    std::to_string(options.size()) + "\"\n" + o.keys;
        }
    }
    const temporary_directory directory;
    const std::string command = "'" SOTTO_PYTHON "' '" SOTTO_COMPILER "' compile " +
                                directory.file("m.toml", toml) + " --out " +
                                (directory / "out").string() + " >/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << toml;
    const registry made = load_registry(directory / "out/metrics.json").content;
    ASSERT_EQ(made.metrics.size(), options.size());
    for (std::size_t i = 0; i < options.size(); ++i) {
        const metric &m = made.metrics[i];
        const ladder_level &level = m.levels[0];
        EXPECT_EQ(m.mechanism_name, options[i].mechanism);
        EXPECT_NEAR(level.realised.value, options[i].epsilon, 1e-6) << m.mechanism_name;
        if (m.mechanism_name == "laplace_threshold" || m.mechanism_name == "discrete_laplace") {
            // A metric's random bytes are one word's.
            EXPECT_EQ(m.random_bytes * m.value_words, options[i].random_bytes);
        }
        if (options[i].epsilon_forever) {
            EXPECT_NEAR(level.repeated->infinity->value, *options[i].epsilon_forever, 1e-9);
        }
        // The error of a share of nothing, by the estimator's own formula.
        if (options[i].rare_error && !has_strings(m)) {
            const double n = m.type_name == "boolean" ? 100 : 1e4;
            EXPECT_NEAR(
                std::sqrt(bit_channel_variance(n, 0, *mechanism_of(m).channel(m, level.law))) / n,
                *options[i].rare_error, 1e-6 * *options[i].rare_error)
                << m.mechanism_name;
        }
    }
}

// The compiler takes noise of at most 29 digits: epsilon 1 over 8,000,000 units, not 9,000,000.
TEST(Plan, OffersNoNoiseThatTheCompilerRefuses) {
    EXPECT_EQ(modular_noise_bytes(1 / 8e6), 24u + 16 * 29);
    EXPECT_FALSE(modular_noise_bytes(1 / 9e6));
    plan_request points = request_of("vector", 10, 1);
    points.min = -1000;
    points.max = 100'000'000;
    points.length = 4;
    points.delta = 8'000'000;
    EXPECT_EQ(make_plan(points).chosen().mechanism, "sorted_points");
    points.delta = 9'000'000;
    EXPECT_THROW((void)make_plan(points), usage_error);
    plan_request counter = request_of("counter", 10, 1);
    counter.window = 1;
    counter.event = 9'000'000;
    EXPECT_THROW((void)make_plan(counter), usage_error);
}

TEST(Plan, RefusesWhatItCanNotPlan) {
    const auto refused = [](const plan_request &r, const std::string &what) {
        try {
            (void)make_plan(r);
            ADD_FAILURE() << what;
        } catch (const usage_error &error) {
            EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
        }
    };
    refused(request_of("colour", 1, 1), "--type");
    refused(request_of("boolean", 0, 1), "--devices");
    refused(request_of("boolean", NAN, 1), "--devices");
    refused(request_of("boolean", 10, 33), "--epsilon");
    refused(request_of("category", 10, 1), "--size: missing");
    plan_request r = request_of("boolean", 10, 1);
    r.size = 3;
    refused(r, "--size: a boolean has none");
    r = request_of("boolean", 10, 1);
    r.epsilon.reset();
    refused(r, "--epsilon: missing");
    r.epsilon_per_day = 0.01;
    r.reports_per_day = 1000;
    refused(r, "--epsilon-per-day");
    r = request_of("integer", 10, 1);
    r.min = 5;
    r.max = 5;
    refused(r, "--max");
    r.max = 10;
    r.floor = 1;
    refused(r, "--floor");
    r = request_of("vector", 10, 0.001);
    r.min = 0;
    r.max = 1 << 30;
    r.length = 256;
    refused(r, "too wide");
    r.epsilon = 1;
    r.max = 8;
    r.l1_sensitivity = 9;
    refused(r, "--l1-sensitivity: 9 is odd; 10 is even");
    r = request_of("string", 10, 1);
    r.bits = 9;
    r.hashes = 5;
    refused(r, "--bits: 9 are fewer than two strings with 5 hashes can differ in; 10 is the least");
    r = request_of("boolean", 10, 1);
    r.name = "9lives";
    refused(r, "--name");
}

} // namespace
} // namespace sotto::aggregator::test
