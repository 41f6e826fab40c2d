// SPDX-License-Identifier: Apache-2.0
#include "mechanism/table_check.hpp"

namespace sotto {
namespace {

// Does a threshold lie within 0 ... 2^bits?
bool is_within(const sotto_threshold &t, uint32_t bits) {
    if (bits >= 64) {
        return true;
    }
    const uint32_t high = bits >= 32 ? t.limb[1] >> (bits - 32) : t.limb[1];
    const uint32_t low = bits >= 32 ? t.limb[0] : t.limb[0] >> bits;
    const uint32_t rest = bits >= 32 ? t.limb[0] | (t.limb[1] & ((1u << (bits - 32)) - 1))
                                     : t.limb[0] & ((1u << bits) - 1);
    if (bits >= 32) {
        return high == 0 || (high == 1 && rest == 0);
    }
    return high == 0 && (low == 0 || (low == 1 && rest == 0));
}

bool is_below(const sotto_threshold &a, const sotto_threshold &b) {
    return a.limb[1] != b.limb[1] ? a.limb[1] < b.limb[1] : a.limb[0] < b.limb[0];
}

} // namespace

bool are_flips(const sotto_threshold *flip, uint8_t count) {
    if (flip == nullptr) {
        return false;
    }
    for (uint8_t i = 0; i < count; ++i) {
        if (is_zero(flip[i]) || flip[i].limb[1] >= 0x80000000u) {
            return false;
        }
    }
    const sotto_threshold &top = flip[count - 1];
    return top.limb[1] != 0 || top.limb[0] >= top_flip_min;
}

uint64_t noise_min(uint32_t bits) { return bits > 48 ? top_flip_min >> (64 - bits) : 1; }

bool leaves_noise(const sotto_threshold &t, uint32_t bits) {
    const uint64_t whole = bits == 64 ? 0 : uint64_t{1} << bits;
    return whole - number(t) >= noise_min(bits) && (bits == 64 || number(t) < whole);
}

bool are_channels(const sotto_bit_channel *channel, uint8_t count) {
    if (channel == nullptr) {
        return false;
    }
    for (uint8_t i = 0; i < count; ++i) {
        const sotto_bit_channel &c = channel[i];
        if (c.bits > 64 || !is_within(c.one_if_zero, c.bits) || !is_within(c.one_if_one, c.bits) ||
            !is_below(c.one_if_zero, c.one_if_one)) {
            return false;
        }
    }
    return true;
}

bool hides(const sotto_bit_channel &c) {
    const uint64_t zero = number(c.one_if_zero);
    return c.bits > 0 && zero >= noise_min(c.bits) && leaves_noise(c.one_if_one, c.bits);
}

bool is_geometric(const sotto_geometric &g) {
    return g.digit != nullptr && g.digit_count >= 1 && g.digit_count <= SOTTO_DIGITS_MAX &&
           (g.digit_limbs == 2 || g.digit_limbs == 4) && g.has_overflow <= 1;
}
} // namespace sotto
