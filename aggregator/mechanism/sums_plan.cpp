// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/sums_plan.hpp"

#include "aggregator/mechanism/sums_over_time.hpp"
#include "aggregator/statistics/closed_rows.hpp"
#include "aggregator/statistics/discrete_laplace.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace sotto::aggregator {
namespace {

struct row_tree {
    std::uint32_t fanout, levels;

    std::uint32_t span(std::uint32_t level) const {
        return level == 0 ? 1 : fanout * span(level - 1);
    }
    std::uint32_t period() const { return span(levels - 1); }
};

constexpr row_tree trees[] = {{1, 1}, {8, 2}, {16, 2}, {8, 3}, {16, 3}, {16, 4}, {8, 5}};

constexpr std::uint32_t longest_balanced = 1023, weight_bits = 8;

// A way to count, in variances of one row's noise.
struct counted_so {
    std::string parameters, keys;
    std::uint64_t weight = 1; // all that an event of one unit adds to rows
    std::uint32_t draws = 1, numbers = 1;
    double variance = 0;          // the wanted sum's
    std::optional<double> single; // one epoch's
    std::optional<plan_remark> remark = {};
};

closed_rows rows_of(const row_tree &tree, std::uint32_t epochs) {
    std::vector<std::uint32_t> spans;
    for (std::uint32_t level = 0; level < tree.levels; ++level) {
        spans.push_back(tree.span(level));
    }
    closed_rows rows(spans);
    for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
        for (std::uint32_t level = 0; level < tree.levels; ++level) {
            if ((epoch + 1) % spans[level] == 0) {
                rows.add(level, epoch, {0, 1});
            }
        }
    }
    return rows;
}

weighed_sums::weights ones(std::uint32_t epochs) {
    weighed_sums::weights out;
    for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
        out[epoch] = 1;
    }
    return out;
}

// The last `window` epochs by all that is known then, on average over its ends.
double window_variance(const row_tree &tree, std::uint32_t window) {
    const std::uint32_t period = tree.period(), epochs = window + 2 * period;
    const closed_rows rows = rows_of(tree, epochs);
    weighed_sums sums(rows, ones(epochs));
    double variance = 0;
    for (std::uint32_t last = epochs - period; last < epochs; ++last) {
        variance += sums.sum(last + 1 - window, last, last).variance;
    }
    return variance / period;
}

// The first epochs of a row at the top, by how many of them are over, each `rate` of the next.
std::vector<double> first_variances(const row_tree &tree, double rate) {
    const std::uint32_t period = tree.period();
    const closed_rows rows = rows_of(tree, period);
    weighed_sums sums(rows, ones(period), rate);
    std::vector<double> out = {0};
    for (std::uint32_t last = 0; last < period; ++last) {
        out.push_back(sums.sum(0, last, last).variance);
    }
    return out;
}

// All epochs so far, on average over the first `epochs`. Rows at the top share nothing.
double prefix_variance(const row_tree &tree, std::uint32_t epochs) {
    const std::vector<double> first = first_variances(tree, 1);
    const std::uint32_t period = tree.period();
    double sum = 0;
    for (std::uint32_t now = 1; now <= epochs; ++now) {
        const std::uint32_t over = now / period;
        sum += over * first.back() + first[now % period];
    }
    return sum / epochs;
}

double decayed_variance(const row_tree &tree, double rate) {
    const std::vector<double> first = first_variances(tree, rate);
    const std::uint32_t period = tree.period();
    const double before = first.back() / (1 - std::pow(rate, 2.0 * period));
    double sum = 0;
    for (std::uint32_t over = 0; over < period; ++over) {
        sum += first[over] + before * std::pow(rate, 2.0 * over);
    }
    return sum / period;
}

counted_so by_tree(const plan_request &request, const row_tree &tree) {
    counted_so out;
    const bool is_plain = tree.levels == 1;
    out.parameters =
        is_plain ? "identity" : fmt::format("tree of {}, {} levels", tree.fanout, tree.levels);
    out.keys = is_plain ? "strategy = \"identity\"\n"
                        : fmt::format("strategy = \"tree\"\nfanout = {}\ntree_levels = {}\n",
                                      tree.fanout, tree.levels);
    out.weight = out.draws = out.numbers = tree.levels;
    out.variance = request.window   ? window_variance(tree, *request.window)
                   : request.prefix ? prefix_variance(tree, *request.prefix)
                                    : decayed_variance(tree, *request.decay);
    out.single = window_variance(tree, 1);
    return out;
}

// On average over the first `epochs` of a block.
counted_so by_total(const sums_over_time &sums, std::uint32_t epochs) {
    counted_so out;
    for (std::uint32_t epoch = 0; epoch < epochs; ++epoch) {
        out.variance += static_cast<double>(sums.noises(epoch)) / epochs;
    }
    out.weight = sums.total();
    out.draws = 0;
    for (const row_class &kind : sums.classes) {
        out.draws += kind.rows;
    }
    out.remark = plan_remark::total_only;
    return out;
}

// The least fanout whose block has all the epochs.
std::optional<counted_so> by_digits(std::uint32_t levels, std::uint32_t epochs) {
    std::uint32_t fanout = 3;
    while (std::pow(fanout, levels) < 2.0 * epochs + 1) {
        fanout += 2;
    }
    if (fanout > longest_balanced || std::pow(fanout, levels) > SOTTO_SUM_SPAN_MAX) {
        return std::nullopt;
    }
    sums_over_time sums;
    std::uint32_t step = 1;
    for (std::uint32_t level = 0; level < levels; ++level, step *= fanout) {
        sums.classes.push_back({step, fanout / 2, {}});
    }
    sums.block = step / 2;
    counted_so out = by_total(sums, epochs);
    out.parameters = fmt::format("balanced, {} of {}", fanout, levels);
    out.keys =
        fmt::format("strategy = \"balanced\"\nfanout = {}\ntree_levels = {}\n", fanout, levels);
    return out;
}

counted_so by_nodes(std::uint32_t epochs) {
    std::uint32_t levels = 1;
    sums_over_time sums;
    while (1U << levels < epochs) {
        ++levels;
    }
    sums.block = 1U << levels;
    sums.classes.push_back({sums.block, 1, {}});
    for (std::uint32_t level = 0; level < levels; ++level) {
        sums.classes.push_back({1U << level, 1, {}});
    }
    counted_so out = by_total(sums, epochs);
    out.parameters = fmt::format("pan_private, {} levels", levels);
    out.keys = fmt::format("strategy = \"pan_private\"\ntree_levels = {}\n", levels);
    return out;
}

// Rows of all ages, as tools/registry/noised_sum.py weighs them.
std::optional<counted_so> by_age(double rate) {
    counted_so out;
    out.weight = out.draws = 0;
    double weight = 1U << weight_bits;
    while (weight >= 1) {
        out.weight += static_cast<std::uint64_t>(weight);
        ++out.draws;
        weight *= rate;
    }
    if (out.draws > SOTTO_SUM_ROWS_MAX) {
        return std::nullopt;
    }
    out.variance = std::pow(2, -2.0 * weight_bits); // in events that are new
    out.parameters = fmt::format("weights, {} bits", weight_bits);
    out.keys =
        fmt::format("strategy = \"weights\"\ndecay = {}\nweight_bits = {}\n", rate, weight_bits);
    return out;
}

std::vector<counted_so> every_way(const plan_request &request) {
    std::vector<counted_so> out;
    for (const row_tree &tree : trees) {
        if (request.prefix || tree.period() <= 256) {
            out.push_back(by_tree(request, tree));
        }
    }
    if (request.prefix) {
        for (std::uint32_t levels = 5; levels > 0; --levels) {
            if (const auto found = by_digits(levels, *request.prefix)) {
                out.push_back(*found);
            }
        }
        out.push_back(by_nodes(*request.prefix));
    }
    if (const auto found = request.decay ? by_age(*request.decay) : std::nullopt) {
        out.push_back(*found);
    }
    return out;
}

std::optional<plan_option> option(const plan_request &request, double epsilon,
                                  const counted_so &way) {
    const std::uint32_t event = request.event.value_or(1);
    const double unit = epsilon / event / static_cast<double>(way.weight);
    const auto bytes = modular_noise_bytes(unit);
    if (!bytes) {
        return std::nullopt;
    }
    const double noise = discrete_laplace_variance(unit) / request.devices;
    plan_option out = costing(request, epsilon, "counter", "noised_sum");
    out.std_error = std::sqrt(noise * way.variance);
    if (way.single) {
        out.single_error = std::sqrt(noise * *way.single);
    }
    out.parameters = way.parameters;
    out.random_bytes = way.draws * *bytes;
    out.report_bytes = planned_report_bytes({.kind = value_kind::numbers, .size = way.numbers});
    out.keys = fmt::format("type = \"counter\"\nevent = {}\n{}epsilons = [{}]\n", event, way.keys,
                           epsilon_text(epsilon));
    out.remark = way.remark;
    return out;
}

} // namespace

std::vector<plan_option> plan_sums(const plan_request &request, double epsilon) {
    std::vector<plan_option> options;
    for (const counted_so &way : every_way(request)) {
        if (const auto found = option(request, epsilon, way)) {
            options.push_back(*found);
        }
    }
    if (options.empty()) {
        return options;
    }
    // Only weights have no sum of one epoch; other ways are better, or they would be chosen.
    const auto least = std::ranges::min_element(options, {}, &plan_option::std_error);
    if (request.decay && !options.back().single_error && least->single_error) {
        options.back().remark = plan_remark::decayed_at_host;
        options.back().only_listed = true;
    }
    return options;
}

} // namespace sotto::aggregator
