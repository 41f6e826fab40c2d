// SPDX-License-Identifier: Apache-2.0
#include "aggregator/mechanism/device_memory.hpp"

namespace sotto::aggregator {

sotto_threshold limbs(threshold t) {
    return {{static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(t >> 32)}};
}

sotto_bit_channel in_flash(const bit_channel_table &c) {
    return {limbs(c.one_if_zero), limbs(c.one_if_one), c.bits};
}

sotto_forward_bits in_flash(const forward_bits_table &t) {
    return {{in_flash(t.given[0]), in_flash(t.given[1])}};
}

const sotto_threshold *device_memory::thresholds(const std::vector<threshold> &from) {
    return each<sotto_threshold>(from, limbs);
}

const sotto_bit_channel *device_memory::channels(const std::vector<bit_channel_table> &from) {
    return each<sotto_bit_channel>(from, [](const bit_channel_table &c) { return in_flash(c); });
}

sotto_geometric device_memory::geometric(const geometric_table &from) {
    std::vector<wide_threshold> limbs = from.digits;
    if (from.overflow) {
        limbs.push_back(*from.overflow);
    }
    const std::size_t count = from.digit_bits / 32;
    std::uint32_t *place = array<std::uint32_t>(count * limbs.size());
    for (std::size_t i = 0; i < limbs.size(); ++i) {
        std::copy_n(limbs[i].begin(), count, place + count * i);
    }
    return {place, static_cast<std::uint8_t>(from.digits.size()), static_cast<std::uint8_t>(count),
            static_cast<std::uint8_t>(from.overflow ? 1 : 0)};
}

sotto_discrete_laplace device_memory::lattice(const discrete_laplace_table &from) {
    sotto_discrete_laplace out = {};
    out.noise = each<sotto_laplace_noise>(from.noise, [&](const laplace_noise_table &noise) {
        return sotto_laplace_noise{limbs(noise.nonzero), geometric(noise.size)};
    });
    out.min = from.min;
    out.max = from.max;
    out.publish_min = from.publish_min;
    out.publish_max = from.publish_max;
    out.length = from.length;
    out.l1_half = from.l1_half;
    return out;
}

const sotto_forward_bits *device_memory::forward_bits(const std::vector<forward_level> &steps) {
    return each<sotto_forward_bits>(steps, [](const forward_level &s) {
        return in_flash(std::get<forward_bits_table>(s.table));
    });
}

const sotto_forward_support *
device_memory::forward_support(const std::vector<forward_level> &steps) {
    return each<sotto_forward_support>(steps, [](const forward_level &s) {
        const auto &step = std::get<forward_support_table>(s.table);
        return sotto_forward_support{{limbs(step.keep_last[0]), limbs(step.keep_last[1])},
                                     limbs(step.keep)};
    });
}

} // namespace sotto::aggregator
