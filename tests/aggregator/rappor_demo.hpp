// SPDX-License-Identifier: Apache-2.0
// google/rappor's own demonstration, drawn: 100,000 clients with 10 reports each have 100 values.
// One value in ten is not among the candidates. 100 more candidates are nobody's.
#ifndef SOTTO_TESTS_AGGREGATOR_RAPPOR_DEMO_HPP
#define SOTTO_TESTS_AGGREGATOR_RAPPOR_DEMO_HPP

#include "aggregator/statistics/rappor.hpp"
#include "trials.hpp"

#include <array>
#include <functional>
#include <string>

namespace sotto::aggregator::test {

struct demo_distribution {
    const char *name;
    std::function<double(int)> weight; // by value, 1 to 100
};

// Five, as google/rappor/tests/gen_counts.R defines them.
inline std::vector<demo_distribution> demo_distributions() {
    return {{"uniform", [](int) { return 1.0; }},
            {"gauss", [](int v) { return std::exp(-std::pow((v - 50) / (100.0 / 6), 2) / 2); }},
            {"exponential", [](int v) { return std::exp(-v * 5 / 100.0); }},
            {"zipf 1", [](int v) { return 1.0 / v; }},
            {"zipf 1.5", [](int v) { return std::pow(v, -1.5); }}};
}

struct demo {
    static constexpr int values = 100, clients = 100'000, reports = 10;
    static constexpr rappor_shape shape = {32, 1, 64};
    static constexpr double f = 0.5, p = 0.25, q = 0.75;

    std::vector<std::string> candidates;
    std::vector<double> truth; // releases, by candidate
    std::vector<cohort_count> counts;
    std::uint64_t in_no_candidate = 0;
};

// The counts have the joint law of the reports. A client's cohort is random. Permanent bits belong
// to client and value: among the clients that report a value r times, a bit's permanent ones are
// binomial. Each of them is reported as a one Binomial(r, q) times, independently of all other
// bits. Sums of those are drawn. `one_value`: a client reports one value 10 times, else each report
// has a value of its own. `name` makes the strings, and so their bits, this instance's.
inline demo draw_demo(generator &random, const demo_distribution &distribution, bool one_value,
                      const std::string &name, const bloom_function &bloom) {
    demo out;
    std::vector<double> weights;
    std::vector<std::string> texts;
    for (int v = 1; v <= demo::values; ++v) {
        weights.push_back(distribution.weight(v));
        texts.push_back(name + std::to_string(v));
    }
    std::discrete_distribution<int> draw(weights.begin(), weights.end());
    std::uniform_int_distribution<std::uint32_t> draw_cohort(0, demo::shape.cohorts - 1);
    // Clients by cohort, how often they report a value, and the value.
    using by_value = std::array<std::uint64_t, demo::values>;
    std::vector<std::array<by_value, demo::reports + 1>> groups(demo::shape.cohorts);
    std::array<std::uint64_t, demo::values> held = {};
    for (int i = 0; i < demo::clients; ++i) {
        auto &cohort = groups[draw_cohort(random)];
        std::array<int, demo::values> times = {};
        std::array<int, demo::reports> drawn;
        for (int &v : drawn) {
            v = one_value && &v != &drawn[0] ? drawn[0] : draw(random);
            ++times[static_cast<std::size_t>(v)];
        }
        for (const int d : drawn) {
            const auto v = static_cast<std::size_t>(d);
            if (times[v] > 0) {
                ++cohort[static_cast<std::size_t>(times[v])][v];
                held[v] += static_cast<std::uint64_t>(times[v]);
                times[v] = 0;
            }
        }
    }
    for (std::uint32_t c = 0; c < demo::shape.cohorts; ++c) {
        cohort_count count;
        count.ones.resize(demo::shape.bits);
        std::array<std::uint32_t, demo::values> bit;
        for (std::size_t v = 0; v < demo::values; ++v) {
            bit[v] = bloom(texts[v], c).at(0);
        }
        for (std::uint64_t r = 1; r <= demo::reports; ++r) {
            std::array<std::uint64_t, demo::shape.bits> with = {};
            std::uint64_t devices = 0;
            for (std::size_t v = 0; v < demo::values; ++v) {
                with[bit[v]] += groups[c][r][v];
                devices += groups[c][r][v];
            }
            count.reports += r * devices;
            for (std::size_t j = 0; j < demo::shape.bits && devices > 0; ++j) {
                const std::uint64_t permanent = binomial(random, with[j], 1 - demo::f / 2) +
                                                binomial(random, devices - with[j], demo::f / 2);
                count.ones[j] += binomial(random, r * permanent, demo::q) +
                                 binomial(random, r * (devices - permanent), demo::p);
            }
        }
        out.counts.push_back(std::move(count));
    }
    for (int v = 1; v <= 2 * demo::values; ++v) {
        const std::uint64_t count = v <= demo::values ? held[static_cast<std::size_t>(v) - 1] : 0;
        if (v <= demo::values && v % 10 == 9) {
            out.in_no_candidate += count;
        } else {
            out.candidates.push_back(name + std::to_string(v));
            out.truth.push_back(static_cast<double>(count));
        }
    }
    return out;
}

} // namespace sotto::aggregator::test
#endif
