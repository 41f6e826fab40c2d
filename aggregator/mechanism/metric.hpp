// SPDX-License-Identifier: Apache-2.0
// A metric as metrics.json has it, with the laws and losses of its levels. mechanism.hpp answers
// all that follows from its mechanism.
#ifndef SOTTO_AGGREGATOR_MECHANISM_METRIC_HPP
#define SOTTO_AGGREGATOR_MECHANISM_METRIC_HPP

#include "aggregator/base/calendar.hpp"
#include "aggregator/mechanism/level_law.hpp"
#include "aggregator/mechanism/published.hpp"
#include "aggregator/mechanism/tables.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// An exact decimal as the registry compiler wrote it, and the double nearest to it.
struct decimal {
    std::string text;
    double value = 0;
};

// At most `epsilon` in any `epochs` epochs that follow one another.
struct budget {
    std::uint32_t epochs = 0;
    decimal epsilon;
    std::uint32_t units = 0; // floor(2^20 * epsilon)
};

// RAPPOR's loss when a device reports the same value again.
struct repeated_loss {
    static constexpr std::array<std::uint32_t, 4> counts = {1, 2, 10, 100};

    std::array<decimal, 4> after;    // epsilon(n), n as in `counts`
    std::optional<decimal> infinity; // where permanent bits bound it
};

// A level of the ladder, from the most private, 0, to the top.
struct ladder_level {
    std::optional<decimal> nominal; // asked for in metrics.toml; RAPPOR has none
    decimal realised;               // certified, rounded up, at most nominal; of one report
    std::uint32_t cost = 0;         // ceil(2^20 * realised)
    level_law law;
    std::optional<repeated_loss> repeated; // RAPPOR
};

// The loss when both levels of a release are published.
struct level_pair {
    // RAPPOR: of so many reports of one value at each level, every one of a release of its own.
    struct reports {
        std::uint32_t low = 0, high = 0; // how many
        decimal joint;
    };

    std::uint32_t low = 0, high = 0;
    decimal joint;
    std::vector<reports> of_counts;
};

// A level above the ladder, drawn forward from the level below it. Reports call the first of them
// level levels.size(), and so on.
struct forward_level {
    std::uint32_t fingerprint = 0;  // the definition's, with all levels up to this one
    std::optional<decimal> nominal; // RAPPOR has none
    decimal realised;               // this level's alone
    decimal joint;                  // with all levels below it
    level_law law;
    forward_table table;
    // RAPPOR: of so many reports at this level, and of so many releases at every level up to it.
    std::optional<repeated_loss> repeated, repeated_joint;
};

// True numbers, whose mean is estimated.
struct number_range {
    std::int32_t min = 0, max = 0;
    // A device clips a vector until its distances from the middle add up to no more.
    std::optional<std::uint32_t> l1_half;
    bool rises = false; // no number of a vector is below the one before it

    double width() const { return static_cast<double>(max) - min; }
};

// Words for readers of estimates, which no device has. A text that nobody gave is "".
struct metric_words {
    std::string title, unit, description;
    bool is_ordered = false;      // a category's values are a scale
    std::optional<calendar> days; // its registry's epochs
};

// One metric of a registry.
struct metric {
    std::uint16_t id = 0;
    std::uint8_t type = 0;      // SOTTO_TYPE_...
    std::uint8_t mechanism = 0; // SOTTO_MECHANISM_...
    std::uint16_t random_bytes = 0;
    std::uint16_t value_words = 0;
    std::uint32_t fingerprint = 0;
    std::string name;
    std::string type_name, mechanism_name;
    std::optional<budget> window;
    std::vector<std::string> names;   // categories or members; empty for a category by `size`
    std::vector<ladder_level> levels; // 1 to 16
    std::vector<level_pair> pairs;    // each low < high, in ascending order
    std::vector<forward_level> forward;
    decimal joint;                         // realised loss of the whole ladder published
    std::uint32_t joint_cost = 0;          // ceil(2^20 * joint)
    decimal open_release;                  // loss of all that a device keeps of a release, at most
    std::optional<repeated_loss> repeated; // RAPPOR: of so many releases at every level
    std::uint32_t per_epoch = 1;           // measurements
    std::uint32_t request_level = 0;       // a signed request may ask up to it; 0: for none
    std::vector<std::uint8_t> policy;      // as in sotto_policy; empty: every start is level 0
    std::vector<std::uint32_t> costs;      // as in sotto_metric
    std::uint32_t cost_reports = 0;
    // Noise on numbers: the L1 distance of two values that epsilon is promised for.
    std::uint64_t l1_sensitivity = 0;
    mechanism_table table; // the alternative that belongs to `mechanism`
    metric_words words;

    // For people: the title, where there is one.
    const std::string &shown_name() const { return words.title.empty() ? name : words.title; }

    // The joint cost of levels 0 to `level` of a device's first `releases`, 1 or more; the cost of
    // one release where costs add up.
    std::uint32_t cost(std::size_t level, std::uint32_t releases) const;

    // The highest level that a measurement may start at.
    std::size_t highest_start() const;

    // Levels that a report may have: those of the ladder, then the forward ones.
    std::size_t level_count() const { return levels.size() + forward.size(); }
    // The first level above the ladder that both have and that differs, in another metric with the
    // same fingerprint. Levels may be added above those that are there, and nothing else may
    // change.
    std::optional<std::size_t> parts_from(const metric &other) const;

    // `level` is below level_count().
    const level_law &law(std::size_t level) const;
    const decimal &realised(std::size_t level) const;

    value_kind kind() const;
    // `index`: true values are 0 to this - 1. `bits` and `numbers`: how many. Else 1.
    std::uint32_t value_size() const;
    // The numbers whose mean is estimated; nothing where reports are counted.
    std::optional<number_range> range() const;
    // A stored or published value: 4 for index and number, a byte for eight bits, 4 for a number
    // of `numbers`.
    std::size_t value_bytes() const;
};

} // namespace sotto::aggregator
#endif
