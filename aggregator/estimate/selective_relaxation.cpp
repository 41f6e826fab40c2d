// SPDX-License-Identifier: Apache-2.0
#include "aggregator/estimate/selective_relaxation.hpp"

#include "aggregator/mechanism/mechanism.hpp"
#include "aggregator/statistics/consistent.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

namespace sotto::aggregator {
namespace {

using numbers = std::vector<double>;

// Outcomes that show the same level last:
//   P(o | x) = times_o (all + own [o == x]),
// o being the last value. The first value is in `times` alone, so it matters no further.
struct outcome_group {
    double total = 0, own = 0;
    numbers times, counts;

    double gain(double share) const { return own / (total + own * share); }
};

outcome_group group_of(double keep, const std::vector<std::uint64_t> &counts) {
    const auto size = static_cast<double>(counts.size());
    return {(1 - keep) / size, keep, numbers(counts.size()), {counts.begin(), counts.end()}};
}

std::vector<outcome_group> groups_of(const relaxation_outcomes &outcomes) {
    const std::size_t size = outcomes.kept.size();
    std::vector<outcome_group> groups = {group_of(outcomes.keep_first, outcomes.kept)};
    numbers totals(outcomes.kept.begin(), outcomes.kept.end()); // releases, by the value said first
    for (const auto &at : outcomes.relaxed) {
        std::transform(totals.begin(), totals.end(), at.from.begin(), totals.begin(),
                       std::plus<>());
    }
    for (std::size_t v = 0; v < size; ++v) {
        groups[0].times[v] = totals[v] > 0 ? groups[0].counts[v] / totals[v] : 1;
    }
    for (const auto &at : outcomes.relaxed) {
        outcome_group &group = groups.emplace_back(group_of(at.keep, at.counts));
        const double same = outcomes.keep_first / at.keep;
        double any = 0; // is relaxed
        for (std::size_t v = 0; v < size; ++v) {
            const double relaxed = totals[v] > 0 ? static_cast<double>(at.from[v]) / totals[v] : 0;
            any += relaxed;
            group.times[v] = same * relaxed;
        }
        for (double &times : group.times) {
            times += (1 - same) / static_cast<double>(size) * any;
        }
    }
    return groups;
}

// The weights that are best were the values as frequent as `shares`, s. In closed form P W P' is
// 11' + (I - 1s') D (I - s1') with a diagonal D. For an outcome o that may weigh `gain` g:
//   h_ox = s_x + g ([o == x] - e_o) / D_x,   e = D^-1 1 / 1' D^-1 1.
class weights {
  public:
    weights(const std::vector<outcome_group> &groups, numbers shares)
        : groups_(groups), s_(std::move(shares)), d_(s_.size()), e_(s_.size()) {
        for (const outcome_group &group : groups_) {
            for (std::size_t o = 0; o < s_.size(); ++o) {
                d_[o] += group.own * group.times[o] * group.gain(s_[o]);
            }
        }
        std::transform(d_.begin(), d_.end(), e_.begin(), [](double d) { return 1 / d; });
        const double sum = std::accumulate(e_.begin(), e_.end(), 0.0);
        for (double &e : e_) {
            e /= sum;
        }
    }

    // The sum of h over all releases, by value.
    numbers estimate(double reports) const {
        numbers own(s_.size()), out(s_.size());
        double others = 0;
        for_each([&](const outcome_group &group, std::size_t o, double gain) {
            own[o] += gain * group.counts[o];
            others += gain * group.counts[o] * e_[o];
        });
        for (std::size_t x = 0; x < out.size(); ++x) {
            out[x] = s_[x] * reports + (own[x] - others) / d_[x];
        }
        return out;
    }

    // The sums of h squared and cubed that are expected of releases with these counts.
    struct powers {
        numbers squares, cubes;
    };
    powers sums_of_powers(double reports, const numbers &counts) const {
        powers out = {numbers(s_.size()), numbers(s_.size())};
        double sum[4] = {}; // sums of the powers of gain times e
        for_each([&](const outcome_group &group, std::size_t o, double gain) {
            const double n = group.times[o] * (group.total * reports + group.own * counts[o]);
            const double low = gain * e_[o], other = s_[o] - low / d_[o], rise = gain / d_[o];
            sum[0] += n;
            sum[1] += n * low;
            sum[2] += n * low * low;
            sum[3] += n * low * low * low;
            // As the one that it is, in place of one of all the others.
            out.squares[o] += n * rise * (2 * other + rise);
            out.cubes[o] += n * rise * (3 * other * other + rise * (3 * other + rise));
        });
        for (std::size_t x = 0; x < s_.size(); ++x) {
            const double s = s_[x], d = d_[x];
            out.squares[x] += s * s * sum[0] + (sum[2] / d - 2 * s * sum[1]) / d;
            out.cubes[x] +=
                s * s * s * sum[0] - (3 * s * s * sum[1] - (3 * s * sum[2] - sum[3] / d) / d) / d;
        }
        return out;
    }

    // The mean square of h of a release of the value that is asked for.
    numbers own_squares() const {
        numbers out = sums_of_powers(1, numbers(s_.size())).squares;
        for_each([&](const outcome_group &group, std::size_t o, double gain) {
            const double h = s_[o] + gain * (1 - e_[o]) / d_[o];
            out[o] += group.times[o] * group.own * h * h;
        });
        return out;
    }

    // The least and the most that one release can add, whatever its value.
    void find_extremes(double &least, double &most) const {
        numbers own(s_.size());
        double low = 0;
        for_each([&](const outcome_group &, std::size_t o, double gain) {
            own[o] = std::max(own[o], gain * (1 - e_[o]));
            low = std::max(low, gain * e_[o]);
        });
        for (std::size_t x = 0; x < s_.size(); ++x) {
            most = std::max(most, s_[x] + own[x] / d_[x]);
            least = std::min(least, s_[x] - low / d_[x]);
        }
    }

  private:
    // Outcomes that can be, with their gain.
    void for_each(const auto &visit) const {
        for (const outcome_group &group : groups_) {
            for (std::size_t o = 0; o < s_.size(); ++o) {
                if (group.times[o] > 0) {
                    visit(group, o, group.gain(s_[o]));
                }
            }
        }
    }

    const std::vector<outcome_group> &groups_;
    numbers s_, d_, e_;
};

} // namespace

namespace {

// Half of a 95 % interval, in standard errors, of a sum with that third central moment. With few
// releases that weigh much, the error that is found is low whenever the estimate is. The interval
// therefore has on both sides the longer half of the one that allows for skewness. Source: Johnson,
// Modified t Tests and Confidence Intervals for Asymmetrical Populations, JASA 1978.
double errors_wide(double third_moment, double std_error) {
    const double skewness = std_error > 0 ? std::abs(third_moment) / std::pow(std_error, 3) : 0;
    return normal_95 + (2 * normal_95 * normal_95 + 1) / 6 * skewness;
}

double reports_of(const std::vector<outcome_group> &groups) {
    double reports = 0;
    for (const outcome_group &group : groups) {
        reports = std::accumulate(group.counts.begin(), group.counts.end(), reports);
    }
    return reports;
}

// Nothing where no weights were found that keep within what a release may weigh.
std::optional<selective_estimate> estimate_within_reach(const relaxation_outcomes &outcomes) {
    const std::vector<outcome_group> groups = groups_of(outcomes);
    const std::size_t size = outcomes.kept.size();
    const double reports = reports_of(groups), even = 1 / static_cast<double>(size);
    selective_estimate out;
    out.values.resize(size);
    out.third_moments.resize(size);
    if (reports == 0) {
        return out;
    }
    // Any shares that are not the data's give an unbiased estimate, near ones a good one: so twice.
    // The evener they are, the less a release weighs whose value is rare.
    numbers able = consistent_counts(weights(groups, numbers(size, even)).estimate(reports),
                                     reports, reports, false);
    for (const double evenness : {0.01, 0.1, 0.3, 1.0}) {
        numbers shares = able;
        for (double &share : shares) {
            share = (1 - evenness) / reports * share + evenness * even;
        }
        const weights h(groups, std::move(shares));
        out.least = out.most = 0;
        h.find_extremes(out.least, out.most);
        if (out.most - out.least > selected_weight * (1 + 1e-9) / outcomes.keep_first) {
            continue;
        }
        const numbers found = h.estimate(reports);
        able = consistent_counts(found, reports, reports, false);
        const auto [squares, cubes] = h.sums_of_powers(reports, able);
        const numbers own = h.own_squares();
        for (std::size_t x = 0; x < size; ++x) {
            // The mean is 0 for a release of another value, 1 for one of this.
            out.third_moments[x] = cubes[x] - able[x] * (3 * own[x] - 2);
            const double std_error = std::sqrt(std::max(0.0, squares[x] - able[x]));
            out.values[x] = {found[x], std_error, static_cast<std::uint64_t>(reports),
                             errors_wide(out.third_moments[x], std_error)};
        }
        return out;
    }
    return std::nullopt;
}

std::uint64_t releases_at(const relaxation_outcomes::level &at) {
    return std::accumulate(at.from.begin(), at.from.end(), std::uint64_t{0});
}

} // namespace

selective_estimate estimate_selectively_relaxed(relaxation_outcomes outcomes) {
    std::uint64_t by_first = 0;
    for (;;) {
        if (auto found = estimate_within_reach(outcomes)) {
            found->by_first = by_first;
            return *std::move(found);
        }
        // Without any level each weighs 1 / keep_first: it comes to an end.
        const auto fewest = std::ranges::min_element(outcomes.relaxed, {}, releases_at);
        std::ranges::transform(outcomes.kept, fewest->from, outcomes.kept.begin(), std::plus<>());
        by_first += releases_at(*fewest);
        outcomes.relaxed.erase(fewest);
    }
}

namespace {

// P(published == true) less what is uniform, of a level alone; nothing for other mechanisms.
std::optional<double> keep_of(const metric &m, std::uint32_t level) {
    return mechanism_of(m).keep(m, m.law(level));
}

} // namespace

bool allows_for_selection(const metric &m) { return keep_of(m, 0).has_value(); }

selective_estimate estimate_with_selection(const metric &m, const metric_tally &tally,
                                           std::span<const selected_count> selected) {
    const std::size_t size = m.value_size();
    selective_estimate sum;
    if (selected.empty() || !allows_for_selection(m)) {
        return sum;
    }
    sum.values.resize(size);
    sum.third_moments.resize(size);
    metric_tally others = tally;
    std::map<std::uint32_t, std::map<std::uint32_t, relaxation_outcomes::level>> by_low;
    for (const selected_count &release : selected) {
        auto &at = by_low[release.low_level][release.level];
        at.from.resize(size);
        at.counts.resize(size);
        at.from[release.low_value] += release.count;
        at.counts[release.value] += release.count;
        others[release.level].ones[release.value] -= release.count;
        others[release.level].reports -= release.count;
    }
    const auto add = [&](relaxation_outcomes outcomes) {
        const selective_estimate more = estimate_selectively_relaxed(std::move(outcomes));
        for (std::size_t v = 0; v < size; ++v) {
            sum.values[v].value += more.values[v].value;
            sum.values[v].std_error = std::hypot(sum.values[v].std_error, more.values[v].std_error);
            sum.values[v].reports += more.values[v].reports;
            sum.third_moments[v] += more.third_moments[v];
            sum.values[v].errors_wide = errors_wide(sum.third_moments[v], sum.values[v].std_error);
        }
        sum.least = std::min(sum.least, more.least);
        sum.most = std::max(sum.most, more.most);
        sum.by_first += more.by_first;
    };
    for (auto &[low, relaxed] : by_low) {
        relaxation_outcomes outcomes = {*keep_of(m, low), others[low].ones, {}};
        for (auto &[level, at] : relaxed) {
            at.keep = *keep_of(m, level);
            outcomes.relaxed.push_back(std::move(at));
        }
        others[low].reports = 0;
        add(std::move(outcomes));
    }
    for (std::uint32_t level = 0; level < others.size(); ++level) {
        if (others[level].reports > 0) {
            add({*keep_of(m, level), others[level].ones, {}});
        }
    }
    return sum;
}

} // namespace sotto::aggregator
