// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_STATISTICS_CELL_BOX_HPP
#define SOTTO_AGGREGATOR_STATISTICS_CELL_BOX_HPP

#include <cstdint>
#include <utility>

namespace sotto::aggregator {

// Cells of a square map: from and to, both included, of each of the two numbers.
struct cell_box {
    std::pair<std::uint32_t, std::uint32_t> x, y;
};

} // namespace sotto::aggregator
#endif
