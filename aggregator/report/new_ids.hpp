// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_REPORT_NEW_IDS_HPP
#define SOTTO_AGGREGATOR_REPORT_NEW_IDS_HPP

#include "aggregator/base/vector_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto::aggregator {

inline constexpr std::size_t ids_in_block = 8;

// A block of 64 bytes of the key stream of a seed, eight ids (WIRE.md).
struct id_block {
    std::uint64_t seed = 0;   // the wire's eight bytes, little-endian
    std::uint32_t number = 0; // from 0 on
};

// The ids of all blocks, eight a block, each as its eight bytes read big-endian. Blocks of many
// seeds go side by side through a vector's lanes: sixteen take little longer than one. `ids` has
// room for all. Any thread.
void make_new_ids(std::span<const id_block> blocks, std::span<std::uint64_t> ids,
                  vector_kernel kernel = fastest_kernel());

} // namespace sotto::aggregator
#endif
