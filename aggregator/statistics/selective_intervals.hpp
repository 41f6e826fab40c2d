// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_SELECTIVE_INTERVALS_HPP
#define SOTTO_AGGREGATOR_STATISTICS_SELECTIVE_INTERVALS_HPP

#include "aggregator/statistics/estimated.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace sotto::aggregator {

// One of the estimates that people compare, and then read the largest of.
struct compared_estimate {
    estimated *result = nullptr;
    double least = 0; // the truth is not below: 0 of a count
    // An estimate is detected from so many standard errors on; nothing where it was not, or where
    // nothing was to be detected.
    std::optional<double> detected_from = std::nullopt;
};

// Sets estimated::widening of each, for the first of the list that is sorted by size, largest
// first, and for every beginning of it. `questions`: how many were looked at, those left out
// included; at least as many as there are estimates.
//
// Let z(p) be the point that a normal law exceeds with probability p. An estimate x of rank j has
// the next smaller one y below it, and the error s. Half its interval is the smaller of two. The
// first is z(.025 max(1, j - 1) / questions) s, the false coverage rate of the first j rows
// (Benjamini and Yekutieli, JASA 2005). The second is a s with Q(a) / Q(a - (x - y) / s) = .025,
// where Q is the upper tail. An estimate that noise made larger than y is normal above y. (Zhong
// and Prentice, Biostatistics 2008; Andrews, Kitagawa and McCloskey, Inference on Winners, QJE
// 2024.) Far above y it is 1.96 s. A detected estimate is normal above the point of detection, too:
// the second formula with that for y, where it is wider. Never is it less than 1.96 s, and never
// does it go below `least` for its rank. The noises are taken to be independent.
void allow_for_selection(std::vector<compared_estimate> estimates, std::size_t questions);

} // namespace sotto::aggregator
#endif
