// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_RAPPOR_HPP
#define SOTTO_AGGREGATOR_STATISTICS_RAPPOR_HPP

#include "aggregator/statistics/benjamini_hochberg.hpp"
#include "aggregator/statistics/bit_channel.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sotto::aggregator {

// The channel of a true bit through permanent noise f and instantaneous noise p, q. It is reported
// as one with these probabilities:
//   p* = p + f (q - p) / 2 if it is zero,   q* = q - f (q - p) / 2 if it is one.
// (Erlingsson, Pihur, Korolova, RAPPOR, CCS 2014, section 3.)
bit_channel rappor_channel(double f, double p, double q);

// The reports of one cohort at one level: how many, and how many have each bit.
struct cohort_count {
    std::uint64_t reports = 0;
    std::vector<std::uint64_t> ones; // may be empty without reports
};

// The Bloom filter of a metric of strings.
struct rappor_shape {
    std::uint32_t bits = 0, hashes = 0, cohorts = 0;
    // A report has exactly one bit: it is one of `bits` hash values, of one hash. The channel is to
    // that value, as k_randomized_response_channel.
    bool one_answer = false;

    // Numbers that the reports of a cohort tell.
    std::uint32_t rows() const { return bits - (one_answer ? 1 : 0); }
};

// The Bloom bits of a string in a cohort: 1 to `hashes` positions below `bits`, each once.
using bloom_function =
    std::function<std::vector<std::uint32_t>(const std::string &text, std::uint32_t cohort)>;

// Reports of several epochs in one: a device that holds the same string reports the same permanent
// bits again. A device's reports then vary together, and so does its cohort, whatever its bits.
struct repeated_reports {
    // How many reports come from the same device with the same string: 1 to the number of epochs.
    // It is an average over the reports, each of them included: sum of r^2 by sum of r.
    double of_a_value = 1;
    std::vector<double> permanent_flip; // f / 2, by level; read where of_a_value > 1
};

// The variance that repeated reports add to the number of these reports that have a true bit.
inline double repeated_variance(double reports, double of_a_value, double permanent_flip) {
    return (of_a_value - 1) * reports * permanent_flip * (1 - permanent_flip) /
           ((1 - 2 * permanent_flip) * (1 - 2 * permanent_flip));
}

// The rule of detection, and reports that devices repeat.
struct rappor_options {
    correction detect_by = correction::benjamini_hochberg;
    repeated_reports repeated;
};

// One candidate's count, in releases.
struct candidate_estimate {
    // How many releases hold the string; nothing for what was screened out, and where the reports
    // can't tell. They can't where its bits are a sum of other candidates' bits in every cohort
    // that has reports.
    std::optional<estimated> result;
    std::optional<estimated> pooled; // several levels, weighted by the inverse of their variance
    // The count in the best fit of all without a negative one.
    double nonnegative = 0;
    // How far one report can move the result: the most and the least that it can add to it, apart.
    double reach = 0;
    bool detected = false;    // at 5 % over all candidates, as the options say
    double detected_from = 0; // the standard errors that the estimate had to have for that
    // There are too many candidates to fit all of them, and this one was not detected.
    bool screened_out = false;
};

// All candidates, in the order given, and how well they fit.
struct candidate_fit {
    std::vector<candidate_estimate> candidates;
    // Candidates of the same bits in every cohort that has reports: by index, two or more each.
    std::vector<std::vector<std::size_t>> collisions;
    // Chi-square by degree of freedom of what the fit leaves over. About 1 when nothing but noise
    // is left. More when frequent strings are missing from the candidates, or when devices repeat
    // permanent bits unknown to us. Every variance has been multiplied by it.
    double misfit = 1;
    double freedom = 0;
    bool screened = false;
    bool levels_differ = false; // in what they tell: they are not pooled

    // Noise alone does this less than once in a million, where there are some degrees of freedom.
    bool is_misfit() const {
        return freedom > 0 && misfit - 1 > std::max(0.1, 6 * std::sqrt(2 / freedom));
    }
    // Strings that were screened out are no others.
    bool strings_are_missing() const { return !screened && is_misfit(); }
};

// P(a bit that a string does not set is one): of a random string.
inline double bloom_density(const rappor_shape &s) {
    return 1 - std::pow(1 - 1.0 / s.bits, s.hashes);
}

// Standard error of a share before there are reports, in the least-squares fit below. A string's
// bits stand out of the others' density d by a sum of squares of bits d (1 - d). Each bit has the
// variance of a coin that is one with probability P = p* + d (q* - p*). Where the string has the
// bit, P is higher by `share`. Each candidate that is fitted, and the background, takes one row of
// bits times cohorts. Without a screen no more are fitted than there can be. Without a list that
// row is taken to be much shorter. `repeated` is a report's bit's part of repeated_variance. With
// one answer a report says whether it supports the string, and the variance is that of this coin
// over (1 - d)^2.
double expected_share_error(const bit_channel &channel, const rappor_shape &shape, double reports,
                            double share, std::optional<double> candidates = std::nullopt,
                            double repeated = 0);

// More candidates than this are screened first (rappor_screen.hpp).
std::size_t most_without_screen(const rappor_shape &shape, std::size_t cohorts_with_reports);

// How often each of a known set of strings was reported.
//
// Take a cohort with n reports, at one level or over all levels. The number of its releases with
// true bit j has the unbiased estimate S_j of bit_channel.hpp. Levels are added up; and pooled,
// each with rows of its own, unless they differ in what they tell (pooled_levels.hpp). A device's
// cohort is drawn at random, so this holds:
//   E S_j / n = sum over candidates k of share_k [bit j of k in this cohort] + b d.
// Here b is the share of all other strings. Their bits are random: one with probability d = 1 - (1
// - 1/bits)^hashes. Weighted least squares over all cohorts and bits gives the shares, and b with
// them. (Section 4 of the RAPPOR paper without its LASSO: the candidates are known.) The weight of
// a cohort is the inverse of its bits' variance at density d. It depends on how many reports there
// are at each level and not on their content, so the estimate is unbiased.
//
// The covariance is that of the estimator as it is. It has two parts: the noise of every bit, and
// the cohort that each release fell into. R reports of one value multiply the second by R. To a
// report's share of the first they add (R - 1) (f/2) (1 - f/2) / (1 - f)^2. With 200 degrees of
// freedom and more, the residual of the fit says how much there really is of both. R then is only
// the upper limit, and no less than R = 1 is ever said. With fewer, where the residual is more than
// it should be, intervals and detection go by Student's law.
//
// Too many candidates are screened: a non-negative lasso lets some in, those are fitted and
// detection asks which of all candidates are there. The detected ones are fitted once more alone.
// They are then the ones that noise made large, too large on average where they are rare. Intervals
// are pointwise until allow_for_selection widens them.
//
// Detection allows for the skewness that the bits of few devices have, each of a coin of the
// density d. Far out in its tail, a sum of some dozen coins follows no normal law yet.
//
// Where a report is one answer the bits of a cohort add up to 1, so that they tell one number less.
// Their covariance is that of a choice among them. Let n s_j of n reports have hash value j. Let g
// be the channel's gain, and c its chance of another value. A sum of a_j S_j / n has this variance:
//   [sum a_j^2 (c + g (1 - g) s_j) - c^2 A^2 - 2 c g A sum a_j s_j] / (n g^2),   A = sum a_j.
//
// The same equations with no share below zero give `nonnegative`. Intervals and detection rest on
// the unbiased estimate. `counts` is by level, then cohort.
candidate_fit estimate_rappor(std::span<const std::vector<cohort_count>> counts,
                              std::span<const bit_channel> channels, const rappor_shape &shape,
                              const bloom_function &bloom, std::span<const std::string> candidates,
                              const rappor_options &options = {});

// Intervals of all results, for whoever reads the largest first, or what was detected.
void allow_for_selection(candidate_fit &fit);

} // namespace sotto::aggregator
#endif
