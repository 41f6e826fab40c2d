// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/plan_option.hpp"

#include "aggregator/statistics/benjamini_hochberg.hpp"

#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

constexpr double false_alarms = 0.05;
constexpr double normal_90 = 1.2815515655446004;

// The z with P(N > z) = p.
double normal_quantile(double p) {
    double low = -40, high = 40;
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (normal_upper_tail(middle) > p ? low : high) = middle;
    }
    return low;
}

} // namespace

std::uint32_t plan_option::instructions() const {
    constexpr std::uint32_t report = 9000, random_byte = 155, both_stages = 19'000;
    return report + random_byte * random_bytes + (epsilon_forever ? both_stages : 0) +
           own_instructions;
}

double plan_option::half_width() const { return normal_95 * std_error; }

std::optional<double> plan_option::floor(double questions) const {
    if (!rare_error) {
        return std::nullopt;
    }
    return (normal_quantile(false_alarms / questions) + normal_90) * *rare_error;
}

std::string epsilon_text(double epsilon) {
    // Four decimals, or four digits of a small one; a decimal that is one but for its rounding to a
    // double stays.
    const double scale = epsilon < 0.1 ? 1e6 : 1e4;
    return fmt::format("{:.10g}", std::floor(epsilon * scale * (1 + 1e-12)) / scale);
}

plan_option costing(const plan_request &request, double epsilon, const std::string &type,
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

std::uint32_t planned_report_bytes(const published_values &values) {
    return report_bytes_of(values, 1, false);
}

// As tools/registry/modular_laplace.py draws it: kind and sign, then digits of 128 bits.
std::optional<std::uint32_t> modular_noise_bytes(double unit_epsilon) {
    constexpr std::uint32_t digits_max = 29;
    std::uint32_t digits = 1;
    while (std::ldexp(unit_epsilon, static_cast<int>(digits)) < 66.5) {
        ++digits;
    }
    return digits > digits_max ? std::nullopt : std::optional(24 + 16 * digits);
}

std::uint32_t channel_random_bytes(std::uint32_t bits, const bit_channel &channel) {
    const auto width = [](double p) { // bytes of a threshold
        std::uint32_t n = 0;
        while (n < 32 && std::ldexp(p, static_cast<int>(n)) !=
                             std::floor(std::ldexp(p, static_cast<int>(n)))) {
            ++n;
        }
        return n;
    };
    return (bits + 31) / 32 * 4 * std::max(width(channel.one_if_zero), width(channel.one_if_one));
}

} // namespace sotto::aggregator
