// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/rappor.hpp"

#include "aggregator/statistics/nonnegative.hpp"
#include "aggregator/statistics/pooled_levels.hpp"
#include "aggregator/statistics/rappor_design.hpp"
#include "aggregator/statistics/rappor_screen.hpp"
#include "aggregator/statistics/selective_intervals.hpp"
#include "aggregator/statistics/symmetric_inverse.hpp"

#include <Eigen/Core>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace sotto::aggregator {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double detection_rate = 0.05;
constexpr double interval_rate = 0.05;
// Time grows with the cube: an inverse of this size takes a quarter of a second.
constexpr std::size_t most_unknowns = 1000;
// From here on the misfit is known to 10 %.
constexpr double enough_freedom = 200;

// A fit's residual by degree of freedom, and how many degrees there are. Where it widens, and is
// not known well, an estimate by its standard error has Student's law.
struct leftover {
    double misfit = 1, freedom = 0;

    bool is_rough() const { return misfit > 1 && freedom > 0 && freedom < enough_freedom; }
    double upper_tail(double z) const {
        return is_rough() ? t_upper_tail(z, freedom) : normal_upper_tail(z);
    }
    double upper_point(double tail) const {
        return is_rough() ? t_upper_point(tail, freedom) : normal_upper_point(tail);
    }
};

// A fit of some candidates of a design.
class fit {
  public:
    fit(const rappor_design &design, const std::vector<std::size_t> &chosen, double repeats)
        : design_(design), chosen_(chosen), size_(static_cast<Index>(chosen.size())),
          repeats_(repeats) {
        const auto bits = static_cast<std::size_t>(design.shape().bits);
        for (std::size_t c = 0; c < design.cohorts().size(); ++c) {
            with_bit_.emplace_back(bits);
            for (Index k = 0; k < size_; ++k) {
                for (const std::uint16_t j : bits_of(c, k)) {
                    with_bit_.back()[j].push_back(k);
                }
            }
        }
        const MatrixXd normal = normal_matrix();
        const VectorXd right = right_side();
        inverse_ = invert_symmetric(normal);
        shares_ = inverse_.matrix * right;
        nonnegative_ = nonnegative_least_squares(normal, right);
        noise_ = noise_once_ = third_ = chance_ = reach_ = VectorXd::Zero(size_ + 1);
        for (std::size_t c = 0; c < design.cohorts().size(); ++c) {
            add_variance(c);
        }
        chance_ += (shares_.cwiseAbs2() - shares_) / design.reports(); // see add_variance
        // One answer: the shares of a cohort add up to 1 in every fit, which takes a row of it and
        // one unknown.
        const bool is_answer = design.shape().one_answer;
        freedom_ = static_cast<double>(design.cohorts().size() * design.shape().rows()) -
                   static_cast<double>(inverse_.rank) + (is_answer ? 1 : 0);
    }

    double freedom() const { return std::max(0.0, freedom_); }
    leftover left() const { return {freedom_ > 0 ? chi_square_ / freedom_ : 1, freedom()}; }
    // A lasso that chose these among many has as many degrees of freedom as it lets in. (Zou,
    // Hastie and Tibshirani, Annals of Statistics 2007.)
    leftover left(std::size_t let_in) const {
        const double more = std::max(0.0, static_cast<double>(let_in) - static_cast<double>(size_));
        const double freedom = std::max(1.0, freedom_ - more);
        return {chi_square_ / freedom, freedom};
    }

    // The i-th of those chosen.
    bool determined(Index i) const { return inverse_.determined[static_cast<std::size_t>(i)]; }
    double nonnegative(Index i) const { return nonnegative_[i] * design_.reports(); }
    double reach(Index i) const { return reach_[i] * design_.reports(); }

    // The skewness of the noise, at most: were all reports of a device the same, there would be R
    // times less.
    double skewness(Index i) const {
        return noise_once_[i] > 0 ? std::sqrt(repeats_) * third_[i] / std::pow(noise_once_[i], 1.5)
                                  : 0;
    }

    estimated result(Index i) const {
        estimated r = result(i, left());
        r.errors_wide = left().upper_point(interval_rate / 2);
        return r;
    }
    // Were that left over.
    estimated result(Index i, const leftover &left) const {
        const double chance = std::max(0.0, chance_[i]);
        const double most = noise_[i] + repeats_ * chance, least = noise_once_[i] + chance;
        const double variance = freedom_ >= enough_freedom ? std::max(left.misfit * most, least)
                                                           : std::max(1.0, left.misfit) * most;
        estimated r;
        r.value = shares_[i] * design_.reports();
        r.std_error = design_.reports() * std::sqrt(variance);
        r.reports = static_cast<std::uint64_t>(design_.reports());
        return r;
    }

  private:
    std::span<const std::uint16_t> bits_of(std::size_t cohort, Index i) const {
        return design_.bits(cohort, chosen_[static_cast<std::size_t>(i)]);
    }

    // X' W X. Never is X written out.
    MatrixXd normal_matrix() const {
        MatrixXd normal = MatrixXd::Zero(size_ + 1, size_ + 1);
        const double d = design_.density();
        for (std::size_t c = 0; c < with_bit_.size(); ++c) {
            const double weight = design_.cohorts()[c].weight;
            for (const auto &having : with_bit_[c]) {
                for (const Index a : having) {
                    for (const Index b : having) {
                        normal(a, b) += weight;
                    }
                    normal(a, size_) += weight * d;
                    normal(size_, a) += weight * d;
                }
                normal(size_, size_) += weight * d * d;
            }
        }
        return normal;
    }

    VectorXd right_side() const {
        VectorXd right = VectorXd::Zero(size_ + 1);
        for (std::size_t c = 0; c < with_bit_.size(); ++c) {
            const auto &cohort = design_.cohorts()[c];
            for (std::size_t j = 0; j < with_bit_[c].size(); ++j) {
                const double weighted = cohort.weight * cohort.share[static_cast<Index>(j)];
                for (const Index k : with_bit_[c][j]) {
                    right[k] += weighted;
                }
                right[size_] += weighted * design_.density();
            }
        }
        return right;
    }

    // The estimate is a sum of G_c share_c over cohorts. Adds G_c noise_c G_c', and the chance by
    // which a release falls into a cohort. A release of string k in cohort c moves the estimate by
    // m_kc = G_c x_ck / n_c. Its mean over the cohorts is e_k / n. Shuffling n releases into
    // cohorts of given sizes has this variance, but for a factor n / (n - 1):
    //   sum over k of n share_k Var_c(m_kc) - n Var_c(sum over k of share_k m_kc).
    // Var_c is taken with probabilities n_c / n. Every bit of other strings is a coin of its own.
    // Only the diagonal. The estimated shares are taken as they are, below zero too, so that they
    // add the right amount on average.
    void add_variance(std::size_t c) {
        const auto &cohort = design_.cohorts()[c];
        const double d = design_.density();
        const auto bits = static_cast<Index>(with_bit_[c].size());
        MatrixXd g(size_ + 1, bits);
        VectorXd fitted = VectorXd::Constant(bits, shares_[size_] * d);
        for (Index j = 0; j < bits; ++j) {
            g.col(j) = d * inverse_.matrix.col(size_);
            for (const Index k : with_bit_[c][static_cast<std::size_t>(j)]) {
                g.col(j) += inverse_.matrix.col(k);
                fitted[j] += shares_[k];
            }
        }
        g *= cohort.weight;
        const MatrixXd squares = g.cwiseAbs2();
        noise_ += squares * cohort.noise;
        noise_once_ += squares * cohort.noise_once;
        const bool is_answer = design_.shape().one_answer;
        if (is_answer) {
            const VectorXd sums = g.rowwise().sum();
            const VectorXd less = sums.cwiseProduct(cohort.of_sum * sums + g * cohort.of_bit);
            noise_ -= less;
            noise_once_ -= less;
        }
        third_ += cohort.third * squares.cwiseProduct(g).rowwise().sum();
        const VectorXd moves = is_answer ? VectorXd(g.rowwise().maxCoeff() - g.rowwise().minCoeff())
                                         : VectorXd(g.cwiseAbs().rowwise().sum());
        reach_ = reach_.cwiseMax(moves / (cohort.reports * cohort.gain));
        VectorXd moved(size_ + 1);
        for (Index k = 0; k < size_; ++k) {
            moved.setZero();
            for (const std::uint16_t j : bits_of(c, k)) {
                moved += g.col(j);
            }
            chance_ += shares_[k] / cohort.reports * moved.cwiseAbs2();
        }
        // Another string has one bit of all, or each with the chance d.
        const VectorXd alone = squares.rowwise().sum(), together = g.rowwise().sum().cwiseAbs2();
        chance_ +=
            shares_[size_] / cohort.reports *
            (is_answer ? VectorXd(d * alone) : VectorXd(d * (1 - d) * alone + d * d * together));
        chance_ -= (g * fitted).cwiseAbs2() / cohort.reports;
        add_misfit(cohort, fitted);
    }

    void add_misfit(const rappor_design::cohort &cohort, const VectorXd &fitted) {
        for (Index j = 0; j < fitted.size(); ++j) {
            const double s = std::clamp(fitted[j], 0.0, 1.0);
            // One answer: over its expectation, as Pearson has it, for the sum of them is no
            // chance.
            const double spread = design_.shape().one_answer ? s : s * (1 - s);
            const double variance = cohort.noise[j] + repeats_ * spread / cohort.reports;
            const double left = cohort.share[j] - fitted[j];
            chi_square_ += variance > 0 ? left * left / variance : 0;
        }
    }

    const rappor_design &design_;
    const std::vector<std::size_t> &chosen_;
    Index size_;
    double repeats_;
    std::vector<std::vector<std::vector<Index>>> with_bit_; // candidates, by cohort and bit
    symmetric_inverse inverse_;
    VectorXd shares_, nonnegative_; // candidates first, then all other strings
    // Variances of the shares: of the bits, of the bits did nobody repeat any, and of who is in
    // which cohort.
    VectorXd noise_, noise_once_, chance_;
    VectorXd third_; // central moments of the bits
    VectorXd reach_; // effect of a true bit more or less in each place
    double chi_square_ = 0, freedom_ = 0;
};

double p_value(double z, double skewness, const leftover &left) {
    return std::max(left.upper_tail(z), skew_upper_tail(z, skewness));
}

// The z from which on it is at most `highest`.
double detection_point(double highest, double skewness, const leftover &left) {
    double low = 0, high = 40;
    for (int i = 0; i < 50; ++i) {
        const double middle = (low + high) / 2;
        (p_value(middle, skewness, left) > highest ? low : high) = middle;
    }
    return high;
}

// For the candidates that the fit was made of: how many standard errors an estimate had to have to
// be detected. Nothing where it was not detected. `tests` candidates were looked at.
std::vector<std::optional<double>> detected(const fit &fitted, std::size_t count, std::size_t tests,
                                            correction by, const leftover &left) {
    std::vector<double> p_values;
    for (std::size_t i = 0; i < count; ++i) {
        if (fitted.determined(static_cast<Index>(i))) {
            const estimated found = fitted.result(static_cast<Index>(i), left);
            p_values.push_back(p_value(found.value / found.std_error,
                                       fitted.skewness(static_cast<Index>(i)), left));
        } else {
            p_values.push_back(std::numeric_limits<double>::quiet_NaN());
        }
    }
    p_values.resize(tests, 1.0); // screened out
    const std::vector<bool> found = detect(p_values, detection_rate, by);
    const double highest = detection_level(p_values, found, detection_rate, by);
    std::vector<std::optional<double>> out(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (found[i]) {
            out[i] = detection_point(highest, fitted.skewness(static_cast<Index>(i)), left);
        }
    }
    return out;
}

void publish(candidate_fit &out, const fit &fitted, const std::vector<std::size_t> &chosen) {
    out.misfit = fitted.left().misfit;
    out.freedom = fitted.freedom();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        candidate_estimate &candidate = out.candidates[chosen[i]];
        candidate.nonnegative = fitted.nonnegative(static_cast<Index>(i));
        candidate.reach = fitted.reach(static_cast<Index>(i));
        if (fitted.determined(static_cast<Index>(i))) {
            candidate.result = fitted.result(static_cast<Index>(i));
        }
    }
}

// A lasso takes any one of several strings with the same bits for all of them: so all, or none.
std::vector<std::size_t> with_twins(const std::vector<std::size_t> &in,
                                    const std::vector<std::vector<std::size_t>> &collisions) {
    std::set<std::size_t> chosen(in.begin(), in.end());
    for (const std::vector<std::size_t> &those : collisions) {
        if (std::any_of(those.begin(), those.end(),
                        [&](std::size_t k) { return chosen.contains(k); })) {
            chosen.insert(those.begin(), those.end());
        }
    }
    return {chosen.begin(), chosen.end()};
}

// Noise brings candidates past the screen, which take from the shares of those that are there, and
// from the misfit. So the detected ones are fitted once more without the others, and must be
// detected once more with the misfit of that fit. Candidates that can't be told apart stay, for the
// share they take.
struct screened_in {
    std::vector<std::size_t> kept;
    std::map<std::size_t, double> detected; // and from how many standard errors on
    std::size_t looked_at = 0;              // by the fit that they were detected in
};
screened_in find(const rappor_design &design, const rappor_options &options) {
    const std::size_t most = most_without_screen(design.shape(), design.distinct_cohorts());
    const double repeats = options.repeated.of_a_value;
    const std::vector<std::size_t> in = with_twins(screen(design, most), design.collisions());
    const fit first(design, in, repeats);
    const auto chosen = [&](const leftover &left) {
        const auto found = detected(first, in.size(), design.candidates(), options.detect_by, left);
        screened_in those = {{}, {}, in.size()};
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (found[i]) {
                those.detected.emplace(in[i], *found[i]);
            }
            if (found[i] || !first.determined(static_cast<Index>(i))) {
                those.kept.push_back(in[i]);
            }
        }
        return those;
    };
    const leftover once = first.left(), again = fit(design, chosen(once).kept, repeats).left();
    return chosen(again.misfit > once.misfit ? again : once);
}

void fit_after_screen(candidate_fit &out, const rappor_design &design,
                      const rappor_options &options) {
    const screened_in found = find(design, options);
    const fit last(design, found.kept, options.repeated.of_a_value);
    publish(out, last, found.kept);
    for (candidate_estimate &candidate : out.candidates) {
        candidate.screened_out = true;
    }
    for (const std::size_t k : found.kept) {
        out.candidates[k].screened_out = false;
        out.candidates[k].result.reset();
    }
    const leftover left = last.left(found.looked_at);
    out.misfit = left.misfit;
    for (std::size_t i = 0; i < found.kept.size(); ++i) {
        candidate_estimate &candidate = out.candidates[found.kept[i]];
        const auto at = found.detected.find(found.kept[i]);
        if (at != found.detected.end() && last.determined(static_cast<Index>(i))) {
            candidate.detected = true;
            candidate.detected_from = at->second;
            candidate.result = last.result(static_cast<Index>(i), left);
            candidate.result->errors_wide = left.upper_point(interval_rate / 2);
        }
    }
}

candidate_fit fit_candidates(const rappor_design &design, const rappor_options &options) {
    candidate_fit out;
    out.candidates.resize(design.candidates());
    if (design.cohorts().empty()) {
        return out;
    }
    out.collisions = design.collisions();
    if (const std::size_t most = most_without_screen(design.shape(), design.distinct_cohorts());
        design.candidates() > most) {
        out.screened = true;
        fit_after_screen(out, design, options);
        return out;
    }
    std::vector<std::size_t> everybody(design.candidates());
    std::iota(everybody.begin(), everybody.end(), std::size_t{0});
    const fit fitted(design, everybody, options.repeated.of_a_value);
    publish(out, fitted, everybody);
    const auto found =
        detected(fitted, everybody.size(), everybody.size(), options.detect_by, fitted.left());
    for (std::size_t k = 0; k < found.size(); ++k) {
        out.candidates[k].detected = found[k].has_value();
        out.candidates[k].detected_from = found[k].value_or(0);
    }
    return out;
}

bool several_levels(std::span<const std::vector<cohort_count>> counts) {
    return std::count_if(counts.begin(), counts.end(), [](const auto &level) {
               return std::any_of(level.begin(), level.end(),
                                  [](const cohort_count &c) { return c.reports > 0; });
           }) > 1;
}

// By how much pooling has moved each candidate, in standard errors. The difference to a better
// estimator has the difference of the variances (Hausman, Econometrica 1978). Both are estimates
// themselves: where they nearly agree it is taken to be a twentieth.
std::vector<double> apart(const candidate_fit &pooled, const candidate_fit &added) {
    std::vector<double> out;
    for (std::size_t k = 0; k < added.candidates.size(); ++k) {
        const auto &better = pooled.candidates[k].result, &plain = added.candidates[k].result;
        if (better && plain) {
            const double least = plain->std_error * plain->std_error / 20;
            const double variance =
                plain->std_error * plain->std_error - better->std_error * better->std_error;
            out.push_back((better->value - plain->value) / std::sqrt(std::max(variance, least)));
        }
    }
    return out;
}

} // namespace

bit_channel rappor_channel(double f, double p, double q) {
    const double half = f * (q - p) / 2;
    return {p + half, q - half};
}

double expected_share_error(const bit_channel &channel, const rappor_shape &shape, double reports,
                            double share, std::optional<double> candidates, double repeated) {
    const double d = bloom_density(shape), gain = channel.one_if_one - channel.one_if_zero;
    const double if_one = channel.one_if_zero + (d + share * (1 - d)) * gain;
    const double rows = static_cast<double>(shape.rows()) * shape.cohorts;
    const auto most = static_cast<double>(most_without_screen(shape, shape.cohorts));
    const double left = candidates ? 1 - (std::min(*candidates, most) + 1) / rows : 1;
    const double bit = if_one * (1 - if_one) / (gain * gain) + repeated;
    const double squares = shape.one_answer ? (1 - d) * (1 - d) : shape.bits * d * (1 - d);
    return std::sqrt(bit / (reports * squares * left));
}

std::size_t most_without_screen(const rappor_shape &shape, std::size_t cohorts_with_reports) {
    const auto rows = static_cast<double>(shape.rows() * cohorts_with_reports);
    return std::min(most_unknowns, static_cast<std::size_t>(0.8 * rows));
}

candidate_fit estimate_rappor(std::span<const std::vector<cohort_count>> counts,
                              std::span<const bit_channel> channels, const rappor_shape &shape,
                              const bloom_function &bloom, std::span<const std::string> candidates,
                              const rappor_options &options) {
    const auto fit_to = [&](levels how) {
        return fit_candidates(
            rappor_design(counts, channels, shape, bloom, candidates, options.repeated, how),
            options);
    };
    candidate_fit added = fit_to(levels::added_up);
    if (!several_levels(counts)) {
        return added;
    }
    const candidate_fit pooled = fit_to(levels::pooled);
    added.levels_differ = levels_differ(apart(pooled, added));
    for (std::size_t k = 0; k < candidates.size() && !added.levels_differ; ++k) {
        added.candidates[k].pooled = pooled.candidates[k].result;
    }
    return added;
}

void allow_for_selection(candidate_fit &fit) {
    std::vector<compared_estimate> compared;
    std::size_t questions = 0;
    for (candidate_estimate &candidate : fit.candidates) {
        if (candidate.result) {
            compared.push_back(
                {&*candidate.result, 0,
                 candidate.detected ? std::optional(candidate.detected_from) : std::nullopt});
        }
        questions += candidate.result || candidate.screened_out ? 1 : 0;
    }
    allow_for_selection(std::move(compared), questions);
}

} // namespace sotto::aggregator
