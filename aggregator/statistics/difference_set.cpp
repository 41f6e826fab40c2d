// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/difference_set.hpp"

#include <algorithm>

namespace sotto::aggregator {

bool difference_set::is_one() const {
    if (!std::ranges::is_sorted(design, std::ranges::less_equal()) || design.size() < 2 ||
        design.back() >= answers) {
        return false;
    }
    std::vector<std::uint32_t> times(answers);
    for (const std::uint32_t a : design) {
        for (const std::uint32_t b : design) {
            ++times[a >= b ? a - b : a + answers - b];
        }
    }
    return std::all_of(times.begin() + 1, times.end(),
                       [&](std::uint32_t count) { return count == times[1]; });
}

std::uint32_t difference_set::support(std::size_t j, std::uint32_t value) const {
    return design[j] >= value ? design[j] - value : design[j] + answers - value;
}

bool difference_set::supports(std::uint32_t answer, std::uint32_t value) const {
    return std::ranges::binary_search(design, (answer + value) % answers);
}

std::uint64_t difference_set::count(std::span<const std::uint64_t> counts,
                                    std::uint32_t value) const {
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < design.size(); ++j) {
        sum += counts[support(j, value)];
    }
    return sum;
}

bit_channel difference_set::answer_channel(const bit_channel &support) const {
    const auto width = static_cast<double>(design.size());
    return {(1 - support.one_if_one) / (answers - width), support.one_if_one / width};
}

bit_channel support_channel(double keep, double answers, double width) {
    const double any = (1 - keep) * width / answers;
    return {keep * (width - 1) / (answers - 1) + any, keep + any};
}

} // namespace sotto::aggregator
