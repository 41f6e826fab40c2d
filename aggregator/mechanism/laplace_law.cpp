// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/laplace_law.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sotto::aggregator {
namespace {

// The compiler rounds 64-bit digits to within a millionth, or takes 128 bits.
constexpr double rounding = 2e-6;

double probability_of(const wide_threshold &limbs, int bits) {
    double p = 0;
    for (std::size_t i = 0; i < limbs.size(); ++i) {
        p += std::ldexp(limbs[i], static_cast<int>(32 * i) - bits);
    }
    return p;
}

double probability_of(threshold numerator) {
    return std::ldexp(static_cast<double>(numerator), -64);
}

bool agrees(double found, double expected, int bits = 64) {
    return std::abs(found - expected) <= rounding * expected + std::ldexp(2.0, -bits);
}

std::string digits_flaw(const geometric_table &digits, double epsilon) {
    for (std::size_t j = 0; j < digits.digits.size(); ++j) {
        const double power = std::exp(-std::ldexp(epsilon, static_cast<int>(j)));
        const double found = probability_of(digits.digits[j], digits.digit_bits);
        if (!agrees(found, power / (1 + power), digits.digit_bits)) {
            return fmt::format("digits[{}] does not follow from the others", j);
        }
    }
    const double beyond = std::exp(-std::ldexp(epsilon, static_cast<int>(digits.digits.size())));
    if (digits.overflow &&
        !agrees(probability_of(*digits.overflow, digits.digit_bits), beyond, digits.digit_bits)) {
        return "overflow does not follow from the digits";
    }
    return "";
}

// How often the noise of a level differs from the noise of the next higher one (MECHANISMS.md, B).
// It is (1 - r)(1 - g) / (1 - q_high)^2 times the chance that the noise is not 0, 2q / (1 + q).
double step_nonzero(double low, double high) {
    const double part = std::expm1(low - high) * std::expm1(-low - high);
    return part / std::pow(std::expm1(-high), 2) * laplace_nonzero(low);
}

} // namespace

double epsilon_of(const geometric_table &digits) {
    // Digit j has the odds exp(-2^j epsilon). The larger 2^j epsilon the smaller its relative
    // error, as long as the digit's own rounding does not count.
    double epsilon = 0;
    for (std::size_t j = 0; j < digits.digits.size(); ++j) {
        const double p = probability_of(digits.digits[j], digits.digit_bits);
        if (j > 0 && p < 0x1p-12) {
            break;
        }
        epsilon = std::ldexp(std::log1p(-p) - std::log(p), -static_cast<int>(j));
    }
    return epsilon;
}

double laplace_nonzero(double unit_epsilon) {
    const double q = std::exp(-unit_epsilon);
    return 2 * q / (1 + q);
}

std::uint64_t l1_diameter(const discrete_laplace_table &table) {
    const std::uint64_t most =
        table.length * static_cast<std::uint64_t>(std::int64_t{table.max} - table.min);
    return table.l1_half == discrete_laplace_table::l1_not_enforced
               ? most
               : std::min(most, std::uint64_t{2} * table.l1_half);
}

std::string flaw(const discrete_laplace_table &table) {
    const double width = static_cast<double>(table.publish_max) - table.publish_min;
    double above = 0;
    for (std::size_t i = table.noise.size(); i-- > 0;) {
        const laplace_noise_table &noise = table.noise[i];
        const double epsilon = epsilon_of(noise.size);
        const bool top = i + 1 == table.noise.size();
        std::string what;
        if (!(epsilon > 0) || (!top && !(epsilon < above))) {
            return fmt::format("noise[{}]: its digits give no epsilon that rises", i);
        }
        what = digits_flaw(noise.size, epsilon);
        const double nonzero = top ? laplace_nonzero(epsilon) : step_nonzero(epsilon, above);
        if (what.empty() && !agrees(probability_of(noise.nonzero), nonzero)) {
            what = "nonzero does not follow from the digits";
        }
        const double room = std::ldexp(1.0, static_cast<int>(noise.size.digits.size())) - width;
        if (what.empty() && !noise.size.overflow && !(room * epsilon > 13)) {
            what = "too few digits for the published range";
        }
        if (!what.empty()) {
            return fmt::format("noise[{}]: {}", i, what);
        }
        above = epsilon;
    }
    return "";
}

// Where its sizes end noise has the probability of the uniform part, so that a unit more or less
// costs no more there than anywhere.
std::string modular_flaw(const laplace_noise_table &noise) {
    const double epsilon = epsilon_of(noise.size);
    if (!(epsilon > 0)) {
        return "its digits give no epsilon";
    }
    if (std::string what = digits_flaw(noise.size, epsilon); !what.empty()) {
        return what;
    }
    const double nonzero = laplace_nonzero(epsilon);
    if (!agrees(probability_of(noise.nonzero), nonzero)) {
        return "nonzero does not follow from the digits";
    }
    const double greatest = std::ldexp(1.0, static_cast<int>(noise.size.digits.size()));
    const double last = nonzero / 2 * -std::expm1(-epsilon) * std::exp(-epsilon * (greatest - 1));
    if (std::log1p(std::ldexp(last, 96)) > epsilon * (1 + rounding)) {
        return "too few digits for what is uniform";
    }
    return noise.size.overflow ? "overflow: sizes end where the digits do" : "";
}

std::string flaw(const forward_laplace_table &step, double last) {
    const double rise = epsilon_of(step.within), next = last + rise, sum = last + next;
    if (!(rise > 0) || !digits_flaw(step.within, rise).empty()) {
        return "within: not the digits of one ratio";
    }
    if (!digits_flaw(step.beyond, sum).empty()) {
        return "beyond: does not follow from within";
    }
    if (!digits_flaw(step.tail, last).empty()) {
        return "tail: not that of the level below";
    }
    const double opposite = std::expm1(-rise) * std::exp(-sum) / std::expm1(-2 * next);
    if (!agrees(probability_of(step.opposite), opposite)) {
        return "opposite: does not follow from within";
    }
    if (!agrees(probability_of(step.stay), std::expm1(-2 * last) / std::expm1(-sum))) {
        return "stay: does not follow from within";
    }
    return "";
}

} // namespace sotto::aggregator
