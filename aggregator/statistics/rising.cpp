// SPDX-License-Identifier: Apache-2.0
#include "aggregator/statistics/rising.hpp"

namespace sotto::aggregator {

std::vector<double> rising(std::span<const double> numbers) {
    struct block {
        double sum;
        std::size_t size;

        double mean() const { return sum / static_cast<double>(size); }
    };
    std::vector<block> blocks;
    for (const double number : numbers) {
        block last = {number, 1};
        while (!blocks.empty() && blocks.back().mean() > last.mean()) {
            last.sum += blocks.back().sum;
            last.size += blocks.back().size;
            blocks.pop_back();
        }
        blocks.push_back(last);
    }
    std::vector<double> out;
    for (const block &some : blocks) {
        out.insert(out.end(), some.size, some.mean());
    }
    return out;
}

} // namespace sotto::aggregator
