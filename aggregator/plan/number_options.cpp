// SPDX-License-Identifier: Apache-2.0
// Integers, vectors and means: the mean of a number, or of each coordinate.
#include "aggregator/estimate/discrete_laplace.hpp"
#include "aggregator/plan/options.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr std::uint32_t digits_max = 29;

// As sotto-registry counts the digits of a geometric number, so that where it is cut weighs little
// beside epsilon; none when 29 keep no promise (2^B unit >= width unit + tail, width + 2 2^B below
// 2^31). `terms` numbers can differ, by `sensitivity` in all.
std::optional<std::uint32_t> digits(double unit_epsilon, double width, double sensitivity,
                                    double terms) {
    const auto count = [&](double tail) {
        std::uint32_t b = 1;
        while (b <= digits_max &&
               std::ldexp(unit_epsilon, static_cast<int>(b)) < width * unit_epsilon + tail) {
            ++b;
        }
        return b;
    };
    const auto bit_length = [](double x) { return x < 1 ? 0 : std::ilogb(x) + 1; };
    const double tail =
        18 + bit_length(1 / (unit_epsilon * sensitivity) * (1 + 1e-12)) + bit_length(terms) - 1;
    std::uint32_t b = count(tail);
    if (b > digits_max) {
        b = std::max(digits_max, count(15));
    }
    const double most = std::ldexp(1, 31);
    return b <= digits_max && width + std::ldexp(2, static_cast<int>(b)) < most ? std::optional(b)
                                                                                : std::nullopt;
}

// Whether there is noise, its sign, its digits.
std::uint32_t laplace_random_bytes(std::uint32_t digit_count) { return 8 + 4 + 8 * digit_count; }

// The variance for a number in the middle of its range, where clamping takes the least of the noise
// away.
double clamped_variance(double unit_epsilon, double width) {
    const double at_an_end = (std::exp(-unit_epsilon * std::floor(width / 2)) +
                              std::exp(-unit_epsilon * std::ceil(width / 2))) /
                             (1 + std::exp(-unit_epsilon));
    return discrete_laplace_variance(unit_epsilon) * (1 - at_an_end / 2);
}

plan_option costing(const plan_request &request, double epsilon, const char *type,
                    const char *mechanism) {
    plan_option out;
    out.type = type;
    out.mechanism = mechanism;
    out.epsilon = epsilon;
    out.epsilon_day = epsilon * request.reports_per_day;
    return out;
}

std::string number_keys(const plan_request &request, const plan_option &option,
                        const std::string &own) {
    return fmt::format("type = \"{}\"\n{}min = {}\nmax = {}\nepsilons = [{}]\n", option.type, own,
                       *request.min, *request.max, epsilon_text(option.epsilon));
}

plan_option one_bit(const plan_request &request, double epsilon) {
    plan_option out = costing(request, epsilon, "mean", "one_bit_mean");
    // A bit that is a one half of the time: variance 1/4 before the flips are taken back.
    out.std_error = 0.5 / std::tanh(epsilon / 2) / std::sqrt(request.devices);
    out.parameters = fmt::format("flip {:.4g}", 1 / (1 + std::exp(epsilon)));
    out.random_bytes = 4 + 8;
    out.report_bytes = planned_report_bytes(1 + 4, false);
    out.keys = number_keys(request, out, "");
    out.remark = "one bit a report: good for the mean and nothing else";
    return out;
}

std::optional<plan_option> laplace(const plan_request &request, double epsilon) {
    const auto width = static_cast<double>(*request.max - *request.min);
    const std::uint32_t length = request.length.value_or(1);
    const double sensitivity = request.l1_sensitivity.value_or(0) > 0
                                   ? static_cast<double>(*request.l1_sensitivity)
                                   : width * length;
    const double unit = epsilon / sensitivity;
    const std::optional<std::uint32_t> b =
        digits(unit, width, sensitivity, std::min<double>(length, sensitivity));
    if (!b) {
        return std::nullopt;
    }
    plan_option out =
        costing(request, epsilon, request.length ? "vector" : "integer", "discrete_laplace");
    out.std_error = std::sqrt(clamped_variance(unit, width) / request.devices) / width;
    out.parameters = fmt::format("epsilon {:.4g} a unit", unit);
    out.random_bytes = length * laplace_random_bytes(*b);
    out.report_bytes =
        planned_report_bytes(request.length ? delimited_bytes(4 * length) : 1 + 4, false);
    std::string own;
    if (request.length) {
        own = fmt::format("length = {}\n", length);
    }
    if (request.l1_sensitivity) {
        own += fmt::format("l1_sensitivity = {}\n", *request.l1_sensitivity);
    }
    out.keys = number_keys(request, out, own);
    return out;
}

} // namespace

std::uint32_t fine_grid_random_bytes(std::uint32_t grid, double flip) {
    // flip = q^((grid + 1) / 2) / (1 + q) of q = exp(-unit); it falls as the unit rises.
    double low = 0, high = 64;
    for (int i = 0; i < 100; ++i) {
        const double unit = (low + high) / 2;
        const double here = std::exp(-unit * (grid + 1) / 2) / (1 + std::exp(-unit));
        (here > flip ? low : high) = unit;
    }
    return laplace_random_bytes(digits(high, grid, grid, 1).value_or(digits_max));
}

std::vector<plan_option> number_options(const plan_request &request, double epsilon) {
    std::vector<plan_option> out;
    if (const auto option = laplace(request, epsilon)) {
        out.push_back(*option);
    }
    if (!request.length) {
        out.push_back(one_bit(request, epsilon));
    }
    return out;
}

} // namespace sotto::aggregator
