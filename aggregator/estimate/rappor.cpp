// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/rappor.hpp"

#include "aggregator/estimate/benjamini_hochberg.hpp"
#include "aggregator/estimate/symmetric_inverse.hpp"

#include <Eigen/Core>
#include <cmath>
#include <limits>

namespace sotto::aggregator {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double detection_rate = 0.05;

// One cohort, all its levels together.
struct cohort_rows {
    double reports = 0;
    double weight = 0;                               // of each of its rows
    VectorXd share;                                  // of the releases with each bit: unbiased
    VectorXd noise;                                  // variance of that, given the true bits
    VectorXd fitted;                                 // what the estimated shares make of it
    std::vector<std::vector<std::uint32_t>> bits_of; // by candidate
    std::vector<std::vector<Eigen::Index>> with_bit; // candidates, by bit
};

class fit {
  public:
    fit(std::span<const std::vector<cohort_count>> counts, std::span<const bit_channel> channels,
        const rappor_shape &shape, const bloom_function &bloom,
        std::span<const std::string> candidates)
        : shape_(shape), density_(1 - std::pow(1 - 1.0 / shape.bits, shape.hashes)),
          candidates_(static_cast<Eigen::Index>(candidates.size())) {
        for (std::uint32_t c = 0; c < shape.cohorts; ++c) {
            cohort_rows rows = make_rows(counts, channels, c);
            if (rows.reports > 0) {
                hash(rows, c, bloom, candidates);
                reports_ += rows.reports;
                cohorts_.push_back(std::move(rows));
            }
        }
    }

    candidate_fit solve() {
        candidate_fit out;
        out.candidates.resize(static_cast<std::size_t>(candidates_));
        if (cohorts_.empty()) {
            return out;
        }
        inverse_ = invert_symmetric(normal_matrix());
        shares_ = inverse_.matrix * right_side();
        noise_ = chance_ = VectorXd::Zero(candidates_ + 1);
        for (cohort_rows &rows : cohorts_) {
            add_variance(rows);
        }
        chance_ += (shares_.cwiseAbs2() - shares_) / reports_; // see add_variance
        set_misfit(out);
        report(out);
        return out;
    }

  private:
    cohort_rows make_rows(std::span<const std::vector<cohort_count>> counts,
                          std::span<const bit_channel> channels, std::uint32_t cohort) const {
        const auto bits = static_cast<Eigen::Index>(shape_.bits);
        cohort_rows rows;
        rows.share = rows.noise = VectorXd::Zero(bits);
        double typical = 0; // variance of a bit's total at the density of unknown strings
        for (std::size_t level = 0; level < counts.size(); ++level) {
            const cohort_count &count = counts[level][cohort];
            const bit_channel &channel = channels[level];
            if (count.reports == 0) {
                continue;
            }
            const auto n = static_cast<double>(count.reports);
            rows.reports += n;
            typical +=
                bit_channel_variance(n, density_ * n, channel) + n * density_ * (1 - density_);
            for (Eigen::Index j = 0; j < bits; ++j) {
                const level_count one[] = {
                    {count.reports, count.ones[static_cast<std::size_t>(j)]}};
                const estimated total = estimate_bit_channel(one, {&channel, 1});
                rows.share[j] += total.value;
                rows.noise[j] += total.std_error * total.std_error;
            }
        }
        if (rows.reports > 0) {
            rows.share /= rows.reports;
            rows.noise /= rows.reports * rows.reports;
            rows.weight = rows.reports * rows.reports / typical;
        }
        return rows;
    }

    void hash(cohort_rows &rows, std::uint32_t cohort, const bloom_function &bloom,
              std::span<const std::string> candidates) const {
        rows.with_bit.resize(shape_.bits);
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            rows.bits_of.push_back(bloom(candidates[k], cohort));
            for (const std::uint32_t j : rows.bits_of.back()) {
                rows.with_bit[j].push_back(static_cast<Eigen::Index>(k));
            }
        }
    }

    // X' W X, X with a row for each cohort and bit, a column for each candidate and, last, one for
    // all other strings. Nearly all of X is zero, so it is never written out.
    MatrixXd normal_matrix() const {
        MatrixXd normal = MatrixXd::Zero(candidates_ + 1, candidates_ + 1);
        for (const cohort_rows &rows : cohorts_) {
            for (const auto &having : rows.with_bit) {
                for (const Eigen::Index a : having) {
                    for (const Eigen::Index b : having) {
                        normal(a, b) += rows.weight;
                    }
                    normal(a, candidates_) += rows.weight * density_;
                    normal(candidates_, a) += rows.weight * density_;
                }
                normal(candidates_, candidates_) += rows.weight * density_ * density_;
            }
        }
        return normal;
    }

    VectorXd right_side() const {
        VectorXd right = VectorXd::Zero(candidates_ + 1);
        for (const cohort_rows &rows : cohorts_) {
            for (std::size_t j = 0; j < rows.with_bit.size(); ++j) {
                const double weighted = rows.weight * rows.share[static_cast<Eigen::Index>(j)];
                for (const Eigen::Index k : rows.with_bit[j]) {
                    right[k] += weighted;
                }
                right[candidates_] += weighted * density_;
            }
        }
        return right;
    }

    // The estimate is a sum of G_c share_c over cohorts. Adds G_c noise_c G_c', and of which cohort
    // a release falls into: one of string k in cohort c moves the estimate by m_kc = G_c x_ck /
    // n_c, whose mean over the cohorts is e_k / n. Shuffling n releases into cohorts of given sizes
    // has the variance, but for a factor n / (n - 1),
    //   sum over k of n share_k Var_c(m_kc) - n Var_c(sum over k of share_k m_kc),
    // Var_c taken with probabilities n_c / n. Of other strings every bit is a coin of its own. Only
    // the diagonal; the estimated shares are taken as they are, below zero too, so that what they
    // add is right on average.
    void add_variance(cohort_rows &rows) {
        const auto bits = static_cast<Eigen::Index>(shape_.bits);
        MatrixXd g(candidates_ + 1, bits);
        rows.fitted = VectorXd::Constant(bits, shares_[candidates_] * density_);
        for (Eigen::Index j = 0; j < bits; ++j) {
            g.col(j) = density_ * inverse_.matrix.col(candidates_);
            for (const Eigen::Index k : rows.with_bit[static_cast<std::size_t>(j)]) {
                g.col(j) += inverse_.matrix.col(k);
                rows.fitted[j] += shares_[k];
            }
        }
        g *= rows.weight;
        noise_ += g.cwiseAbs2() * rows.noise;
        for (Eigen::Index k = 0; k < candidates_; ++k) {
            VectorXd moved = VectorXd::Zero(candidates_ + 1);
            for (const std::uint32_t j : rows.bits_of[static_cast<std::size_t>(k)]) {
                moved += g.col(static_cast<Eigen::Index>(j));
            }
            chance_ += shares_[k] / rows.reports * moved.cwiseAbs2();
        }
        chance_ += shares_[candidates_] / rows.reports *
                   (density_ * (1 - density_) * g.cwiseAbs2().rowwise().sum() +
                    density_ * density_ * g.rowwise().sum().cwiseAbs2());
        chance_ -= (g * rows.fitted).cwiseAbs2() / rows.reports;
    }

    void set_misfit(candidate_fit &out) const {
        double chi_square = 0;
        Eigen::Index rows_count = 0;
        for (const cohort_rows &rows : cohorts_) {
            for (Eigen::Index j = 0; j < rows.share.size(); ++j) {
                const double s = std::clamp(rows.fitted[j], 0.0, 1.0);
                const double variance = rows.noise[j] + s * (1 - s) / rows.reports;
                const double left = rows.share[j] - rows.fitted[j];
                chi_square += variance > 0 ? left * left / variance : 0;
            }
            rows_count += rows.share.size();
        }
        if (rows_count > inverse_.rank) {
            out.freedom = static_cast<double>(rows_count - inverse_.rank);
            out.misfit = chi_square / out.freedom;
        }
    }

    void report(candidate_fit &out) const {
        std::vector<double> p_values;
        for (Eigen::Index k = 0; k < candidates_; ++k) {
            if (!inverse_.determined[static_cast<std::size_t>(k)]) {
                p_values.push_back(std::numeric_limits<double>::quiet_NaN());
                continue;
            }
            estimated r;
            r.value = shares_[k] * reports_;
            r.std_error = reports_ * std::sqrt((noise_[k] + std::max(0.0, chance_[k])) *
                                               std::max(1.0, out.misfit));
            r.reports = static_cast<std::uint64_t>(reports_);
            p_values.push_back(normal_upper_tail(r.value / r.std_error));
            out.candidates[static_cast<std::size_t>(k)].result = r;
        }
        const std::vector<bool> detected = benjamini_hochberg(p_values, detection_rate);
        for (std::size_t k = 0; k < detected.size(); ++k) {
            out.candidates[k].detected = detected[k];
        }
    }

    rappor_shape shape_;
    double density_;
    Eigen::Index candidates_;
    double reports_ = 0;
    std::vector<cohort_rows> cohorts_;
    symmetric_inverse inverse_;
    VectorXd shares_;         // of the candidates and, last, of all other strings
    VectorXd noise_, chance_; // variances of the shares: of the bits, and of who is in which cohort
};

} // namespace

bit_channel rappor_channel(double f, double p, double q) {
    const double half = f * (q - p) / 2;
    return {p + half, q - half};
}

double expected_share_error(const bit_channel &channel, const rappor_shape &shape, double reports,
                            double share, std::optional<double> candidates) {
    const double d = bloom_density(shape), gain = channel.one_if_one - channel.one_if_zero;
    const double one = channel.one_if_zero + (d + share * (1 - d)) * gain;
    const double rows = static_cast<double>(shape.bits) * shape.cohorts;
    const double left = candidates ? 1 - (*candidates + 1) / rows : 1;
    return std::sqrt(one * (1 - one) / (gain * gain * reports * shape.bits * d * (1 - d) * left));
}

candidate_fit estimate_rappor(std::span<const std::vector<cohort_count>> counts,
                              std::span<const bit_channel> channels, const rappor_shape &shape,
                              const bloom_function &bloom,
                              std::span<const std::string> candidates) {
    return fit(counts, channels, shape, bloom, candidates).solve();
}

} // namespace sotto::aggregator
