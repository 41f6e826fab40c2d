// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_ESTIMATE_STRAY_EPOCHS_HPP
#define SOTTO_AGGREGATOR_ESTIMATE_STRAY_EPOCHS_HPP

#include <cstdint>

namespace sotto::aggregator {

// Whether an epoch has less than 1 % of the reports of its metric's largest: a few forged reports,
// or devices whose clocks are wrong. It neither stands for what is new nor is put into one with
// others.
inline bool is_stray(std::uint64_t reports, std::uint64_t of_largest) {
    return reports < of_largest / 100 + (of_largest % 100 != 0 ? 1 : 0);
}

} // namespace sotto::aggregator
#endif
