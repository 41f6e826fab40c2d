// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/sums_plan.hpp"

#include "aggregator/mechanism/laplace_law.hpp"
#include "aggregator/statistics/closed_rows.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

struct row_tree {
    std::uint32_t fanout, levels;

    std::uint32_t span(std::uint32_t level) const {
        return level == 0 ? 1 : fanout * span(level - 1);
    }
};

constexpr row_tree trees[] = {{1, 1}, {8, 2}, {16, 2}, {8, 3}, {16, 3}};

// The last `window` epochs by all that is known then, on average over its ends; a row's is 1.
double window_variance(const row_tree &tree, std::uint32_t window) {
    const std::uint32_t period = tree.span(tree.levels - 1), epochs = window + 2 * period;
    std::vector<std::uint32_t> spans;
    weighed_sums::weights ones;
    for (std::uint32_t level = 0; level < tree.levels; ++level) {
        spans.push_back(tree.span(level));
    }
    closed_rows rows(spans);
    for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
        ones[epoch] = 1;
        for (std::uint32_t level = 0; level < tree.levels; ++level) {
            if ((epoch + 1) % spans[level] == 0) {
                rows.add(level, epoch, {0, 1});
            }
        }
    }
    weighed_sums sums(rows, std::move(ones));
    double variance = 0;
    for (std::uint32_t last = epochs - period; last < epochs; ++last) {
        variance += sums.sum(last + 1 - window, last, last).variance;
    }
    return variance / period;
}

std::string strategy_keys(const row_tree &tree) {
    return tree.levels == 1 ? "strategy = \"identity\"\n"
                            : fmt::format("strategy = \"tree\"\nfanout = {}\ntree_levels = {}\n",
                                          tree.fanout, tree.levels);
}

} // namespace

std::vector<plan_option> plan_sums(const plan_request &request, double epsilon) {
    std::vector<plan_option> options;
    for (const row_tree &tree : trees) {
        const double unit = epsilon / request.event.value_or(1) / tree.levels;
        const double variance =
            discrete_laplace_variance(unit) * window_variance(tree, *request.window);
        plan_option out = costing(request, epsilon, "counter", "noised_sum");
        out.std_error = std::sqrt(variance / request.devices);
        out.parameters = tree.levels == 1
                             ? "identity"
                             : fmt::format("tree of {}, {} levels", tree.fanout, tree.levels);
        out.random_bytes = tree.levels * modular_noise_bytes(unit);
        out.report_bytes = planned_report_bytes({.kind = value_kind::numbers, .size = tree.levels});
        out.keys =
            fmt::format("type = \"counter\"\nevent = {}\n{}epsilons = [{}]\n",
                        request.event.value_or(1), strategy_keys(tree), epsilon_text(epsilon));
        options.push_back(std::move(out));
    }
    return options;
}

} // namespace sotto::aggregator
