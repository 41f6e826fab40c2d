// SPDX-License-Identifier: Apache-2.0
#include "aggregator/base/big_integer.hpp"

#include <bit>
#include <cmath>

namespace sotto::aggregator {

std::vector<std::uint32_t> big_integer(std::string_view digits) {
    std::vector<std::uint32_t> limbs;
    for (const char digit : digits) {
        auto carry = static_cast<std::uint64_t>(digit - '0');
        for (std::uint32_t &limb : limbs) {
            carry += std::uint64_t{10} * limb;
            limb = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) {
            limbs.push_back(static_cast<std::uint32_t>(carry));
        }
    }
    return limbs;
}

std::string decimal_text(std::vector<std::uint32_t> limbs) {
    std::string digits;
    for (;;) {
        std::uint64_t rest = 0;
        bool more = false;
        for (std::size_t i = limbs.size(); i-- > 0;) {
            rest = rest << 32 | limbs[i];
            limbs[i] = static_cast<std::uint32_t>(rest / 10);
            rest %= 10;
            more = more || limbs[i] != 0;
        }
        digits.insert(digits.begin(), static_cast<char>('0' + rest));
        if (!more) {
            return digits;
        }
    }
}

std::size_t bit_length(const std::vector<std::uint32_t> &limbs) {
    return limbs.empty()
               ? 0
               : 32 * limbs.size() - static_cast<unsigned>(std::countl_zero(limbs.back()));
}

double scaled_down(const std::vector<std::uint32_t> &limbs, std::uint32_t bits) {
    // The first 64 bits, and in the last of them whether any bit below is set: converting that
    // rounds as converting the whole number would.
    const std::size_t length = bit_length(limbs);
    const std::size_t below = length > 64 ? length - 64 : 0;
    std::uint64_t head = 0;
    bool rest = false;
    for (std::size_t bit = length; bit-- > 0;) {
        const bool is_set = (limbs[bit / 32] >> (bit % 32) & 1) != 0;
        if (bit >= below) {
            head = head << 1 | (is_set ? 1 : 0);
        } else {
            rest = rest || is_set;
        }
    }
    return std::ldexp(static_cast<double>(head | (rest ? 1 : 0)),
                      static_cast<int>(below) - static_cast<int>(bits));
}

} // namespace sotto::aggregator
