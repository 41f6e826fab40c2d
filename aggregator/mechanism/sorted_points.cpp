// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/text.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/laplace_law.hpp"
#include "aggregator/mechanism/lattice.hpp"
#include "aggregator/mechanism/modular_sums.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// The points of many in order, each with noise modulo 2^32.
class sorted_mechanism final : public noised_numbers {
  public:
    static const sorted_points_table &table_of(const metric &m) {
        return std::get<sorted_points_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        sorted_points_table t;
        t.min = node.at("min").signed_integer(-SOTTO_NUMBER_MAX, SOTTO_NUMBER_MAX - 1);
        t.max = node.at("max").signed_integer(t.min + 1, SOTTO_NUMBER_MAX);
        t.length = node.at("length").integer(1, SOTTO_COORDINATES_MAX);
        t.delta = node.at("delta").integer(1, t.width());
        t.sources = node.at("sources").integer(1, t.length);
        t.noise = read_row_noise(node, levels);
        m.l1_sensitivity = node.at("l1_sensitivity").large_integer();
        if (m.l1_sensitivity != std::uint64_t{t.delta} * t.sources) {
            node.at("l1_sensitivity").fail("is not delta of each of the sources' points");
        }
        m.table = std::move(t);
    }
    protected_unit protects(const metric &) const override { return protected_unit::source; }
    answer_shape answers(const metric &) const override { return answer_shape::means; }
    std::optional<point_moves> moves(const metric &m) const override {
        const sorted_points_table &t = table_of(m);
        return point_moves{t.delta,   t.width(), 1,
                           t.sources, "unit",    static_cast<double>(t.width()) / t.delta};
    }

    // A source's points move by so much together.
    double loss(const metric &m, const level_law &law) const override {
        return unit_epsilon_of(law) * static_cast<double>(m.l1_sensitivity);
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const sorted_points_table &t = table_of(m);
        image.table.sorted_points =
            memory.keep(sotto_sorted_points{memory.keep(in_flash(t.noise, memory)), t.min, t.max,
                                            static_cast<std::uint16_t>(t.length)});
    }

    published_values published(const metric &m) const override {
        return any_numbers(table_of(m).length);
    }
    std::optional<number_range> range(const metric &m) const override {
        return number_range{table_of(m).min, table_of(m).max, std::nullopt, true};
    }

    void check(const metric &m, const level_law &law, const level_tally &at, double,
               quality_sums &sums) const override {
        const auto n = static_cast<double>(at.reports);
        const double noise = honest_noise(n, law);
        for (const number_count &number : at.numbers) {
            const auto sum = static_cast<double>(number.sum);
            sums.count(sum > n * table_of(m).max + noise || sum < n * table_of(m).min - noise);
        }
    }

    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        if (!request.delta) {
            return {};
        }
        const double unit = epsilon / *request.delta;
        const auto bytes = modular_noise_bytes(unit);
        if (!bytes) {
            return {};
        }
        const auto width = static_cast<double>(*request.max - *request.min);
        plan_option out = costing(request, epsilon, "vector", "sorted_points");
        out.std_error = std::sqrt(discrete_laplace_variance(unit) / request.devices) / width;
        out.parameters = fmt::format("{} in order", counted(*request.length, "point"));
        out.random_bytes = *request.length * *bytes;
        out.report_bytes =
            planned_report_bytes({.kind = value_kind::numbers, .size = *request.length});
        out.keys = number_keys(request, out,
                               fmt::format("sorted = true\nlength = {}\ndelta = {}\n",
                                           *request.length, *request.delta));
        return {out};
    }

    std::string table_text(const metric &m) const override {
        const sorted_points_table &t = table_of(m);
        return row_noise_text(t.noise) + fmt::format("    {} from {} to {}, the smallest first\n",
                                                     counted(t.length, "point"), t.min, t.max);
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const sorted_points_table &t = table_of(m);
        return {{"noise", nlohmann::ordered_json::array({noise_json(t.noise)})},
                {"min", t.min},
                {"max", t.max},
                {"length", t.length}};
    }

  private:
    const laplace_noise_table &noise_of(const metric &m) const override {
        return table_of(m).noise;
    }
};

} // namespace

const mechanism &sorted_points() {
    static const sorted_mechanism object;
    return object;
}

} // namespace sotto::aggregator
