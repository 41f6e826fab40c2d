// SPDX-License-Identifier: Apache-2.0
// Every mechanism, asked through the one interface. The laws that the host works out in doubles are
// held to the vectors that hold the compiler's exact ones (tests/registry/test_vectors.py).
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/report/write_batch.hpp"
#include "aggregator/tally/tally.hpp"
#include "support.hpp"

#include "sotto/registry.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace sotto::aggregator::test {
namespace {

using json = nlohmann::json;

json vectors(const std::string &file, const char *list) {
    return json::parse(read_file(std::string(SOTTO_VECTORS "/") + file)).at(list);
}

double number(const json &from) { return std::stod(from.get<std::string>()); }
threshold integer(const json &from) { return std::stoull(from.get<std::string>()); }

const registry &every() {
    static const registry known = parse_registry(read_file(SOTTO_EVERY_MECHANISM), "M.json");
    return known;
}

metric with(int type, mechanism_table table) {
    metric m;
    m.type = static_cast<std::uint8_t>(type);
    m.table = std::move(table);
    return m;
}

level_law top_law(const metric &m) { return mechanism_of(m).laws(m).back(); }

// Tests that loop over tests/mechanisms.toml run every mechanism: a new row of all.cpp needs a
// metric there. Counters are of events, histograms and quantiles of points: each has a registry of
// its own.
TEST(Mechanisms, AreAllAmongTheTestsMetrics) {
    std::set<std::string> tested;
    const registry counters = parse_registry(read_file(SOTTO_COUNTERS), "C.json");
    const registry places = parse_registry(read_file(SOTTO_PLACES), "P.json");
    const registry quantiles = parse_registry(read_file(SOTTO_QUANTILES), "Q.json");
    for (const registry *known : {&every(), &counters, &places, &quantiles}) {
        for (const metric &m : known->metrics) {
            tested.insert(m.type_name);
            tested.insert(m.mechanism_name);
        }
    }
    for (const known_mechanism &known : known_mechanisms()) {
        EXPECT_TRUE(tested.contains(known.type)) << known.type;
        EXPECT_TRUE(tested.contains(known.name)) << known.name;
    }
}

// The compiler's count is held to the same reports: tests/registry/test_wire_size.py.
TEST(Mechanisms, KnowTheBytesOfAReport) {
    std::istringstream lines(read_file(SOTTO_VECTORS "/reports.txt"));
    std::size_t seen = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> words = split(line, ' ');
        const metric &m = *every().find(static_cast<std::uint16_t>(std::stoul(words.at(1))));
        for (std::size_t level = 0; level + 2 < words.size(); ++level, ++seen) {
            const std::size_t bytes = from_hex(words[2 + level]).value().size();
            std::string batch(report_bytes_of(mechanism_of(m).published(m), m.id, level > 0), 'x');
            pad_batch(batch, 32);
            EXPECT_EQ(7 + bytes_field(3, batch).size() + (bytes < 129 ? 1 : 2), bytes) << line;
        }
    }
    EXPECT_GT(seen, 40u);
}

TEST(Mechanisms, CountOrAverage) {
    for (const metric &m : every().metrics) {
        const mechanism &how = mechanism_of(m);
        const level_law &law = m.law(0);
        const auto channel = how.channel(m, law);
        EXPECT_FALSE(channel.has_value() && m.range().has_value()) << m.name;
        if (channel) {
            EXPECT_LT(channel->one_if_zero, channel->one_if_one) << m.name;
            EXPECT_NEAR(how.reach(m, law), 1 / (channel->one_if_one - channel->one_if_zero), 1e-12)
                << m.name;
        } else {
            // A count by a whole matrix is worth more than one report, too.
            EXPECT_GT(how.reach(m, law), m.range() ? m.range()->width() : 1) << m.name;
        }
        EXPECT_EQ(how.strings(m) != nullptr, has_strings(m)) << m.name;
        EXPECT_EQ(has_texts(m), m.type == SOTTO_TYPE_STRING) << m.name;
        EXPECT_EQ(how.remembered(m).has_value(), m.cost_reports > 0) << m.name;
        EXPECT_GT(how.usual_variance(m, law, {}), 0) << m.name;
        const published_values values = how.published(m);
        EXPECT_EQ(value_words_of(values), m.value_words) << m.name;
        EXPECT_EQ(values.least < values.most,
                  values.kind == value_kind::number || values.kind == value_kind::numbers)
            << m.name;
    }
}

// Answers that count for a value: those of its design, or the pairs that a member is in.
double answers_for_a_value(const metric &m) {
    if (const difference_set *set = mechanism_of(m).supports(m)) {
        return static_cast<double>(set->design.size());
    }
    const auto *sampled = std::get_if<pad_and_sample_table>(&m.table);
    return sampled != nullptr && sampled->named == 2 ? sampled->size + sampled->max_members - 1 : 1;
}

// An estimate's own standard error, of reports that are as expected, is the one that is foretold.
TEST(Mechanisms, ForetellTheErrorOfAnEstimate) {
    for (const metric &m : every().metrics) {
        const mechanism &how = mechanism_of(m);
        const auto channel = how.channel(m, m.law(0));
        if (!channel || how.strings(m) != nullptr) {
            continue;
        }
        level_tally at = empty_tally(m)[0];
        at.reports = 1'000'000;
        const double answers = answers_for_a_value(m);
        std::fill(at.ones.begin(), at.ones.end(),
                  static_cast<std::uint64_t>(1e6 * (channel->one_if_zero + channel->one_if_one) /
                                             2 / answers));
        const estimated found = how.estimate(m, {&at, 1}, {&m.law(0), 1}, 1);
        EXPECT_NEAR(found.value, 5e5, answers * how.reach(m, m.law(0))) << m.name; // whole counts
        EXPECT_NEAR(found.std_error / how.error(m, m.law(0), found), 1, 1e-9) << m.name;
    }
}

TEST(LawVectors, RandomizedResponse) {
    for (const json &vector_case : vectors("rr.json", "cases")) {
        const metric m =
            with(SOTTO_TYPE_BOOLEAN,
                 randomized_response_table{{integer(vector_case["n64"]["threshold"])}});
        EXPECT_NEAR(flip_of(top_law(m)), number(vector_case["p_flip"]), 1e-15);
        const double loss = number(vector_case["n64"]["realized_eps"]);
        EXPECT_NEAR(mechanism_of(m).loss(m, top_law(m)) / loss, 1, 1e-12);
    }
}

TEST(LawVectors, Categories) {
    for (const json &vector_case : vectors("rr.json", "grr")) {
        const metric m = with(SOTTO_TYPE_CATEGORY,
                              k_randomized_response_table{{integer(vector_case["t64_kappa_floor"])},
                                                          vector_case["k"].get<std::uint32_t>()});
        EXPECT_NEAR(keep_of(top_law(m)), number(vector_case["kappa"]), 1e-15);
        const auto channel = *mechanism_of(m).channel(m, top_law(m));
        EXPECT_NEAR(channel.one_if_one, number(vector_case["p_keep"]), 1e-15);
        EXPECT_NEAR(channel.one_if_zero, number(vector_case["p_other"]), 1e-15);
        const double loss = number(vector_case["realized_eps_keep_else_mulshift_uniform"]);
        EXPECT_NEAR(mechanism_of(m).loss(m, top_law(m)) / loss, 1, 1e-12);
    }
}

TEST(LawVectors, ABitForward) {
    for (const json &vector_case : vectors("bit_relax.json", "rr")) {
        const metric m =
            with(SOTTO_TYPE_BOOLEAN, randomized_response_table{{integer(vector_case["t64_p1"])}});
        EXPECT_NEAR(flip_of(top_law(m)), number(vector_case["p1"]), 1e-15);
        const threshold same = integer(vector_case["t64_a_same"]),
                        other = integer(vector_case["t64_a_diff"]);
        const forward_bits_table step = {{{{0 - same, 0 - other, 64}, {other, same, 64}}}};
        EXPECT_NEAR(flip_of(mechanism_of(m).next_law(m, step, top_law(m))),
                    number(vector_case["p2"]), 1e-15);
    }
}

TEST(LawVectors, Rappor) {
    const auto out_of = [](double p) { return static_cast<threshold>(std::ldexp(p, 32)); };
    for (const json &vector_case : vectors("rappor_eps.json", "cases")) {
        const double f = number(vector_case["f"]);
        rappor_table t;
        t.hashes = vector_case["h"].get<std::uint16_t>();
        t.permanent = {{out_of(f / 2), out_of(1 - f / 2), 32}};
        t.instantaneous = {
            {out_of(number(vector_case["p"])), out_of(number(vector_case["q"])), 32}};
        const metric m = with(SOTTO_TYPE_STRING, t);
        EXPECT_NEAR(std::get<permanent_law>(top_law(m)).one_if_zero, number(vector_case["p_star"]),
                    1e-9);
        EXPECT_NEAR(std::get<permanent_law>(top_law(m)).one_if_one, number(vector_case["q_star"]),
                    1e-9);
        EXPECT_NEAR(mechanism_of(m).loss(m, top_law(m)), number(vector_case["eps_1"]), 1e-7);
    }
}

TEST(LawVectors, DiscreteLaplace) {
    for (const json &vector_case : vectors("dlap.json", "cases")) {
        laplace_noise_table noise;
        for (const json &digit : vector_case["digits"]) {
            const threshold t = integer(digit["t64"]);
            noise.size.digits.push_back(
                {static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(t >> 32), 0, 0});
        }
        discrete_laplace_table table;
        table.noise = {noise};
        const level_law law = top_law(with(SOTTO_TYPE_INTEGER, table));
        EXPECT_NEAR(unit_epsilon_of(law) / number(vector_case["eps"]), 1, 1e-9);
        EXPECT_NEAR(std::get<number_law>(law).nonzero, number(vector_case["z"]), 1e-9);
    }
}

} // namespace
} // namespace sotto::aggregator::test
