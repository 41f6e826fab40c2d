# SPDX-License-Identifier: Apache-2.0
"""
Geom(q), q = e^-x, as independent binary digits (MECHANISMS.md, C). Digit j is one with probability
1 / (1 + e^(x 2^j)). An overflow flag, where there is one, says "2^B or more" with e^(-x 2^B).
Thresholds are rounded to the nearest; by what factor a probability may be off for that is bounded
here, exactly, from the integers.
"""
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import floor
from typing import Any

from .c_style import array
from .exact import ceil_div, exp_bounds

# Precision of the bounds. Enough for 128-bit thresholds of probabilities down to 2^-128.
BITS = 384


@dataclass(frozen=True)
class Factor:
    """Realised probabilities are within [low, high] times the ideal ones."""

    low: Fraction
    high: Fraction

    def __mul__(self, other: "Factor") -> "Factor":
        return Factor(_down(self.low * other.low), _up(self.high * other.high))

    def excess(self) -> Fraction:
        return self.high / self.low


EXACT = Factor(Fraction(1), Fraction(1))
NOTHING_KNOWN = Factor(Fraction(0), Fraction(1))


def _down(x: Fraction) -> Fraction:
    return Fraction((x.numerator << BITS) // x.denominator, 1 << BITS)


def _up(x: Fraction) -> Fraction:
    return Fraction(ceil_div(x.numerator << BITS, x.denominator), 1 << BITS)


@dataclass(frozen=True)
class Interval:
    """A positive real between two rationals."""

    low: Fraction
    high: Fraction

    def __mul__(self, other: "Interval") -> "Interval":
        return Interval(_down(self.low * other.low), _up(self.high * other.high))

    def __add__(self, other: "Interval | int") -> "Interval":
        if isinstance(other, int):
            return Interval(self.low + other, self.high + other)
        return Interval(self.low + other.low, self.high + other.high)

    def inverse(self) -> "Interval":
        return Interval(_down(1 / self.high), _up(1 / self.low))

    def complement(self) -> "Interval":
        """One minus it."""
        return Interval(1 - self.high, 1 - self.low)


@cache
def power_of_e(x: Fraction) -> Interval:
    """e^x, x >= 0."""
    low, high = exp_bounds(x, BITS)
    return Interval(_down(low), _up(high))


def decay(x: Fraction) -> Interval:
    """e^-x, x >= 0; beyond what can matter only a bound."""
    if x > 200:
        return Interval(Fraction(0), Fraction(1, 1 << 288))
    return power_of_e(x).inverse()


def nearest(ideal: Interval, bits: int) -> int:
    return floor(ideal.low * (1 << bits) + Fraction(1, 2))


def factor_of(threshold: int, bits: int, ideal: Interval) -> Factor:
    """The factor of a threshold: for its yes or for its no, whichever is worse."""
    if ideal.low == 0:
        return NOTHING_KNOWN
    yes = Fraction(threshold, 1 << bits)
    no = 1 - yes
    ideal_no = ideal.complement()
    return Factor(
        _down(min(yes / ideal.high, no / ideal_no.high, Fraction(1))),
        _up(max(yes / ideal.low, no / ideal_no.low, Fraction(1))),
    )


@dataclass(frozen=True)
class Geometric:
    x: Fraction
    digits: tuple[int, ...]  # low j first
    digit_bits: int  # 64 or 128
    overflow: int | None = None

    @property
    def random_bytes(self) -> int:
        count = len(self.digits) + (self.overflow is not None)
        return count * self.digit_bits // 8

    @property
    def cut(self) -> int:
        return 1 << len(self.digits)

    def document(self) -> dict[str, Any]:
        return {"digit_bits": self.digit_bits, "digits": [str(digit) for digit in self.digits]}

    def document_with_overflow(self) -> dict[str, Any]:
        flag = None if self.overflow is None else str(self.overflow)
        return self.document() | {"overflow": flag}

    def factor(self, digits: int | None = None) -> Factor:
        """The factor of every number of so many digits, all digits above them zero. The cut at 2^B
        is not counted here, a flag for it is."""
        count = len(self.digits) if digits is None else digits
        result = EXACT
        for j, threshold in enumerate(self.digits):
            ideal = digit_probability(self.x, j)
            factor = factor_of(threshold, self.digit_bits, ideal)
            result *= factor if j < count else _of_no(threshold, self.digit_bits, ideal)
        if self.overflow is not None:
            ideal = decay(self.x * self.cut)
            factor_at = factor_of if count == len(self.digits) else _of_no
            result *= factor_at(self.overflow, self.digit_bits, ideal)
        return result


def _of_no(threshold: int, bits: int, ideal: Interval) -> Factor:
    no = 1 - Fraction(threshold, 1 << bits)
    expected = ideal.complement()
    return Factor(
        _down(min(no / expected.high, Fraction(1))), _up(max(no / expected.low, Fraction(1)))
    )


@cache
def digit_probability(x: Fraction, j: int) -> Interval:
    """1 / (1 + e^(x 2^j)), written as e^-y / (1 + e^-y)."""
    power = decay(x * (1 << j))
    return Interval(_down(power.low / (1 + power.low)), _up(power.high / (1 + power.high)))


def digits_of(x: Fraction, count: int, digit_bits: int, overflow: bool = False) -> Geometric:
    digits = tuple(nearest(digit_probability(x, j), digit_bits) for j in range(count))
    flag = nearest(decay(x * (1 << count)), digit_bits) if overflow else None
    return Geometric(x, digits, digit_bits, flag)


def c_digits(name: str, geometric: Geometric) -> str:
    """The definition of the digits, with the overflow behind them."""
    limbs = geometric.digit_bits // 32
    values = list(geometric.digits)
    if geometric.overflow is not None:
        values.append(geometric.overflow)
    words = [
        f"0x{value >> (32 * i) & 0xFFFFFFFF:08x}u" for value in values for i in range(limbs)
    ]
    return array(f"static const uint32_t {name}[{len(words)}]", words)


def c_geometric(name: str, geometric: Geometric) -> str:
    """A sotto_geometric over those digits."""
    limbs = geometric.digit_bits // 32
    flag = int(geometric.overflow is not None)
    return f"{{{name}, {len(geometric.digits)}, {limbs}, {flag}}}"
