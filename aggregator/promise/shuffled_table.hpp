// SPDX-License-Identifier: Apache-2.0
// The loss of one report to readers who get it from a relay that mixes: beside the promise, and
// never charged.
#ifndef SOTTO_AGGREGATOR_PROMISE_SHUFFLED_TABLE_HPP
#define SOTTO_AGGREGATOR_PROMISE_SHUFFLED_TABLE_HPP

#include "aggregator/registry/registry.hpp"
#include "aggregator/statistics/shuffled.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sotto::aggregator {

// By level. No level where reports of a value share noise, or where devices have cohorts: then the
// laws of devices differ. None where epsilon is that of events or points.
struct shuffled_metric {
    std::string name;
    std::vector<double> of_report, of_mixed;
};

struct shuffled_table {
    std::uint64_t devices = 0;
    double delta = 0;
    std::vector<shuffled_metric> metrics;
};

// One metric among `devices`, 2 to shuffled_devices_max, at a delta of 1 / (10 devices).
double shuffled_delta_of(std::uint64_t devices);
shuffled_metric shuffled_of(const metric &m, std::uint64_t devices);
shuffled_table shuffled_of(const registry &known, std::uint64_t devices);

// One metric in a sentence, with all that it takes.
std::string shuffled_sentences(const metric &m, std::uint64_t devices);
// As a table in lines of `width` characters, with what it takes.
std::string shuffled_text(const registry &known, const shuffled_table &table, std::size_t width);

} // namespace sotto::aggregator
#endif
