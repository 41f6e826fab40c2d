// SPDX-License-Identifier: Apache-2.0
// The law of one published level given the true value, whatever else was published. One alternative
// a kind of noise; the doubles are those nearest to the exact numbers of metrics.json.
#ifndef SOTTO_AGGREGATOR_MECHANISM_LEVEL_LAW_HPP
#define SOTTO_AGGREGATOR_MECHANISM_LEVEL_LAW_HPP

#include "aggregator/statistics/bit_channel.hpp"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace sotto::aggregator {

// A bit that is flipped: P(published != true), in (0, 1/2). A mean's bit is its rounded number.
struct flip_law {
    double flip = 0;
};

// The true value with probability `keep`, otherwise uniform over all values, the true one included.
struct keep_law {
    double keep = 0;
};

// RAPPOR's p* and q*: P(a published bit is one), by the true bit. P(a permanent bit is not the true
// one) is f / 2.
struct permanent_law {
    double one_if_zero = 0, one_if_one = 0;
    double permanent_flip = 0;
};

// One of `size` hash values with probability `keep`, otherwise any. The answer that stays with the
// hash value is it with `permanent_keep`, otherwise any.
struct two_keeps_law {
    double keep = 0, permanent_keep = 0;
    std::uint32_t size = 2;
};

// Noise on numbers, before they are clamped: DLap(q), q = exp(-unit_epsilon), and P(it is not 0).
struct number_law {
    double unit_epsilon = 0;
    double nonzero = 0;
};

// Any category from any: P(published | true), by true category, rows of `size`.
struct table_law {
    std::size_t size = 0;
    std::vector<double> chances;
    double least_kept = 0, most_kept = 0; // the true category's chances
};

// An answer is drawn by its neighbouring steps to the data: each is less likely than the one before
// by e^-step_epsilon at most.
struct steps_law {
    double step_epsilon = 0;
};

// A bit_channel is the law of bits that each go through a channel of their own.
using level_law = std::variant<flip_law, keep_law, bit_channel, permanent_law, two_keeps_law,
                               number_law, table_law, steps_law>;

// The law must be that alternative.
double flip_of(const level_law &law);
// 1 of an answer that stands for itself.
double keep_of(const level_law &law);
double unit_epsilon_of(const level_law &law);

// P(a permanent bit is not the true one): 0 where nothing is permanent. For one answer
// of several it is the flip that adds as much to a count of repeated reports.
double permanent_flip_of(const level_law &law);

// P(published != true) where a release is one bit that is flipped; nothing elsewhere.
std::optional<double> released_flip(const level_law &law);

// A number of a law by its name in metrics.json, as long as the law stays where it is.
struct law_number {
    const char *name;
    double *value;
};
// Numbers in [0, 1], which metrics.json has under "probabilities".
std::vector<law_number> probabilities_of(level_law &law);
// All others, which are positive; metrics.json has them in the level itself.
std::vector<law_number> parameters_of(level_law &law);

} // namespace sotto::aggregator
#endif
