// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_SELECTIVE_RELAXATION_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_SELECTIVE_RELAXATION_HPP

#include "aggregator/estimate/estimated.hpp"

#include <vector>

namespace sotto::aggregator {

// Releases of a boolean (two values) or a k-ary category, published at one level, and some of them
// again at a higher one, where it was the first published value that decided which: relaxing only
// what looked like a yes, say. Values run from 0 to size - 1.
struct relaxation_outcomes {
    std::vector<std::uint64_t> kept;    // never relaxed, by the value published
    std::vector<std::uint64_t> relaxed; // index first * size + second
};

// Uniform otherwise, the true one included: keep = 1 - 2 flip for a boolean.
struct relaxation_channel {
    double keep_first = 0, keep_second = 0; // of each level alone; first < second
};

// How many releases are of each value. Reading the last value only, as where relaxing has nothing
// to do with what was published, is badly biased here: what was kept says "no" because that is why
// it was kept. So all outcomes o are weighted, each by h_o, with
//   sum over o of P(o | x) h_o = 1 for the value asked for and 0 for all others,
// which makes the sum of h over all releases unbiased, and among such h those of least variance for
// outcomes as frequent as these: h = W P' (P W P')^-1, W = diag(1 / P(o)). The ladder gives
//   P(first, second | x) = P(second | x) P(first | second),
// of which a first value v is relaxed with a probability r_v of its own, read off the outcomes.
// Unbiased when the choice depends on the value through the first published value alone. The
// standard error is that of the noise. `size` is
// kept.size(), at least 2; `relaxed` has its square.
std::vector<estimated> estimate_selectively_relaxed(const relaxation_outcomes &outcomes,
                                                    const relaxation_channel &channel);

} // namespace sotto::aggregator
#endif
