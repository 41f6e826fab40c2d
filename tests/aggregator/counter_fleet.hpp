// SPDX-License-Identifier: Apache-2.0
// Whole devices that count, tallies of what they send, and how often intervals hold the truth.
#ifndef SOTTO_TESTS_COUNTER_FLEET_HPP
#define SOTTO_TESTS_COUNTER_FLEET_HPP

#include "aggregator/estimate/series.hpp"
#include "aggregator/registry/tables.hpp"
#include "aggregator/report/check.hpp"
#include "aggregator/report/envelope_file.hpp"
#include "aggregator/simulate/host_device.hpp"
#include "aggregator/tally/epoch_tally.hpp"
#include "support.hpp"

#include "sotto_testing.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace sotto::aggregator::test {

// A device with these lives, one after the other, and what it sent.
inline std::vector<report>
reports_of(const registry &known, std::uint64_t number,
           const std::vector<std::pair<std::uint32_t, std::uint32_t>> &lives,
           const std::vector<dated_value> &events) {
    const tables in_flash(known);
    std::vector<report> reports;
    for (std::size_t life = 0; life < lives.size(); ++life) {
        const std::uint32_t first = lives[life].first, last = lives[life].second;
        const std::uint8_t seed[] = {7, static_cast<std::uint8_t>(life)};
        sotto_testing random = {};
        sotto_testing_init(&random, seed, sizeof seed, number);
        device_life own = {number, {}};
        std::ranges::copy_if(events, std::back_inserter(own.values), [&](const dated_value &e) {
            return e.epoch >= first && e.epoch <= last;
        });
        host_device device(known, in_flash.get());
        (void)device.live(random.entropy, first, last, own, 0, [&](std::string_view file) {
            while (const auto bytes = take_envelope(file)) {
                const auto opened = std::get<envelope>(decode_envelope(*bytes));
                const auto found = reports_of(opened.batch, value_layouts(known));
                reports.insert(reports.end(), found.begin(), found.end());
            }
        });
    }
    return reports;
}

using tallies = std::map<std::uint32_t, epoch_tally>;

inline void count(const registry &known, tallies &counts, const metric &m, const report &r) {
    ASSERT_TRUE(std::holds_alternative<const metric *>(check_report(r, known)));
    auto &at = counts.try_emplace(r.epoch, empty_epoch_tally(m)).first->second;
    const row stored = row_of(m, r);
    ASSERT_TRUE(count_release(at.highest, m, 0, cohort_of(stored), value_of(stored)));
}

inline series_tallies first_levels(const tallies &counts) {
    series_tallies levels;
    for (const auto &[epoch, tally] : counts) {
        levels[epoch] = tally.highest.front();
    }
    return levels;
}

inline std::vector<estimate_row> estimates_of(const metric &m, const tallies &counts,
                                              const series_request &request,
                                              std::vector<remark_content> *remarks = nullptr) {
    return estimate_series(m, first_levels(counts), request, [&](remark_content content) {
        if (remarks != nullptr) {
            remarks->push_back(std::move(content));
        }
    });
}

struct fleet_of_counters {
    std::uint32_t devices = 4, epochs = 64, first = 16;
    bool restart = false;
};

struct truths {
    std::map<std::uint32_t, double> sum, devices; // by epoch, of those that counted
};

// Random streams; by device and metric, and one rate a device.
inline truths fill(const registry &known, tallies &counts, const metric &m,
                   const fleet_of_counters &lived, std::mt19937 &random) {
    truths truth;
    for (std::uint32_t d = 0; d < lived.devices; ++d) {
        std::poisson_distribution<int> events(static_cast<double>(1 + random() % 4));
        std::vector<std::pair<std::uint32_t, std::uint32_t>> lives = {
            {lived.first, lived.first + lived.epochs - 1}};
        if (lived.restart && d % 2 == 0) { // the epoch of the restart is not counted
            const auto at =
                static_cast<std::uint32_t>(lived.first + 2 + random() % (lived.epochs - 4));
            lives = {{lived.first, at - 1}, {at + 1, lived.first + lived.epochs - 1}};
        }
        std::vector<dated_value> own;
        for (const auto &[first, last] : lives) {
            for (std::uint32_t epoch = first; epoch <= last; ++epoch) {
                const int count = events(random);
                truth.sum[epoch] += count;
                ++truth.devices[epoch];
                own.insert(own.end(), static_cast<std::size_t>(count),
                           dated_value{epoch, &m, std::int32_t{1}});
            }
        }
        for (const report &r : reports_of(known, random(), lives, own)) {
            if (r.metric == m.id && r.epoch >= lived.first) {
                count(known, counts, m, r);
            }
        }
    }
    return truth;
}

struct coverage {
    double held = 0, narrow = 0, pairs = 0, z_squares = 0;

    void add(const estimated &found, double truth) {
        held += found.ci_low() <= truth && truth <= found.ci_high() ? 1 : 0;
        narrow += std::abs(found.value - truth) <= 1.645 * found.std_error ? 1 : 0;
        z_squares += std::pow((found.value - truth) / found.std_error, 2);
        ++pairs;
    }
};

// By the name of a sum, without a number.
using coverages = std::map<std::string, coverage>;

inline void compare(coverages &found, const std::vector<estimate_row> &rows, const truths &truth,
                    const fleet_of_counters &lived, const series_request &request) {
    for (const estimate_row &at : rows) {
        const auto &name = std::get<std::string>(at.value);
        const double rate = name.starts_with("decay") ? *request.decay : 1;
        const std::uint32_t epochs = name == "decayed"            ? 3 // as heat weighs them
                                     : name.starts_with("epoch")  ? 1
                                     : name.starts_with("window") ? *request.window
                                                                  : *at.epoch - lived.first + 1;
        const std::uint32_t first = std::max(lived.first, *at.epoch + 1 - epochs);
        double mean = 0, total = 0;
        for (std::uint32_t e = first; e <= *at.epoch; ++e) {
            const double weight = std::pow(rate, *at.epoch - e);
            mean += weight * truth.sum.at(e) / truth.devices.at(e);
            total += weight * truth.sum.at(e);
        }
        found[name].add(at.result, mean);
        found[name + ", total"].add(at.summed->total, total);
    }
}

inline coverages cover(const registry &known, const metric &m, const fleet_of_counters &lived,
                       const series_request &request, int repetitions) {
    coverages sums;
    for (int i = 0; i < repetitions; ++i) {
        std::mt19937 random(1000U + static_cast<unsigned>(i));
        tallies counts;
        const truths truth = fill(known, counts, m, lived, random);
        compare(sums, estimates_of(m, counts, request), truth, lived, request);
    }
    return sums;
}

// Repetitions have noise of their own. Sums of one repetition share it, which tells no less than
// one of them alone: a mean's exponential is below the mean of exponentials. So 7,000 repetitions
// of intervals of 95 % hold 93 to 97 %, but for 10^-11 (Chernoff).
inline constexpr int repetitions_of_95 = 7000;

inline void expect_covered(const coverages &sums, double least = 0.93, double most = 0.97) {
    for (const auto &[name, found] : sums) {
        const double held = found.held / found.pairs,
                     spread = std::sqrt(found.z_squares / found.pairs);
        std::printf("%-28s %5.1f %% of %6.0f, errors of %.3f\n", name.c_str(), 100 * held,
                    found.pairs, spread);
        EXPECT_GE(held, least) << name;
        EXPECT_LE(held, most) << name;
        EXPECT_LT(found.narrow / found.pairs, least) << name << ": intervals of 90 % pass";
    }
}

} // namespace sotto::aggregator::test
#endif
