// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_BASE_NUMBERS_HPP
#define SOTTO_AGGREGATOR_BASE_NUMBERS_HPP

#include "aggregator/base/text.hpp"

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace sotto::aggregator {

// To the nearest integer: "-1,234".
inline std::string rounded(double number) {
    const double whole = std::round(number);
    return (whole < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(std::abs(whole)));
}

// With so many decimals; never "-0.0".
inline std::string with_decimals(double number, int digits) {
    const std::string text = fmt::format("{:.{}f}", number, digits);
    return text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos ? text.substr(1)
                                                                                : text;
}

// Up to a multiple of 1 / scale; a double that is one but for its own rounding stays.
inline double ceiling(double number, double scale) {
    return std::ceil(number * scale * (1 - 1e-12)) / scale;
}

// An epsilon with four decimals at most, never in the product's favour.
inline std::string rounded_up(double epsilon) {
    return fmt::format("{:.10g}", ceiling(epsilon, 1e4));
}

// 12,345 -> 13,000.
inline double two_digits_up(double number) {
    const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(number)) - 1));
    return std::ceil(number / unit) * unit;
}

} // namespace sotto::aggregator
#endif
