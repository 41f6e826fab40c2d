// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_SELECTIVE_RELAXATION_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_SELECTIVE_RELAXATION_HPP

#include "aggregator/statistics/estimated.hpp"
#include "aggregator/tally/tally.hpp"

#include <span>
#include <vector>

namespace sotto::aggregator {

// Releases of a boolean (two values) or a k-ary category, published at one level, and some of them
// again at higher ones. The first published value decided which: relaxing only what looked like a
// yes, say. Values run from 0 to size - 1. Levels are what they are alone, uniform but with the
// probability `keep`, the true value included: 1 - 2 flip for a boolean.
struct relaxation_outcomes {
    struct level {
        double keep = 0;                         // more than keep_first
        std::vector<std::uint64_t> from, counts; // by the value published first, and last
    };

    double keep_first = 0;
    std::vector<std::uint64_t> kept; // never relaxed, by the value published
    std::vector<level> relaxed;
};

// By value, in releases.
struct selective_estimate {
    std::vector<estimated> values;
    std::vector<double> third_moments; // their noise's: intervals are wider where it is skew
    // The least and the most that one release can add to any of them.
    double least = 0, most = 0;
    // Relaxed ones that are read by what they said first, as if they had not been relaxed.
    std::uint64_t by_first = 0;
};

// A relaxed release may add at most so many times what another one adds, least and most apart.
// Nobody but the device knows whether a request ever asked it. Where few were relaxed each would
// weigh as much as all those of its value that were not.
inline constexpr double selected_weight = 2;

// How many releases are of each value. Elsewhere relaxing has nothing to do with what was
// published, and the last value is read alone. This is badly biased here: a release that was kept
// says "no" because "no" is why it was kept. So all outcomes o are weighted, each by h_o:
//   sum over o of P(o | x) h_o = 1 for the value asked for and 0 for all others.
// The sum of h over all releases is then unbiased. Among such h those are taken of least variance
// for outcomes as frequent as these: h = W P' (P W P')^-1, W = diag(1 / P(o)). The ladder gives
//   P(first, last | x) = P(last | x) P(first | last).
// A first value v is relaxed to a level with a probability of its own, read off the outcomes. Where
// a release would weigh more than it may (selected_weight), frequencies are taken to be more even.
// When that is not enough, the level that fewest were relaxed to is not read. Its releases are what
// they said first, which is unbiased, too, but of more variance. Unbiased for given W when the
// choice depends on the value through the first published value alone. W goes by the shares that
// were found. In hundreds of releases up to about a tenth of a standard error is left, most of it
// in values that hardly any release has. The standard error is that of the noise, were the truth
// the estimate made consistent. A value that was merely not seen has the noise of all others. Few
// releases that weigh much make that noise skew. Intervals are as much wider: by a sixth to two
// thirds for 300 releases in 20 categories, hardly for a boolean. `size` is kept.size(), at least
// 2; time and memory are of its order.
selective_estimate estimate_selectively_relaxed(relaxation_outcomes outcomes);

// So many releases were published with low_value at low_level first, relaxed because of it, and are
// last read at `level` with `value`.
struct selected_count {
    std::uint32_t low_level = 0, low_value = 0, level = 0, value = 0;
    std::uint64_t count = 0;
};

// Whether releases of the metric can be selected by what they said, and estimated nevertheless.
bool allows_for_selection(const metric &m);

// An estimate from the tally of all releases, each at its highest published level, and from the
// selected ones among them. Releases that stayed at the first level were not selected. All other
// releases were not asked, and are estimated by themselves, so that all add up. Nothing for a
// metric that does not allow for it, or without any that were selected.
selective_estimate estimate_with_selection(const metric &m, const metric_tally &tally,
                                           std::span<const selected_count> selected);

} // namespace sotto::aggregator
#endif
