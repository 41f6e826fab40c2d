// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/bits.hpp"
#include "aggregator/mechanism/counted.hpp"
#include "aggregator/mechanism/device_memory.hpp"
#include "aggregator/mechanism/flips.hpp"
#include "aggregator/mechanism/laplace_law.hpp"
#include "aggregator/mechanism/lattice.hpp"
#include "aggregator/mechanism/memoryless.hpp"
#include "aggregator/mechanism/share_option.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// For a bit that flips with this probability on a grid of so many steps.
std::uint32_t fine_grid_random_bytes(std::uint32_t grid, double flip) {
    // flip = q^((grid + 1) / 2) / (1 + q) of q = exp(-unit); it falls as the unit rises.
    double low = 0, high = 64;
    for (int i = 0; i < 100; ++i) {
        const double unit = (low + high) / 2;
        const double here = std::exp(-unit * (grid + 1) / 2) / (1 + std::exp(-unit));
        (here > flip ? low : high) = unit;
    }
    return lattice_random_bytes(digits_needed(high, grid, grid, 1).value_or(SOTTO_DIGITS_MAX));
}

// On a grid of more than one step: on the unit grid it is randomized response, and read as that.
class threshold_mechanism final : public memoryless<counted_mechanism> {
  public:
    static const laplace_threshold_table &table_of(const metric &m) {
        return std::get<laplace_threshold_table>(m.table);
    }

    void read(const json_node &node, std::size_t levels, metric &m) const override {
        const json_node table = node.at("table");
        if (!table.has("grid")) {
            return randomized_response().read(node, levels, m);
        }
        laplace_threshold_table t;
        t.grid = table.at("grid").integer(3, SOTTO_NUMBER_MAX - 1);
        t.threshold = table.at("threshold").integer(1, t.grid);
        t.lattice = read_lattice(table.at("lattice"), levels);
        if (t.grid % 2 == 0) {
            table.at("grid").fail("not odd");
        }
        if (t.lattice.min != 0 || t.lattice.max != static_cast<std::int32_t>(t.grid)) {
            table.at("lattice").fail("not from 0 to grid");
        }
        check_lattice(table, t.lattice, false);
        m.table = std::move(t);
    }
    forward_table read_forward(const json_node &table, const level_law &) const override {
        table.fail("not possible on a fine grid");
    }
    ladder_rules rules(const metric &) const override {
        return {.tolerance = lattice_tolerance,
                .is_chain = false, // a bit stands for a lattice point
                .has_forward = false};
    }
    protected_unit protects(const metric &) const override { return protected_unit::value; }
    answer_shape answers(const metric &) const override { return answer_shape::counts; }

    // The lattice is 0 to D. False is wrong when the noise is T or more. True is wrong when the
    // noise is D - T + 1 or more to the other side.
    std::vector<level_law> laws(const metric &m) const override {
        const laplace_threshold_table &t = table_of(m);
        std::vector<level_law> laws(t.lattice.noise.size());
        for (std::size_t i = 0; i < laws.size(); ++i) {
            const double unit = epsilon_of(t.lattice.noise[i].size);
            const auto wrong = [&](double distance) {
                return std::exp(-unit * distance) / (1 + std::exp(-unit));
            };
            laws[i] = bit_channel{wrong(t.threshold), 1 - wrong(t.grid - t.threshold + 1.0)};
        }
        return laws;
    }
    // There is no lossless step forward; a registry with one is refused before.
    level_law next_law(const metric &, const forward_table &,
                       const level_law &last) const override {
        return last;
    }
    double loss(const metric &, const level_law &law) const override {
        const auto &by = std::get<bit_channel>(law);
        return std::max(loss_if_one(by), loss_if_zero(by));
    }

    void to_device(const metric &m, device_memory &memory, sotto_metric &image) const override {
        const laplace_threshold_table &t = table_of(m);
        image.table.laplace_threshold = memory.keep(sotto_laplace_threshold{
            memory.lattice(t.lattice), static_cast<std::int32_t>(t.threshold)});
    }
    std::size_t more_random_bytes(const sotto_metric &) const override { return 0; }

    published_values published(const metric &) const override { return {}; }
    // On a fine grid what was said first tells of more than what was said last: no estimate could
    // allow for the selection.
    std::optional<double> keep(const metric &, const level_law &) const override {
        return std::nullopt;
    }

    std::optional<bit_channel> channel(const metric &, const level_law &law) const override {
        return std::get<bit_channel>(law);
    }

    // The noise is as small as lets the bit lose just epsilon: the flips of randomized response, of
    // more random bytes.
    std::vector<plan_option> plan(const plan_request &request, double epsilon) const override {
        plan_option fine = boolean_option(request, epsilon, "laplace_threshold", "grid = 5\n");
        fine.parameters += ", grid 5";
        fine.random_bytes = fine_grid_random_bytes(5, 1 / (1 + std::exp(epsilon)));
        fine.remark = plan_remark::for_comparison;
        fine.only_listed = true;
        return {fine};
    }

    std::string table_text(const metric &m) const override {
        const laplace_threshold_table &t = table_of(m);
        return fmt::format("for false as 0 and true as {}, one from {} on, ", t.grid, t.threshold) +
               lattice_text(t.lattice);
    }
    nlohmann::ordered_json table_json(const metric &m) const override {
        const laplace_threshold_table &t = table_of(m);
        return {{"grid", t.grid}, {"threshold", t.threshold}, {"lattice", lattice_json(t.lattice)}};
    }
    mechanism_words words(const metric &) const override {
        return {.variant = " on a fine grid", .obstacle = "bits of a fine Laplace grid"};
    }
};

} // namespace

const mechanism &laplace_threshold() {
    static const threshold_mechanism object;
    return object;
}

} // namespace sotto::aggregator
