// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/discrete_laplace.hpp"

#include "aggregator/mechanism/averaged.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/laplace_law.hpp"
#include "aggregator/mechanism/lattice.hpp"
#include "aggregator/mechanism/memoryless.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// For a number in the middle of its range, where clamping removes the least noise.
double clamped_variance(double unit_epsilon, double width) {
    const double at_an_end = (std::exp(-unit_epsilon * std::floor(width / 2)) +
                              std::exp(-unit_epsilon * std::ceil(width / 2))) /
                             (1 + std::exp(-unit_epsilon));
    return discrete_laplace_variance(unit_epsilon) * (1 - at_an_end / 2);
}

// Integers, and vectors of them.
class laplace_mechanism final : public memoryless<averaged_mechanism> {
  public:
    static const discrete_laplace_table &table_of(const metric &m) {
        return std::get<discrete_laplace_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const bool is_vector = m.type == SOTTO_TYPE_VECTOR;
        discrete_laplace_table t = read_lattice(node.at("table"), levels);
        check_lattice(node.at("table"), t, is_vector);
        (void)node.at("min").signed_integer(t.min, t.min);
        (void)node.at("max").signed_integer(t.max, t.max);
        const std::uint64_t diameter = l1_diameter(t);
        m.l1_sensitivity = is_vector ? node.at("l1_sensitivity").large_integer() : diameter;
        // Epsilon is promised for this distance, so no two values may be further apart. Half of it
        // is enforced on either side of the centre: an odd one leaves one over.
        if (m.l1_sensitivity < diameter || m.l1_sensitivity > diameter + 1) {
            node.at("l1_sensitivity").fail("does not follow from table.l1_half");
        }
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &last) const override {
        forward_laplace_table t = {
            table.at("opposite").integer_text(1, ~threshold{0}),
            table.at("stay").integer_text(1, ~threshold{0}), read_geometric(table.at("within")),
            read_geometric(table.at("beyond")), read_geometric(table.at("tail"))};
        if (const std::string what = flaw(t, unit_epsilon_of(last)); !what.empty()) {
            table.fail(what);
        }
        return t;
    }
    ladder_rules rules(const metric &) const override { return {.tolerance = lattice_tolerance}; }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::means; }

    std::vector<level_law> laws(const metric &m) const override {
        std::vector<level_law> laws;
        for (const laplace_noise_table &noise : table_of(m).noise) {
            laws.push_back(law_of(epsilon_of(noise.size)));
        }
        return laws;
    }
    level_law next_law(const metric &, const forward_table &step,
                       const level_law &last) const override {
        return law_of(unit_epsilon_of(last) +
                      epsilon_of(std::get<forward_laplace_table>(step).within));
    }
    std::optional<double> unit_epsilon(const metric &, const level_law &law) const override {
        return unit_epsilon_of(law);
    }
    double noise_variance(const metric &, const level_law &law) const override {
        return discrete_laplace_variance(unit_epsilon_of(law));
    }
    double loss(const metric &m, const level_law &law) const override {
        return unit_epsilon_of(law) * static_cast<double>(m.l1_sensitivity);
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        image.table.discrete_laplace = memory.keep(memory.lattice(table_of(m)));
        image.forward.laplace =
            memory.each<sotto_forward_laplace>(m.forward, [&](const forward_level &s) {
                const auto &t = std::get<forward_laplace_table>(s.table);
                return sotto_forward_laplace{limbs(t.opposite), limbs(t.stay),
                                             memory.geometric(t.within), memory.geometric(t.beyond),
                                             memory.geometric(t.tail)};
            });
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return 0; }

    published_values published(const metric &m) const override {
        const discrete_laplace_table &t = table_of(m);
        return {.kind = m.type == SOTTO_TYPE_VECTOR ? value_kind::numbers : value_kind::number,
                .size = t.length,
                .least = t.publish_min,
                .most = t.publish_max};
    }

    std::optional<number_range> range(const metric &m) const override {
        const discrete_laplace_table &t = table_of(m);
        return number_range{t.min, t.max,
                            t.l1_half == discrete_laplace_table::l1_not_enforced
                                ? std::nullopt
                                : std::optional(t.l1_half)};
    }
    estimated estimate(const metric &, std::span<const level_tally> levels,
                       std::span<const level_law> laws, std::size_t at) const override {
        std::vector<number_count> counts;
        for (const level_tally &level : levels) {
            counts.push_back(level.numbers[at]);
        }
        return estimate_discrete_laplace(counts, by_level(laws, unit_epsilon_of));
    }
    double error(const metric &m, const level_law &law, const estimated &found) const override {
        const discrete_laplace_table &t = table_of(m);
        const double epsilon = unit_epsilon_of(law);
        const double u =
            std::clamp(found.value, static_cast<double>(t.min), static_cast<double>(t.max));
        const double at_an_end =
            (std::exp(-epsilon * (t.publish_max - u)) + std::exp(-epsilon * (u - t.publish_min))) /
            (1 + std::exp(-epsilon));
        return std::sqrt(discrete_laplace_variance(epsilon) * (1 - at_an_end / 2) /
                         static_cast<double>(found.reports));
    }
    double usual_variance(const metric &m, const level_law &law,
                          const reports_again &again) const override {
        const double width = range(m)->width();
        return discrete_laplace_variance(unit_epsilon_of(law)) +
               again.of_a_device * width * width / 4;
    }
    double spread(const metric &m, double mean, const reports_again &again) const override {
        return again.of_a_device * variance_at_most(m, mean);
    }
    double reach(const metric &m, const level_law &law) const override {
        const discrete_laplace_table &t = table_of(m);
        return static_cast<double>(t.publish_max) - t.publish_min +
               2 * discrete_laplace_end(unit_epsilon_of(law));
    }
    // Beyond what the noise of n reports adds to the largest value, or to the least, once in 10^13.
    // The tails are those of Laplace noise of scale b, heavier than normal ones. Chernoff's bound
    // with -ln(1 - b^2 s^2) <= b^2 s^2 / (1 - b s) has e^-30 at b (2 sqrt(30 n) + 30).
    void check(const metric &m, const level_law &law, const level_tally &at, double,
               quality_sums &sums) const override {
        const discrete_laplace_table &t = table_of(m);
        for (const number_count &c : at.numbers) {
            const auto n = static_cast<double>(c.reports);
            const double sum = static_cast<double>(c.sum) +
                               (static_cast<double>(c.at_max) - static_cast<double>(c.at_min)) *
                                   discrete_laplace_end(unit_epsilon_of(law));
            const double noise = (2 * std::sqrt(30 * n) + 30) / unit_epsilon_of(law);
            sums.count(sum > n * t.max + noise || sum < n * t.min - noise);
        }
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        if (request.delta) {
            return {};
        }
        const auto width = static_cast<double>(*request.max - *request.min);
        const std::uint32_t length = request.length.value_or(1);
        const double sensitivity = request.l1_sensitivity.value_or(0) > 0
                                       ? static_cast<double>(*request.l1_sensitivity)
                                       : width * length;
        const double unit = epsilon / sensitivity;
        const std::optional<std::uint32_t> digits =
            digits_needed(unit, width, sensitivity, std::min<double>(length, sensitivity));
        if (!digits) {
            return {};
        }
        plan_option out =
            costing(request, epsilon, request.length ? "vector" : "integer", "discrete_laplace");
        out.std_error = std::sqrt(clamped_variance(unit, width) / request.devices) / width;
        out.parameters = fmt::format("epsilon {:.4g} a unit", unit);
        out.random_bytes = length * lattice_random_bytes(*digits);
        out.report_bytes = planned_report_bytes(
            {.kind = request.length ? value_kind::numbers : value_kind::number, .size = length});
        std::string own;
        if (request.length) {
            own = fmt::format("length = {}\n", length);
        }
        if (request.l1_sensitivity) {
            own += fmt::format("l1_sensitivity = {}\n", *request.l1_sensitivity);
        }
        out.keys = number_keys(request, out, own);
        return {out};
    }

    std::string table_text(const metric &m) const override { return lattice_text(table_of(m)); }
    nlohmann::ordered_json table_json(const metric &m) const override {
        return lattice_json(table_of(m));
    }
    mechanism_words words(const metric &) const override { return {}; }

  private:
    static level_law law_of(double unit_epsilon) {
        return number_law{unit_epsilon, laplace_nonzero(unit_epsilon)};
    }
};

} // namespace

const mechanism &discrete_laplace() {
    static const laplace_mechanism object;
    return object;
}

} // namespace sotto::aggregator
