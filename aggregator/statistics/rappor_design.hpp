// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_RAPPOR_DESIGN_HPP
#define SOTTO_AGGREGATOR_STATISTICS_RAPPOR_DESIGN_HPP

#include "aggregator/statistics/rappor.hpp"

#include <Eigen/Core>

namespace sotto::aggregator {

// Levels of a cohort share one equation for each bit, which adds them up, or have equations of
// their own of the same shares. Least squares then weights each by the inverse of its variance.
enum class levels { added_up, pooled };

// The equations of rappor.hpp. There is a row for each bit of each cohort that has reports, and a
// column for each candidate. One more column, not written out, is for all other strings. Nearly all
// of it is zero.
class rappor_design {
  public:
    // One cohort: all its levels together, or one of them.
    struct cohort {
        double reports = 0;
        double gain = 1;            // the least difference that a true bit makes to a reported one
        double weight = 0;          // each row's
        Eigen::VectorXd share;      // share of releases with each bit: unbiased
        Eigen::VectorXd noise;      // variance of that, given the true bits
        Eigen::VectorXd noise_once; // the same, did no device report a value twice
        double third = 0;           // central moment, as that, of a bit of unknown strings
        // One answer: what `noise` has too much, of a sum of bits with factors that add up to A. It
        // is A (of_sum A + the factors times `of_bit`).
        double of_sum = 0;
        Eigen::VectorXd of_bit;
    };

    rappor_design(std::span<const std::vector<cohort_count>> counts,
                  std::span<const bit_channel> channels, const rappor_shape &shape,
                  const bloom_function &bloom, std::span<const std::string> candidates,
                  const repeated_reports &repeated, levels how);

    std::size_t candidates() const { return candidates_; }
    const std::vector<cohort> &cohorts() const { return cohorts_; }
    // Each once, whatever its levels.
    std::size_t distinct_cohorts() const { return distinct_; }
    double reports() const { return reports_; }
    const rappor_shape &shape() const { return shape_; }
    // The probability that a bit of an unknown string is set.
    double density() const { return density_; }

    // The bits of a candidate in the i-th cohort that has reports.
    std::span<const std::uint16_t> bits(std::size_t at_cohort, std::size_t candidate) const {
        const std::size_t i = at_cohort * candidates_ + candidate;
        return {&bits_[i * shape_.hashes], sizes_[i]};
    }

    // As candidate_fit::collisions.
    std::vector<std::vector<std::size_t>> collisions() const;

  private:
    // From level `first` to before `end`.
    cohort make_cohort(std::span<const std::vector<cohort_count>> counts,
                       std::span<const bit_channel> channels, std::uint32_t number,
                       const repeated_reports &repeated, std::size_t first, std::size_t end) const;
    void add_bits(std::uint32_t number, const bloom_function &bloom,
                  std::span<const std::string> candidates);

    rappor_shape shape_;
    double density_;
    std::size_t candidates_, distinct_ = 0;
    double reports_ = 0;
    std::vector<cohort> cohorts_;
    std::vector<std::uint16_t> bits_; // `hashes` places for each, the first `sizes_` of them used
    std::vector<std::uint8_t> sizes_;
};

} // namespace sotto::aggregator
#endif
