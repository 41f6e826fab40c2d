// SPDX-License-Identifier: Apache-2.0
#include "aggregator/simulate/simulated_rows.hpp"

#include <algorithm>

namespace sotto::aggregator {
namespace {

constexpr std::size_t block_devices = 4096;

} // namespace

bool simulated_rows::next(std::vector<simulated_device> &block) {
    block.clear();
    while (block.size() < block_devices && (left_ > 0 || read_row())) {
        --left_;
        block.push_back({++devices_, values_});
        for (measured_value &value : block.back().values) {
            value.levels = levels_of(*value.subject);
        }
    }
    return !block.empty();
}

double simulated_rows::done_share() const {
    if (from_.size_bytes() == 0) {
        return 0;
    }
    const auto end = static_cast<double>(from_.read_bytes());
    const auto row = end - static_cast<double>(row_begin_);
    return (end - row * static_cast<double>(left_) / static_cast<double>(plan_.repeat)) /
           static_cast<double>(from_.size_bytes());
}

bool simulated_rows::read_row() {
    row_begin_ = from_.read_bytes();
    if (!from_.next(cells_)) {
        return false;
    }
    values_.clear();
    for (mapped_column &column : columns_) {
        if (std::optional<cell_value> value = column.read(cells_, from_)) {
            values_.push_back({column.subject, std::move(*value)});
        }
    }
    left_ = plan_.repeat;
    return true;
}

std::uint32_t simulated_rows::levels_of(const metric &m) {
    return m.level_count() > 1 && relaxed_.next() ? 1 : plan_.levels;
}

} // namespace sotto::aggregator
