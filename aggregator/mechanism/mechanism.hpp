// SPDX-License-Identifier: Apache-2.0
// All that the aggregator knows of a mechanism, asked in one way: nobody else looks which one it is
// (tools/check-host-mechanisms.py). Objects have no state: `m` is a metric whose table is theirs,
// or is read into it. Pure and thread-safe.
#ifndef SOTTO_AGGREGATOR_MECHANISM_MECHANISM_HPP
#define SOTTO_AGGREGATOR_MECHANISM_MECHANISM_HPP

#include "aggregator/mechanism/metric.hpp"
#include "aggregator/mechanism/plan_option.hpp"
#include "aggregator/statistics/bit_channel.hpp"
#include "aggregator/statistics/distribution_fit.hpp"
#include "aggregator/statistics/level_tally.hpp"
#include "aggregator/statistics/pooled_levels.hpp"
#include "aggregator/statistics/quality_sums.hpp"

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct sotto_metric;

namespace sotto::aggregator {

class json_node;
class device_memory;

// How far the levels of a ladder follow from its tables.
struct ladder_rules {
    double tolerance = 1e-11; // relative, of a number that is computed here and written there
    // Each level is drawn from the one above it: any set of levels loses what its highest loses.
    bool is_chain = true;
    bool has_forward = true; // a level above the ladder can be drawn from the top
    bool has_nominal = true; // levels are asked for by their epsilon
    bool adds_up = true;     // n reports lose at most n times as much as one
};

// Two inputs that what is published can't tell apart, but for epsilon.
enum class protected_unit : std::uint8_t {
    value,  // any two values of one measurement
    event,  // one event or none, in whatever epoch
    source, // the points of one source, each at any two places that are delta apart
};

inline constexpr std::array every_protected_unit = {protected_unit::value, protected_unit::event,
                                                    protected_unit::source};

// How a source's points move between two inputs that epsilon compares.
struct point_moves {
    std::uint32_t delta = 1;   // each number of a point moves by so much at most
    std::uint32_t width = 1;   // and by so much from end to end
    std::uint32_t axes = 1;    // numbers of a point
    std::uint32_t sources = 1; // points of a source
    const char *unit = "";     // in which delta and width are
    double whole = 1;          // the way from end to end loses so many epsilons at most
};

// The rows that an answer has.
enum class answer_shape : std::uint8_t {
    counts,           // releases that say true, each value or each member
    strings,          // shares of candidates
    means,            // one, or each coordinate
    distribution,     // a mean, quantiles and bins
    sums_over_time,   // an epoch, windows, a prefix
    sums_over_places, // each place, ranges
};

// Words that sentences about a metric need of its mechanism; "" where there are none.
struct mechanism_words {
    const char *variant = "";  // after the mechanism's name: " on a fine grid"
    const char *obstacle = ""; // why a level is not made of what the level above it published
    // Permanent noise goes by hash value: of those there are few, and no value is one too many.
    bool remembers_hashes = false;
};

// One mechanism; see above.
class mechanism {
  public:
    virtual ~mechanism() = default;

    // The table of a metric with so many levels, and the keys that belong to it, into `m`, which
    // has its type and name. Errors: as json_node.
    virtual void read(const json_node &metric_node, std::size_t levels, metric &m) const = 0;
    // One step above the ladder, from a level of the law `last`. Errors: as json_node.
    virtual forward_table read_forward(const json_node &table, const level_law &last) const = 0;
    virtual ladder_rules rules(const metric &m) const = 0;
    virtual protected_unit protects(const metric &m) const = 0;
    virtual answer_shape answers(const metric &m) const = 0;
    // Nothing but where sources of points are protected.
    virtual std::optional<point_moves> moves(const metric &m) const = 0;

    // By level of the ladder, from the integers of the table alone, to within a few units in the
    // last place.
    virtual std::vector<level_law> laws(const metric &m) const = 0;
    // The law of the level that `step` leads to from a level of the law `last`.
    virtual level_law next_law(const metric &m, const forward_table &step,
                               const level_law &last) const = 0;
    // Epsilon of one report at a level of this law, any two values compared.
    virtual double loss(const metric &m, const level_law &law) const = 0;

    // The table and the forward steps, as sdk/include/sotto/registry.h has them.
    virtual void to_device(const metric &m, device_memory &memory, sotto_metric &image) const = 0;
    // Random bytes that a release takes beside its seed, its id and the steps of its ladder.
    virtual std::size_t more_random_bytes(const sotto_metric &in_flash) const = 0;
    // Whether a device has to have the value to draw a level above the ladder.
    virtual bool forward_needs_value(const metric &m) const = 0;

    virtual published_values published(const metric &m) const = 0;
    // How many values a device remembers the noise of; nothing where it remembers none.
    virtual std::optional<std::uint16_t> remembered(const metric &m) const = 0;
    // How strings, or categories, become bits; null where values are not hashed.
    virtual const bloom_shape *strings(const metric &m) const = 0;
    // The answers that support a value; null where an answer is a value.
    virtual const difference_set *supports(const metric &m) const = 0;
    // The epochs that a number is the sum of; null but for sums over time.
    virtual const sums_over_time *over_time(const metric &m) const = 0;
    // The places that a row counts points of; null but for sums over places.
    virtual const sums_over_places *over_places(const metric &m) const = 0;
    // The bins that numbers are counted by; null but for distributions.
    virtual const binned_numbers *bins(const metric &m) const = 0;
    // Shares of those bins, and the numbers that `parts` of all values are below, in bins. One
    // tally a level; one has reports at least.
    virtual distribution_fit fit(const metric &m, std::span<const level_tally> levels,
                                 std::span<const double> parts) const = 0;
    // P(published == true) less what is uniform, where what was published can be selected by.
    virtual std::optional<double> keep(const metric &m, const level_law &law) const = 0;

    // P(a permanent bit is not the true one); 0 where nothing is permanent.
    virtual double permanent_flip(const metric &m, const level_law &law) const = 0;
    // The loss of two numbers or sums that differ by one, before any is clamped; nothing where
    // values have no distance. Sums over time or places have it.
    virtual std::optional<double> unit_epsilon(const metric &m, const level_law &law) const = 0;
    // The variance of the noise in each of those.
    virtual double noise_variance(const metric &m, const level_law &law) const = 0;

    // The channel of one question at a level: is a release true, of one category, with one member
    // or bit? Nothing where the mean of numbers is estimated.
    virtual std::optional<bit_channel> channel(const metric &m, const level_law &law) const = 0;
    // The range of those numbers; nothing where reports are counted.
    virtual std::optional<number_range> range(const metric &m) const = 0;
    // For value, member or coordinate `at`: a count of releases, or a mean. One law a level.
    virtual estimated estimate(const metric &m, std::span<const level_tally> levels,
                               std::span<const level_law> laws, std::size_t at) const = 0;
    // The standard error of found.reports, were the truth found.value.
    virtual double error(const metric &m, const level_law &law, const estimated &found) const = 0;
    // Noise and spread of one report, as of a share or mean, before there are any.
    virtual double usual_variance(const metric &m, const level_law &law,
                                  const reports_again &again) const = 0;
    // Variance of the values (pool_levels) at most, were their mean or share `mean`.
    virtual double spread(const metric &m, double mean, const reports_again &again) const = 0;
    // The most and the least that one release adds to an estimate, apart.
    virtual double reach(const metric &m, const level_law &law) const = 0;
    // Counts that no honest device sends; `of_a_value` as in repeated_reports (rappor.hpp).
    virtual void check(const metric &m, const level_law &law, const level_tally &at,
                       double of_a_value, quality_sums &sums) const = 0;

    // Ways to ask what the request asks; none where the mechanism can't.
    virtual std::vector<plan_option> plan(const plan_request &request, double epsilon) const = 0;

    // The integers in flash: a line a level, from the top down, and as in metrics.json.
    virtual std::string table_text(const metric &m) const = 0;
    virtual nlohmann::ordered_json table_json(const metric &m) const = 0;
    virtual mechanism_words words(const metric &m) const = 0;
};

// The mechanism of the metric's table.
const mechanism &mechanism_of(const metric &m);

// A type by a mechanism, as metrics.toml asks for it.
struct known_mechanism {
    const char *type;
    std::uint8_t type_number; // SOTTO_TYPE_...
    const char *name;
    std::uint8_t number; // SOTTO_MECHANISM_...
    const mechanism *how;
};

// By type, those of one type in a row.
std::span<const known_mechanism> known_mechanisms();
std::vector<std::string> known_types();

// By level, forward ones too; empty where the mean of numbers is estimated.
std::vector<bit_channel> channels_of(const metric &m);
std::vector<level_law> laws_of(const metric &m);

protected_unit protects(const metric &m);
answer_shape answers(const metric &m);
// Are values hashed, so that the shares of candidates are estimated together?
bool has_strings(const metric &m);
// Are they texts of which no registry has a list?
bool has_texts(const metric &m);

} // namespace sotto::aggregator
#endif
