// SPDX-License-Identifier: Apache-2.0
// X25519 over fiat-crypto's field arithmetic, which is proved for limbs within bounds: the types
// below keep them. Names and formulas of the ladder are those of RFC 7748, 5.
#include "crypto/x25519.hpp"

#include "crypto/wipe.hpp"
#include "random/fixed_time.hpp"

#include <curve25519_32.h>

#if defined(__ARM_ARCH_6M__)
// These cores multiply 32 bits into 32. X25519 and Poly1305 need more, and what GCC's library has
// for it (12.2's at least) branches on a carry. This takes its place in any program that seals:
// the library comes last, and this object has to be linked.
extern "C" uint64_t __aeabi_lmul(uint64_t a, uint64_t b) {
    const uint32_t a_low = static_cast<uint32_t>(a), b_low = static_cast<uint32_t>(b);
    const uint32_t a_high = static_cast<uint32_t>(a >> 32), b_high = static_cast<uint32_t>(b >> 32);
    const uint32_t a0 = a_low & 0xffff, a1 = a_low >> 16, b0 = b_low & 0xffff, b1 = b_low >> 16;
    // No sum below leaves 32 bits: (2^16 - 1)^2 + 2^16 - 1 < 2^32.
    const uint32_t first = a0 * b0;
    const uint32_t second = a1 * b0 + (first >> 16);
    const uint32_t third = a0 * b1 + (second & 0xffff);
    const uint32_t low = third << 16 | (first & 0xffff);
    const uint32_t high = a1 * b1 + (second >> 16) + (third >> 16);
    return static_cast<uint64_t>(high + a_high * b_low + a_low * b_high) << 32 | low;
}
#if defined(__GNUC__)
// Its other name there: nothing may be left that brings the library's.
extern "C" uint64_t __muldi3(uint64_t, uint64_t) __attribute__((alias("__aeabi_lmul")));
#endif
#endif

namespace sotto::crypto {
namespace {

constexpr size_t limb_count = 10;

// Products are tight, and tight elements can be added.
struct tight {
    uint32_t limbs[limb_count];
};
// Sums and differences are loose.
struct loose {
    uint32_t limbs[limb_count];
};
// Both can be multiplied.
struct factor {
    factor(const tight &t) : limbs(t.limbs) {}
    factor(const loose &l) : limbs(l.limbs) {}
    const uint32_t *limbs;
};

// fiat-crypto's functions read all of their arguments before they write: the result may be one.
// They are long, so there is one copy of each.
[[gnu::noinline]] void add(loose &sum, const tight &a, const tight &b) {
    fiat_25519_add(sum.limbs, a.limbs, b.limbs);
}
[[gnu::noinline]] void subtract(loose &difference, const tight &a, const tight &b) {
    fiat_25519_sub(difference.limbs, a.limbs, b.limbs);
}
[[gnu::noinline]] void multiply(tight &product, factor a, factor b) {
    fiat_25519_carry_mul(product.limbs, a.limbs, b.limbs);
}
[[gnu::noinline]] void square(tight &product, factor a) {
    fiat_25519_carry_square(product.limbs, a.limbs);
}

// The bit above 2^255 does not count. A number of the field may have two forms.
[[gnu::noinline]] void decode(tight &out, const uint8_t point[x25519_bytes]) {
    uint8_t masked[x25519_bytes];
    for (size_t i = 0; i < x25519_bytes; ++i) {
        masked[i] = point[i];
    }
    masked[x25519_bytes - 1] &= 0x7f;
    fiat_25519_from_bytes(out.limbs, masked);
}

// To the power of 2^255 - 21, which is (2^250 - 1) 2^5 + 11: its inverse, and 0 for 0.
[[gnu::noinline]] void invert(tight &z) {
    tight power = z, half; // z^(2^n - 1), n being the leading bits of 250
    for (uint32_t n = 1, at = 7; at-- > 0;) {
        half = power;
        for (uint32_t i = n; i > 0; --i) {
            square(power, power);
        }
        multiply(power, power, half);
        n *= 2;
        if ((250u >> at & 1u) != 0) {
            square(power, power);
            multiply(power, power, z);
            ++n;
        }
    }
    for (uint32_t at = 5; at-- > 0;) {
        square(power, power);
        if ((11u >> at & 1u) != 0) {
            multiply(power, power, z);
        }
    }
    z = power;
}

// The point's u, and two of its multiples that are one point apart: u = x / z.
struct ladder {
    tight x_1, x_2, z_2, x_3, z_3;
};

void exchange(mask m, tight &a, tight &b) {
    for (size_t i = 0; i < limb_count; ++i) {
        const uint32_t difference = m & (a.limbs[i] ^ b.limbs[i]);
        a.limbs[i] ^= difference;
        b.limbs[i] ^= difference;
    }
}

// A = x_2 + z_2 and B = x_2 - z_2 are given.
[[gnu::noinline]] void add_points(ladder &l, const loose &a, const loose &b) {
    loose sum, difference;
    add(sum, l.x_3, l.z_3);             // C
    subtract(difference, l.x_3, l.z_3); // D
    multiply(l.x_3, difference, a);     // DA
    multiply(l.z_3, sum, b);            // CB
    add(sum, l.x_3, l.z_3);
    subtract(difference, l.x_3, l.z_3);
    square(l.x_3, sum);
    square(l.z_3, difference);
    multiply(l.z_3, l.z_3, l.x_1);
}

// AA + 121665 E, as RFC 7748 has it, is BB + 121666 E.
[[gnu::noinline]] void double_point(ladder &l, const loose &a, const loose &b) {
    loose e, sum;
    tight multiple;
    square(l.x_2, a); // AA
    square(l.z_2, b); // BB
    subtract(e, l.x_2, l.z_2);
    multiply(l.x_2, l.x_2, l.z_2);
    fiat_25519_carry_scmul_121666(multiple.limbs, e.limbs);
    add(sum, l.z_2, multiple);
    multiply(l.z_2, e, sum);
}

void step(ladder &l) {
    loose a, b;
    add(a, l.x_2, l.z_2);
    subtract(b, l.x_2, l.z_2);
    add_points(l, a, b);
    double_point(l, a, b);
}

void exchange_points(ladder &l, uint32_t bit) {
    const mask m = mask_of_bit(bit);
    exchange(m, l.x_2, l.x_3);
    exchange(m, l.z_2, l.z_3);
}

// The scalar's clamped bits, the highest first: 254 is set, 2, 1 and 0 are not.
void climb(ladder &l, const uint8_t scalar[x25519_bytes]) {
    uint32_t last = 0;
    for (uint32_t at = 255; at-- > 0;) {
        const uint32_t given = static_cast<uint32_t>(scalar[at / 8]) >> (at % 8) & 1u;
        const uint32_t bit = at == 254 ? 1u : at < 3 ? 0u : given;
        exchange_points(l, last ^ bit);
        last = bit;
        step(l);
    }
    // The last bit is clear: nothing is exchanged.
}

} // namespace

sotto_status x25519(const uint8_t scalar[x25519_bytes], const uint8_t point[x25519_bytes],
                    uint8_t out[x25519_bytes]) {
    ladder l = {};
    decode(l.x_1, point);
    l.x_2.limbs[0] = l.z_3.limbs[0] = 1;
    l.x_3 = l.x_1;
    climb(l, scalar);
    invert(l.z_2);
    multiply(l.x_2, l.x_2, l.z_2);
    fiat_25519_to_bytes(out, l.x_2.limbs);
    wipe(&l, sizeof l);
    uint32_t any = 0;
    for (size_t i = 0; i < x25519_bytes; ++i) {
        any |= out[i];
    }
    return declassified(is_zero(any)) == 0 ? sotto_status{SOTTO_OK}
                                           : sotto_status{SOTTO_ERR_CRYPTO};
}

} // namespace sotto::crypto
