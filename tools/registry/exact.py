# SPDX-License-Identifier: Apache-2.0
"""Exact arithmetic: rational bounds of exp and ln, and roundings decided from them."""
from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import TypeVar

from .errors import RegistryError

Bounds = tuple[Fraction, Fraction]
T = TypeVar("T")

FIRST_PRECISION_BITS = 128
LAST_PRECISION_BITS = 1 << 15


def decide(bounds: Callable[[int], Bounds], monotone: Callable[[Fraction], T]) -> T:
    """
    monotone(x) for a real x that is known by its bounds to a number of bits only: they are refined
    until both answer the same. The numbers here are transcendental, so that none sits on an edge.
    """
    bits = FIRST_PRECISION_BITS
    while bits <= LAST_PRECISION_BITS:
        lower, upper = (monotone(bound) for bound in bounds(bits))
        if lower == upper:
            return lower
        bits *= 2
    raise RegistryError(f"a rounding is undecided at {LAST_PRECISION_BITS} bits")


def exp_bounds(x: Fraction, bits: int) -> Bounds:
    """Bounds of e^x, x >= 0, by its power series in fixed point."""
    whole = 1 << bits
    low = high = term_low = term_high = whole
    k, halving = 0, ceil(2 * x)
    while k + 1 < halving or term_high > 1:
        k += 1
        term_low = term_low * x.numerator // (k * x.denominator)
        term_high = ceil_div(term_high * x.numerator, k * x.denominator)
        low += term_low
        high += term_high
    # From here on a term is at most half of the one before it: the rest is at most the last.
    return Fraction(low, whole), Fraction(high + term_high, whole)


def ln_bounds(x: Fraction, bits: int) -> Bounds:
    """Bounds of ln x, x >= 1, as k ln 2 + ln m with m in [1, 2)."""
    k = (x.numerator // x.denominator).bit_length() - 1
    m = x / (1 << k)
    two_low, two_high = _atanh_bounds(Fraction(1, 3), bits)
    low, high = _atanh_bounds((m - 1) / (m + 1), bits)
    half = 1 << (bits - 1)
    return Fraction(k * two_low + low, half), Fraction(k * two_high + high, half)


def _atanh_bounds(z: Fraction, bits: int) -> tuple[int, int]:
    """Bounds of 2^bits * atanh z, 0 <= z <= 1/3, by its power series in fixed point."""
    numerator, denominator = z.numerator**2, z.denominator**2
    power_low = (z.numerator << bits) // z.denominator
    power_high = ceil_div(z.numerator << bits, z.denominator)
    low, high = power_low, power_high
    k = 1
    while power_high > 1:
        k += 2
        power_low = power_low * numerator // denominator
        power_high = ceil_div(power_high * numerator, denominator)
        low += power_low // k
        high += ceil_div(power_high, k)
    # A term is at most a ninth of the one before it.
    return low, high + power_high


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def decimal_up(x: Fraction, digits: int) -> str:
    """x > 0 as a plain decimal of that many significant digits, rounded up."""
    places = digits - 1
    while x * 10**places < 10 ** (digits - 1):
        places += 1
    while places > 0 and x * 10**places >= 10**digits:
        places -= 1
    scaled = ceil(x * 10**places)
    if places > 0 and scaled == 10**digits:
        scaled, places = scaled // 10, places - 1
    return _point(scaled, places)


def plain(x: Fraction) -> str:
    """The exact text of a decimal fraction: no exponent, no zero that isn't needed."""
    places = 0
    while (x * 10**places).denominator != 1:
        places += 1
    return _point(int(x * 10**places), places)


def _point(scaled: int, places: int) -> str:
    text = f"{scaled:0{places + 1}d}"
    return f"{text[:-places]}.{text[-places:]}" if places else text
