// SPDX-License-Identifier: Apache-2.0
#ifndef SOTTO_AGGREGATOR_MECHANISM_DEVICE_MEMORY_HPP
#define SOTTO_AGGREGATOR_MECHANISM_DEVICE_MEMORY_HPP

#include "aggregator/mechanism/metric.hpp"

#include "sotto/registry.h"

#include <algorithm>
#include <memory>
#include <memory_resource>
#include <type_traits>

namespace sotto::aggregator {

// Where the tables of a device stand that are made at run time. They last as long as it does, and
// point into each other.
class device_memory {
  public:
    // `count` elements, all zero.
    template <typename T> T *array(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>); // nobody will
        auto *place = static_cast<T *>(memory_.allocate(count * sizeof(T), alignof(T)));
        std::uninitialized_value_construct_n(place, count);
        return place;
    }

    template <typename T> const T *keep(const T &table) {
        T *place = array<T>(1);
        *place = table;
        return place;
    }

    // Null where there is none.
    template <typename T, typename From, typename Make>
    const T *each(const std::vector<From> &from, Make make) {
        if (from.empty()) {
            return nullptr;
        }
        T *place = array<T>(from.size());
        std::transform(from.begin(), from.end(), place, make);
        return place;
    }

    // Tables of metrics.json as a device has them, by level.
    const sotto_threshold *thresholds(const std::vector<threshold> &from);
    const sotto_bit_channel *channels(const std::vector<bit_channel_table> &from);
    sotto_geometric geometric(const geometric_table &from);
    sotto_discrete_laplace lattice(const discrete_laplace_table &from);

    // Steps above a ladder of bits.
    const sotto_forward_bits *forward_bits(const std::vector<forward_level> &steps);
    // Steps by whether the last answer supports the value.
    const sotto_forward_support *forward_support(const std::vector<forward_level> &steps);

  private:
    std::pmr::monotonic_buffer_resource memory_;
};

// As sdk/include/sotto/registry.h has them: limbs of 32 bits, low first.
sotto_threshold limbs(threshold t);
sotto_bit_channel in_flash(const bit_channel_table &c);
sotto_forward_bits in_flash(const forward_bits_table &t);

} // namespace sotto::aggregator
#endif
