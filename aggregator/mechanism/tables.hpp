// SPDX-License-Identifier: Apache-2.0
// A device's tables in flash for each mechanism, as metrics.json has them: the integers of
// sdk/include/sotto/registry.h, where each is explained. Arrays are by level.
#ifndef SOTTO_AGGREGATOR_MECHANISM_TABLES_HPP
#define SOTTO_AGGREGATOR_MECHANISM_TABLES_HPP

#include "aggregator/mechanism/binned_numbers.hpp"
#include "aggregator/mechanism/sums_over_places.hpp"
#include "aggregator/mechanism/sums_over_time.hpp"
#include "aggregator/statistics/difference_set.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace sotto::aggregator {

// A probability out of 2^64, unless something else is said.
using threshold = std::uint64_t;

// A probability out of 2^bits, bits 0 to 64. A probability of 1 is 2^bits, at 64 bits it can't be.
struct bit_channel_table {
    threshold one_if_zero = 0, one_if_one = 0;
    std::uint8_t bits = 0;

    bool operator==(const bit_channel_table &) const = default;
};

// Out of 2^64 or 2^128: limbs of 32 bits, low first.
using wide_threshold = std::array<std::uint32_t, 4>;

// Geom(q) by its binary digits.
struct geometric_table {
    std::uint8_t digit_bits = 64;       // or 128
    std::vector<wide_threshold> digits; // 1 to 29, low first
    std::optional<wide_threshold> overflow;

    bool operator==(const geometric_table &) const = default;
};

// Noise that is zero, or of either sign and of size 1 + Geom(q).
struct laplace_noise_table {
    threshold nonzero = 0;
    geometric_table size;

    bool operator==(const laplace_noise_table &) const = default;
};

// For booleans, and thresholded Laplace noise on the unit grid, which is the same thing.
struct randomized_response_table {
    std::vector<threshold> flip;

    bool operator==(const randomized_response_table &) const = default;
};

// For categories.
struct k_randomized_response_table {
    std::vector<threshold> keep;
    std::uint32_t size = 0; // 2 to SOTTO_CATEGORIES_MAX

    bool operator==(const k_randomized_response_table &) const = default;
};

// Optimized or not.
struct unary_table {
    std::vector<bit_channel_table> channel;
    std::uint16_t size = 0;        // 2 to 1024
    std::uint16_t max_members = 0; // a value's; 1 for a category

    bool operator==(const unary_table &) const = default;
};

// How a string becomes bits (aggregator/estimate/bloom.hpp).
struct bloom_shape {
    std::uint16_t bits = 0, hashes = 0, cohorts = 0, max_bytes = 0;
    bool one_answer = false;      // a report names one bit: of one hash, its value
    std::uint32_t categories = 0; // their indices are hashed; 0: strings are

    bool operator==(const bloom_shape &) const = default;
};

// For strings, and for categories as one-hot bits: then hashes is 0 and cohorts 1.
struct rappor_table : bloom_shape {
    std::vector<bit_channel_table> permanent, instantaneous;
    std::uint16_t max_values = 0;
    std::uint16_t chained = 0; // bit i: instantaneous[i] is drawn from the report of level i + 1
    bool protects_sequence = false;

    bool operator==(const rappor_table &) const = default;
};

// For integers and vectors, and for the lattice of a thresholded bit.
struct discrete_laplace_table {
    static constexpr std::uint32_t l1_not_enforced = 0xffffffff;

    std::vector<laplace_noise_table> noise;
    std::int32_t min = 0, max = 0; // a true value's range
    std::int32_t publish_min = 0, publish_max = 0;
    std::uint16_t length = 1; // numbers in a value
    std::uint32_t l1_half = l1_not_enforced;

    bool operator==(const discrete_laplace_table &) const = default;
};

// On a grid of more than one step: the lattice is 0 to `grid`.
struct laplace_threshold_table {
    std::uint32_t grid = 0;      // odd
    std::uint32_t threshold = 0; // 1 to grid: the bit is one from here on
    discrete_laplace_table lattice;

    bool operator==(const laplace_threshold_table &) const = default;
};

// For means.
struct one_bit_mean_table {
    std::vector<threshold> flip;
    std::int32_t min = 0, max = 0;
    std::uint32_t scale = 0; // floor((2^32 - 1) / (max - min))

    bool operator==(const one_bit_mean_table &) const = default;
};

// For counters.
struct noised_sum_table : sums_over_time {
    laplace_noise_table noise; // every row's

    bool operator==(const noised_sum_table &) const = default;
};

// For categories with scores.
struct exponential_table {
    std::uint32_t size = 0;                                // 2 to 32
    std::vector<std::vector<std::vector<threshold>>> rows; // by level, by row: size - 1, rising

    bool operator==(const exponential_table &) const = default;
};

// For histograms and locations.
struct noised_points_table : sums_over_places {
    laplace_noise_table noise; // every row's

    bool operator==(const noised_points_table &) const = default;
};

// For distributions.
struct window_response_table : binned_numbers {
    std::uint32_t half = 0; // at most bins
    std::vector<threshold> keep;

    std::uint32_t width() const { return 2 * half + 1; }
    std::uint32_t answers() const { return bins + 2 * half; }

    bool operator==(const window_response_table &) const = default;
};

// For means by windows.
struct window_mean_table {
    std::int32_t min = 0, max = 0;
    std::uint32_t scale = 0; // as in one_bit_mean_table
    std::uint32_t bins = 0;  // 2 to SOTTO_BINS_MAX
    std::uint32_t half = 0;  // at most bins
    std::vector<threshold> keep;

    std::uint32_t answers() const { return bins + 2 * half; }

    bool operator==(const window_mean_table &) const = default;
};

// For sets by one element, or a pair.
struct pad_and_sample_table {
    std::vector<threshold> keep;
    std::uint32_t size = 0;        // members that there are
    std::uint32_t max_members = 0; // a set's: elements of a padded one
    std::uint32_t named = 0;       // elements that an answer names: 1 or 2

    std::uint32_t elements() const { return size + max_members; }
    std::uint32_t answers() const { return ways(elements()); }
    // Answers that a padded set supports.
    std::uint32_t width() const { return ways(max_members); }

    bool operator==(const pad_and_sample_table &) const = default;

  private:
    std::uint32_t ways(std::uint32_t n) const { return named == 1 ? n : n * (n - 1) / 2; }
};

// For strings and categories, by one hash value.
struct hashed_table : bloom_shape {
    std::vector<threshold> keep;
    threshold permanent = 0;

    bool operator==(const hashed_table &) const = default;
};

// For quantiles of points.
struct inverse_sensitivity_table : binned_numbers {
    std::vector<std::uint32_t> weights; // falling
    std::uint32_t delta = 1;            // bins
    std::uint32_t rank = 500;           // in thousandths
    std::uint32_t delta_of_numbers = 1;

    bool operator==(const inverse_sensitivity_table &) const = default;
};

// For categories, by a difference set.
struct design_table : difference_set {
    std::vector<threshold> keep;
    std::uint32_t size = 0; // categories, 2 to answers

    bool operator==(const design_table &) const = default;
};

// For vectors that are points in order.
struct sorted_points_table {
    laplace_noise_table noise; // every number's
    std::int32_t min = 0, max = 0;
    std::uint32_t length = 1;
    std::uint32_t delta = 1;   // a point moves by so much at most
    std::uint32_t sources = 1; // points of a source

    std::uint32_t width() const { return static_cast<std::uint32_t>(std::int64_t{max} - min); }

    bool operator==(const sorted_points_table &) const = default;
};

// A metric's table, by its mechanism.
using mechanism_table =
    std::variant<randomized_response_table, laplace_threshold_table, k_randomized_response_table,
                 unary_table, rappor_table, discrete_laplace_table, one_bit_mean_table,
                 noised_sum_table, exponential_table, noised_points_table, window_response_table,
                 hashed_table, inverse_sensitivity_table, design_table, sorted_points_table,
                 window_mean_table, pad_and_sample_table>;

// Who knows a table: a function of mechanism/X.cpp for each mechanism, which all.cpp lists.
class mechanism;
const mechanism &randomized_response();
const mechanism &laplace_threshold();
const mechanism &k_randomized_response();
const mechanism &optimized_unary();
const mechanism &symmetric_unary();
const mechanism &rappor();
const mechanism &basic_rappor();
const mechanism &discrete_laplace();
const mechanism &one_bit_mean();
const mechanism &noised_sum();
const mechanism &exponential();
const mechanism &noised_points();
const mechanism &window_response();
const mechanism &hashed();
const mechanism &inverse_sensitivity();
const mechanism &design();
const mechanism &sorted_points();
const mechanism &window_mean();
const mechanism &pad_and_sample();

// One step to a level above the ladder.
struct forward_bits_table {
    std::array<bit_channel_table, 2> given; // by the true bit

    bool operator==(const forward_bits_table &) const = default;
};

// RAPPOR: to permanent bits of a smaller f, and what is then reported of them.
struct forward_permanent_table {
    forward_bits_table permanent; // a flip again: the two channels mirror each other
    bit_channel_table instantaneous;

    bool operator==(const forward_permanent_table &) const = default;
};

// For categories by k-ary randomized response.
struct forward_category_table {
    std::array<threshold, 2> to_value = {}; // by: is the last value the true one?
    threshold keep_last = 0;

    bool operator==(const forward_category_table &) const = default;
};

// For design response and means by windows.
struct forward_support_table {
    std::array<threshold, 2> keep_last = {}; // by: does the last answer support the true value?
    threshold keep = 0;

    bool operator==(const forward_support_table &) const = default;
};

// For numbers.
struct forward_laplace_table {
    threshold opposite = 0, stay = 0;
    geometric_table within, beyond, tail;

    bool operator==(const forward_laplace_table &) const = default;
};

// A step to a level above the ladder, by the metric's mechanism.
using forward_table =
    std::variant<forward_bits_table, forward_permanent_table, forward_category_table,
                 forward_laplace_table, forward_support_table>;

} // namespace sotto::aggregator
#endif
