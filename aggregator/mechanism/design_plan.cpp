// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/design_plan.hpp"

#include "aggregator/mechanism/share_option.hpp"
#include "aggregator/statistics/difference_set.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace sotto::aggregator {
namespace {

constexpr double good_enough = 1.02;                   // times the least variance
constexpr std::uint32_t answers_per_category_max = 8;  // a report stays short
constexpr std::uint32_t instructions_per_element = 16; // the device looks at all of a set

// Least p that divides n, from 2 on.
std::uint32_t least_factor(std::uint32_t n) {
    std::uint32_t p = 2;
    while (p * p <= n && n % p != 0) {
        ++p;
    }
    return p * p <= n ? p : n;
}

bool is_prime(std::uint32_t n) { return n > 1 && least_factor(n) == n; }

bool is_prime_power(std::uint32_t n) {
    const std::uint32_t p = least_factor(n);
    while (n % p == 0) {
        n /= p;
    }
    return n == 1;
}

// 4 a^2 + rest with an odd a.
bool is_odd_square(std::uint32_t n, std::uint32_t rest) {
    const auto a = static_cast<std::uint32_t>(std::sqrt((n - rest) / 4));
    return n > rest && a % 2 == 1 && 4 * a * a + rest == n;
}

// The families of tools/registry/difference_sets.py.
std::vector<design_shape> known_designs() {
    std::vector<design_shape> shapes;
    const auto add = [&](std::uint32_t answers, std::uint32_t width) {
        if (width <= SOTTO_SUPPORT_MAX) {
            shapes.push_back({answers, width});
        }
    };
    for (std::uint32_t q = 2; q < SOTTO_SUPPORT_MAX; ++q) {
        std::uint32_t width = q + 1;
        while (is_prime_power(q) && width * q + 1 <= SOTTO_CATEGORIES_MAX) {
            add(width * q + 1, width);
            width = width * q + 1;
        }
    }
    for (std::uint32_t n = 7; n < 4 * SOTTO_SUPPORT_MAX; ++n) {
        if (!is_prime(n)) {
            continue;
        }
        if (n % 4 == 3) {
            add(n, n / 2);
        }
        if (is_odd_square(n, 1)) {
            add(n, n / 4);
        }
        if (is_odd_square(n, 9)) {
            add(n, n / 4 + 1);
        }
    }
    return shapes;
}

double keep_of(const design_shape &shape, double epsilon) {
    const double odds = std::expm1(epsilon) * shape.width / shape.answers;
    return odds / (1 + odds);
}

bit_channel channel_of(const design_shape &shape, double epsilon) {
    return support_channel(keep_of(shape, epsilon), shape.answers, shape.width);
}

} // namespace

std::optional<design_shape> best_design(std::uint32_t categories, double epsilon) {
    std::vector<design_shape> shapes = known_designs();
    const std::uint32_t most = answers_per_category_max * (categories + 1);
    std::erase_if(shapes, [&](const design_shape &shape) {
        return shape.answers < categories || shape.answers >= most;
    });
    const auto variance = [&](const design_shape &shape) {
        return bit_channel_variance(1, 0, channel_of(shape, epsilon));
    };
    if (shapes.empty()) {
        return std::nullopt;
    }
    const double least = variance(*std::ranges::min_element(shapes, {}, variance));
    std::erase_if(shapes, [&](const auto &shape) { return variance(shape) > good_enough * least; });
    return *std::ranges::min_element(shapes, {}, [&](const design_shape &shape) {
        return std::tuple(shape.width, variance(shape), shape.answers);
    });
}

std::vector<plan_option> design_options(const plan_request &request, double epsilon) {
    const std::uint32_t size = *request.size;
    const std::optional<design_shape> shape =
        best_design(size, request.best_epsilon.value_or(epsilon));
    if (!shape) {
        return {};
    }
    plan_option out =
        channel_option(request, epsilon, "design", channel_of(*shape, epsilon), 1.0 / size);
    out.random_bytes = 24;
    out.own_instructions = instructions_per_element * shape->width;
    out.report_bytes = planned_report_bytes({.kind = value_kind::index, .size = shape->answers});
    out.parameters = fmt::format("{} of {} answers", shape->width, shape->answers);
    out.keys = share_keys(request, out, category_keys(size));
    return {out};
}

} // namespace sotto::aggregator
