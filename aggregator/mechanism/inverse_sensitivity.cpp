// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/inverse_sensitivity.hpp"

#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/averaged.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/json_node.hpp"
#include "aggregator/mechanism/lattice.hpp"
#include "aggregator/mechanism/memoryless.hpp"
#include "aggregator/statistics/window_response.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t ranks = 1000;
constexpr std::size_t usual_points = 101; // a gateway that nobody knows
const double answer_numbers = std::ldexp(1, 96);

std::uint32_t bins_of_delta(double delta, double bins, double numbers) {
    return static_cast<std::uint32_t>(std::min(std::ceil(delta * bins / numbers), bins - 1));
}

std::vector<std::uint32_t> read_weights(const json_node &node) {
    std::vector<std::uint32_t> weights;
    for (const json_node &weight : node.elements(2, SOTTO_WEIGHTS_MAX)) {
        weights.push_back(weight.integer(1, weights.empty() ? UINT32_MAX : weights.back()));
    }
    return weights;
}

// The root mean square error of an answer for points that are spread evenly, in bins.
double even_error(const inverse_sensitivity_law &law, std::size_t bins, std::size_t points) {
    return answers_of_points(law, even_points(bins, points)).root_mean_square();
}

// As tools/registry/inverse_sensitivity.py makes them, but for their rounding.
std::vector<double> planned_weights(double epsilon) {
    std::vector<double> weights = {1};
    while (weights.back() > std::ldexp(1, -24)) {
        weights.push_back(weights.back() * std::exp(-epsilon / 2));
    }
    return weights;
}

// One bin of a range, drawn by how many points would have to move until it has the quantile.
class quantile_mechanism final : public memoryless<averaged_mechanism> {
  public:
    static const inverse_sensitivity_table &table_of(const metric &m) {
        return std::get<inverse_sensitivity_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        inverse_sensitivity_table t;
        t.min = node.at("min").signed_integer(-SOTTO_NUMBER_MAX, SOTTO_NUMBER_MAX - 1);
        t.max = node.at("max").signed_integer(t.min + 1, SOTTO_NUMBER_MAX);
        t.bins = node.at("bins").integer(
            2, static_cast<std::uint32_t>(std::min<std::int64_t>(SOTTO_BINS_MAX, t.numbers())));
        t.delta_of_numbers =
            node.at("delta").integer(1, static_cast<std::uint32_t>(t.numbers() - 1));
        t.weights = read_weights(table.at("weights"));
        t.rank = table.at("rank").integer(1, ranks - 1);
        t.delta = table.at("delta").integer(1, t.bins - 1);
        if (t.delta !=
            bins_of_delta(t.delta_of_numbers, t.bins, static_cast<double>(t.numbers()))) {
            table.at("delta").fail("is not delta in bins");
        }
        if (levels != 1) {
            node.at("levels").fail("a quantile has one level");
        }
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        table.fail("not possible with a quantile");
    }
    ladder_rules rules(const metric &) const override { return {.has_forward = false}; }
    protected_unit protects(const metric &) const override { return protected_unit::source; }
    answer_shape answers(const metric &) const override { return answer_shape::distribution; }
    // No answer is told from another by more than the first weight and the last.
    std::optional<point_moves> moves(const metric &m) const override {
        const inverse_sensitivity_table &t = table_of(m);
        const double most = std::log(static_cast<double>(t.weights.front()) / t.weights.back());
        const double steps = std::ceil(static_cast<double>(t.numbers() - 1) / t.delta_of_numbers);
        return point_moves{t.delta_of_numbers,
                           static_cast<std::uint32_t>(t.numbers() - 1),
                           1,
                           1,
                           "unit",
                           std::min(steps, 2 * most / m.joint.value)};
    }

    std::vector<level_law> laws(const metric &m) const override {
        const std::vector<std::uint32_t> &weights = table_of(m).weights;
        double most = 0;
        for (std::size_t i = 1; i < weights.size(); ++i) {
            most = std::max(most, static_cast<double>(weights[i - 1]) / weights[i]);
        }
        return {steps_law{std::log(most)}};
    }
    // There is no step forward; a registry with one is refused before.
    level_law next_law(const metric &, const forward_table &,
                       const level_law &last) const override {
        return last;
    }
    // The weight changes, and the sum of all; a unit of it has a whole number of random numbers.
    double loss(const metric &m, const level_law &law) const override {
        const double most = table_of(m).bins * static_cast<double>(table_of(m).weights.front());
        return 2 * std::get<steps_law>(law).step_epsilon + 2 * most / answer_numbers;
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const inverse_sensitivity_table &t = table_of(m);
        const auto narrow = [](auto n) { return static_cast<std::uint16_t>(n); };
        const std::uint32_t *weights =
            memory.each<std::uint32_t>(t.weights, [](std::uint32_t weight) { return weight; });
        image.table.inverse_sensitivity = memory.keep(sotto_inverse_sensitivity{
            weights, t.min, t.max, narrow(t.bins), narrow(t.numbers() % t.bins),
            static_cast<std::uint32_t>(t.numbers() / t.bins), narrow(t.delta), narrow(t.rank),
            narrow(t.weights.size())});
        image.client = &sotto_client_code_room;
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return 0; }

    published_values published(const metric &m) const override {
        return {.kind = value_kind::index, .size = table_of(m).bins};
    }
    const binned_numbers *bins(const metric &m) const override { return &table_of(m); }
    // The answers as they are, noise included.
    distribution_fit fit(const metric &m, std::span<const level_tally> levels,
                         std::span<const double> parts) const override {
        const window_counts answers = {{table_of(m).bins, 0, 1}, levels.front().ones};
        return fit_distribution(std::span(&answers, 1), parts);
    }

    std::optional<number_range> range(const metric &m) const override {
        return number_range{table_of(m).min, table_of(m).max, std::nullopt};
    }
    // The mean answer; its error has the spread of the answers, gateways' own and noise. One alone
    // says no spread.
    estimated estimate(const metric &m, std::span<const level_tally> levels,
                       std::span<const level_law> laws, std::size_t) const override {
        const inverse_sensitivity_table &t = table_of(m);
        double n = 0, sum = 0, squares = 0;
        for (std::size_t bin = 0; bin < t.bins; ++bin) {
            const auto count = static_cast<double>(levels.front().ones[bin]);
            const auto place = static_cast<double>(bin) + 0.5;
            n += count;
            sum += count * place;
            squares += count * place * place;
        }
        estimated out;
        out.reports = levels.front().reports;
        out.value = t.min - 0.5 + t.unit() * sum / n;
        const double spread = std::max(0.0, squares - sum * sum / n) / (n - 1);
        out.std_error = n > 1 ? t.unit() * std::sqrt(spread / n) : error(m, laws.front(), out);
        return out;
    }
    double error(const metric &m, const level_law &law, const estimated &found) const override {
        return std::sqrt(usual_variance(m, law, {}) / static_cast<double>(found.reports));
    }
    // For gateways whose points are spread evenly over the range.
    double usual_variance(const metric &m, const level_law &,
                          const reports_again &) const override {
        const inverse_sensitivity_table &t = table_of(m);
        const std::vector<double> weights(t.weights.begin(), t.weights.end());
        const inverse_sensitivity_law law = {t.delta, static_cast<double>(t.rank) / ranks, weights};
        const double error = t.unit() * even_error(law, t.bins, usual_points);
        return error * error;
    }
    double spread(const metric &m, double mean, const reports_again &again) const override {
        return (again.of_a_device - 1) * variance_at_most(m, mean);
    }
    double reach(const metric &m, const level_law &) const override { return range(m)->width(); }
    // Every answer can be an honest one, and all of them the same.
    void check(const metric &, const level_law &, const level_tally &, double,
               quality_sums &) const override {}

    // The median of points that are spread evenly.
    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        const auto numbers = static_cast<double>(*request.max - *request.min + 1);
        const std::vector<double> weights = planned_weights(epsilon);
        if (weights.size() > SOTTO_WEIGHTS_MAX) {
            return {};
        }
        const inverse_sensitivity_law law = {bins_of_delta(*request.delta, *request.bins, numbers),
                                             0.5, weights};
        plan_option out = costing(request, epsilon, "quantile", "inverse_sensitivity");
        out.std_error = even_error(law, *request.bins, *request.points) / *request.bins /
                        std::sqrt(request.devices);
        out.parameters =
            fmt::format("{}, {} points", counted(*request.bins, "bin"), *request.points);
        out.random_bytes = 12;
        out.report_bytes = planned_report_bytes({});
        out.keys = number_keys(
            request, out,
            fmt::format("bins = {}\ndelta = {}\nrank = 0.5\n", *request.bins, *request.delta));
        return {out};
    }

    std::string table_text(const metric &m) const override {
        const inverse_sensitivity_table &t = table_of(m);
        return fmt::format("one of {} bins is drawn in proportion to its weight, by the steps that "
                           "make it the quantile. A step moves a point by {} at most.\n"
                           "    {} at none, {} at one, falling by e^{:.4g} at most to {} at {} and "
                           "more (--format json has all)\n",
                           t.bins, counted(t.delta, "bin"), t.weights[0], t.weights[1],
                           std::get<steps_law>(m.law(0)).step_epsilon, t.weights.back(),
                           t.weights.size() - 1);
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const inverse_sensitivity_table &t = table_of(m);
        return {{"weights", t.weights}, {"delta", t.delta}, {"rank", t.rank}};
    }
    mechanism_words words(const metric &) const override { return {}; }
};

} // namespace

const mechanism &inverse_sensitivity() {
    static const quantile_mechanism object;
    return object;
}

} // namespace sotto::aggregator
