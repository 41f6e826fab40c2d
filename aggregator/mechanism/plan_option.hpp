// SPDX-License-Identifier: Apache-2.0
// A way to ask a question, as a mechanism offers it before there is any table.
#ifndef SOTTO_AGGREGATOR_MECHANISM_PLAN_OPTION_HPP
#define SOTTO_AGGREGATOR_MECHANISM_PLAN_OPTION_HPP

#include "aggregator/mechanism/published.hpp"
#include "aggregator/statistics/bit_channel.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sotto::aggregator {

// The question: what to measure, by how many devices, at what price, and how well. Members without
// a use for the type stay empty.
struct plan_request {
    std::string type; // as in metrics.toml
    std::string name = "answer";
    double devices = 0;         // reports of one round: one from each
    double reports_per_day = 1; // a device's
    std::optional<double> epsilon, epsilon_per_day, epsilon_lifetime;
    std::optional<double> accuracy; // half a 95 % interval, as a share; of a mean: of its range
    std::optional<double> floor; // to be found with 90 % probability: a share below 1, or a count

    std::optional<std::uint32_t> size;                  // categories; strings to tell apart
    std::optional<std::uint32_t> members, max_members;  // a set's
    std::optional<std::int64_t> min, max;               // a number's
    std::optional<std::uint32_t> length;                // a vector's
    std::optional<std::uint32_t> l1_sensitivity;        // a vector's
    std::optional<std::uint32_t> bits, hashes, cohorts; // a string report's
    std::optional<std::uint32_t> event;                 // a counter's: units
    std::optional<std::uint32_t> window, prefix;        // epochs that its sums are of
    std::optional<double> decay; // or all epochs, each worth so much of the next
    std::optional<std::uint32_t> bins, delta, range; // a histogram's; range: bins asked for
    std::optional<std::uint32_t> cells;              // a location's; range: a box's side
    std::optional<std::uint32_t> points;             // a gateway's, of a quantile or location

    // A ladder's highest, for a plan of a lower level: parameters are the same at every level.
    std::optional<double> best_epsilon;

    bool is_over_time() const { return window || prefix || decay; }
    bool is_over_places() const { return cells || (bins && !points); }
};

// Where an option is less than it looks; text/remark_words.hpp words it.
enum class plan_remark : std::uint8_t {
    mean_only,            // one bit a report
    for_comparison,       // levels of a ladder lose more than the highest
    recognises_devices,   // every report of a value is the same
    protects_values_only, // values that stay, and not each report
    total_only,           // no other sum of a counter can be made
    decayed_at_host       // the same sum of plain rows has less error
};

// One way to do it.
struct plan_option {
    std::string type, mechanism; // as in metrics.toml
    std::string parameters;      // the chosen ones, for the table
    std::string keys;            // lines of metrics.toml, without id and name
    double epsilon = 0;          // a release's
    double epsilon_day = 0;
    std::optional<double> epsilon_forever; // one value's, however often it is reported
    std::uint32_t random_bytes = 0;        // a release's
    std::uint32_t report_bytes = 0;        // in a batch, with an id below 128 and at level 0
    std::uint32_t own_instructions = 0;    // a report's, beside those of random bytes
    // Standard errors with all devices. The first is of a share that is typical (the root of the
    // variance's mean over categories). For a mean it is the worst, as a share of its range. The
    // second is of a share of nothing, from which follows what can be found. Means have no such
    // floor.
    double std_error = 0;
    std::optional<double> rare_error;
    std::optional<double> single_error; // one epoch, bin or square of sums
    std::optional<plan_remark> remark;
    bool only_listed = false; // it promises less than the others do, so it is never chosen

    // A report's on Cortex-M0, nearly: random bytes are most of them (docs/PERFORMANCE.md).
    std::uint32_t instructions() const;
    double half_width() const; // a 95 % interval's
    // The smallest share that is told from nothing with 90 % probability, when 5 % of `questions`
    // asked at once may raise a false alarm.
    std::optional<double> floor(double questions) const;
};

// The largest epsilon of a registry.
inline constexpr double epsilon_max = 32;

// Strings that are told apart unless --size says how many: enough for any list made by hand.
inline constexpr std::uint32_t candidates_default = 100;

// A decimal that metrics.toml reads as no more than this: 1.0986 for ln 3.
std::string epsilon_text(double epsilon);

// With its name and what it costs.
plan_option costing(const plan_request &request, double epsilon, const std::string &type,
                    const char *mechanism);
// The keys of a number in metrics.toml; `own` are lines of the type's own.
std::string number_keys(const plan_request &request, const plan_option &option,
                        const std::string &own);
// A report with an id below 128, at level 0.
std::uint32_t planned_report_bytes(const published_values &values);
// Random bytes of a number of noised sums; `unit_epsilon` is of one unit. Nothing: it is so small
// that the compiler refuses it.
std::optional<std::uint32_t> modular_noise_bytes(double unit_epsilon);
// Random bytes for `bits` bits through a channel: 4 for each bit of a threshold and 32 bits.
std::uint32_t channel_random_bytes(std::uint32_t bits, const bit_channel &channel);

} // namespace sotto::aggregator
#endif
