// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_DIFFERENCE_SET_HPP
#define SOTTO_AGGREGATOR_STATISTICS_DIFFERENCE_SET_HPP

#include "aggregator/statistics/bit_channel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::aggregator {

// Numbers below `answers`, whose differences are each number but 0 equally often. Answer y supports
// value v when y + v is one of them, modulo `answers`. Any two values share equally many answers:
// that makes support a channel of one bit, which knows no third value.
struct difference_set {
    std::uint32_t answers = 0;
    std::vector<std::uint16_t> design; // rising

    bool operator==(const difference_set &) const = default;

    bool is_one() const;
    double density() const { return static_cast<double>(design.size()) / answers; }
    std::uint32_t support(std::size_t j, std::uint32_t value) const;
    bool supports(std::uint32_t answer, std::uint32_t value) const;
    // How many support the value, which is below `answers`, given the counts by answer.
    std::uint64_t count(std::span<const std::uint64_t> counts, std::uint32_t value) const;
    // One answer by the channel of support: its chance where it does not support the value, and
    // where it does.
    bit_channel answer_channel(const bit_channel &support) const;
};

// The channel of support. With probability `keep` one of the true value's w answers is drawn, and
// one of all N otherwise:
//   p = keep + (1 - keep) w / N,   q = keep (w - 1) / (N - 1) + (1 - keep) w / N.
bit_channel support_channel(double keep, double answers, double width);

} // namespace sotto::aggregator
#endif
