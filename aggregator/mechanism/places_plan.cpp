// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/places_plan.hpp"

#include "aggregator/mechanism/sums_over_places.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"
#include "aggregator/statistics/joined_rows.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace sotto::aggregator {
namespace {

constexpr std::size_t planned_rows_max = 1024;

// As tools/registry/noised_points.py makes them.
struct planned_places : sums_over_places {
    std::string parameters, keys;

    void side_by_side(std::uint32_t step, std::uint32_t weight, std::uint32_t half) {
        classes.push_back({(places + step - 1) / step, step, step, half, weight});
    }
    void to_the_end(std::uint32_t step, std::uint32_t weight) {
        classes.push_back({(places + step - 1) / step, step, places, places, weight});
    }
    void nested(std::uint32_t top, std::uint32_t fanout, std::uint32_t weight) {
        for (std::uint32_t step = 1; step < top; step *= fanout) {
            side_by_side(step, weight, step);
        }
    }
};

planned_places with_strategy(const plan_request &request, const char *strategy) {
    planned_places out;
    out.strategy = out.parameters = strategy;
    out.places = *request.bins;
    out.delta = *request.delta;
    out.keys = fmt::format("strategy = \"{}\"\n", strategy);
    return out;
}

planned_places planned_identity(const plan_request &request) {
    planned_places out = with_strategy(request, "identity");
    out.side_by_side(1, 1, 1);
    return out;
}

planned_places planned_suffix(const plan_request &request) {
    planned_places out = with_strategy(request, "suffix");
    out.to_the_end(1, 1);
    return out;
}

planned_places planned_haar(const plan_request &request) {
    planned_places out = with_strategy(request, "haar");
    for (std::uint32_t half = 1; half < out.places; half *= 2) {
        out.side_by_side(2 * half, 1, half);
    }
    out.side_by_side(out.places, 1, out.places);
    return out;
}

planned_places planned_tree(const plan_request &request, std::uint32_t fanout) {
    planned_places out = with_strategy(request, "tree");
    out.nested(out.places, fanout, 1);
    out.side_by_side(out.places, 1, out.places);
    out.parameters += fmt::format(" of {}", fanout);
    out.keys += fmt::format("fanout = {}\n", fanout);
    return out;
}

// Bins alone within a block.
planned_places planned_hybrid(const plan_request &request, std::uint32_t block) {
    planned_places out = with_strategy(request, "hybrid");
    const std::uint32_t whole = (out.delta + block - 1) / block * block;
    const double ratio = whole;
    const auto sums = static_cast<std::uint32_t>(
        std::max(1.0, std::nearbyint(std::cbrt(4.0 * 4 * 4 * 4 / ratio))));
    const std::uint32_t shared = std::gcd(sums, 4U);
    out.nested(block, block, 4 / shared);
    out.to_the_end(block, sums / shared);
    out.parameters += fmt::format(", blocks of {}", block);
    out.keys += fmt::format("block = {}\n", block);
    return out;
}

std::vector<planned_places> every_strategy(const plan_request &request) {
    std::vector<planned_places> out = {planned_identity(request), planned_suffix(request),
                                       planned_haar(request)};
    for (const std::uint32_t fanout : {2U, 4U, 16U}) {
        if (fanout <= *request.bins) {
            out.push_back(planned_tree(request, fanout));
        }
    }
    for (std::uint32_t block = 2; block <= 64 && block < *request.bins; block *= 2) {
        out.push_back(planned_hybrid(request, block));
    }
    std::erase_if(out, [](const planned_places &p) { return p.rows() > planned_rows_max; });
    return out;
}

// In variances of one row's noise.
double range_variance(const planned_places &shape, std::optional<std::uint32_t> bins) {
    const joined_rows joined(shape.matrix());
    if (!bins) {
        return joined.mean_variance();
    }
    double sum = 0;
    const std::uint32_t ranges = shape.places - *bins + 1;
    for (std::uint32_t first = 0; first < ranges; ++first) {
        sum += joined.variance(first, first + *bins - 1);
    }
    return sum / ranges;
}

} // namespace

std::vector<plan_option> plan_places(const plan_request &request, double epsilon) {
    std::vector<plan_option> options;
    for (const planned_places &shape : every_strategy(request)) {
        const double unit = epsilon / static_cast<double>(shape.sensitivity(shape.delta));
        const auto bytes = modular_noise_bytes(unit);
        if (!bytes) {
            continue;
        }
        plan_option out = costing(request, epsilon, "histogram", "noised_points");
        out.std_error = std::sqrt(discrete_laplace_variance(unit) *
                                  range_variance(shape, request.range) / request.devices);
        out.single_error =
            std::sqrt(discrete_laplace_variance(unit) * range_variance(shape, 1) / request.devices);
        out.parameters = shape.parameters;
        const auto rows = static_cast<std::uint32_t>(shape.rows());
        out.random_bytes = rows * *bytes;
        out.report_bytes = planned_report_bytes({.kind = value_kind::numbers, .size = rows});
        out.keys = fmt::format("type = \"histogram\"\nbins = {}\ndelta = {}\n{}epsilons = [{}]\n",
                               shape.places, shape.delta, shape.keys, epsilon_text(epsilon));
        options.push_back(std::move(out));
    }
    return options;
}

} // namespace sotto::aggregator
