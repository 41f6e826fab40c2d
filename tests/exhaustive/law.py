# SPDX-License-Identifier: Apache-2.0
"""
The exact law of the C++ core. Each decision that it takes on random bytes is taken both ways: with
bytes right below the table's threshold, and with bytes right on it. The threshold itself is the
weight. The thresholds come from metrics.json and the answers from the compiled tables, so that a
difference between the two shows as well.
"""
import math
from collections import defaultdict
from fractions import Fraction
from typing import Any

Choice = tuple[bytes, Fraction]
Law = dict[Any, Fraction]


def number(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little")


def threshold(text: str, bits: int = 64) -> list[Choice]:
    """Below the threshold, or not."""
    t, size = int(text), bits // 8
    assert 0 <= t < 1 << bits
    below = Fraction(t, 1 << bits)
    if t == 0:
        return [(number(0, size), Fraction(1))]
    return [(number(t - 1, size), below), (number(t, size), 1 - below)]


def parts(numbers: list[int], bits: int) -> list[Choice]:
    """Between several thresholds: the first number of each part, and the last for all others."""
    begins = sorted({0, *numbers})
    result = []
    for begin, end in zip(begins, [*begins[1:], 1 << bits]):
        result.append((number(begin, bits // 8), Fraction(1, 1 << bits)))
        if end - begin > 1:
            result.append((number(end - 1, bits // 8), Fraction(end - begin - 1, 1 << bits)))
    return result


def uniform(size: int, bits: int = 64) -> list[Choice]:
    """The first number of each outcome, floor(u size / 2^bits)."""
    firsts = [-(-(v << bits) // size) for v in range(size)] + [1 << bits]
    return [
        (number(firsts[v], bits // 8), Fraction(firsts[v + 1] - firsts[v], 1 << bits))
        for v in range(size)
    ]


SIGN: list[Choice] = [(number(0, 4), Fraction(1, 2)), (number(1, 4), Fraction(1, 2))]


def geometric(table: dict[str, Any]) -> list[list[Choice]]:
    bits = int(table["digit_bits"])
    digits = [threshold(digit, bits) for digit in table["digits"]]
    overflow = table.get("overflow")
    return digits + ([threshold(overflow, bits)] if overflow else [])


def laplace(noise: dict[str, Any]) -> list[list[Choice]]:
    return [threshold(noise["nonzero"]), SIGN, *geometric(noise)]


def law_of(decisions: list[list[Choice]], run: Any) -> Law:
    """The law of run(random bytes)."""
    # Whole numbers over one denominator: fractions would take most of the time.
    scaled, denominator = [], 1
    for choices in decisions:
        common = math.lcm(*(weight.denominator for _, weight in choices))
        scaled.append([(data, int(weight * common)) for data, weight in choices])
        denominator *= common
    law: dict[Any, int] = defaultdict(int)
    branches = [(b"", 1)]
    for choices in scaled:
        branches = [(head + data, w * v) for head, w in branches for data, v in choices]
    for random, weight in branches:
        law[run(random)] += weight
    assert sum(law.values()) == denominator
    return {outcome: Fraction(weight, denominator) for outcome, weight in law.items()}


def lane_bytes(lane: int, value: int, bits: int, others: int) -> bytes:
    """A lane's number, bit j in word j; the other lanes hold `others`."""
    words = []
    for j in range(bits):
        word = others & 0xFFFFFFFF & ~(1 << lane)
        words.append(number(word | (value >> j & 1) << lane, 4))
    return b"".join(words)


def channel_lane(channel: dict[str, Any], lane: int, run: Any) -> tuple[Fraction, Fraction]:
    """
    P(one | zero), P(one | one) of a lane of the compiled channel, run(bits, random) -> bits. The other
    lanes hold ones and then zeros, in and out: they must not matter.
    """
    bits = int(channel["bits"])
    result = []
    for true_bit, key in ((0, "one_if_zero"), (1, "one_if_one")):
        t = int(channel[key])
        for others in (0, 0xFFFFFFFF, 0x5A5A5A5A):
            word = others & ~(1 << lane) | true_bit << lane
            if t > 0:
                below = lane_bytes(lane, min(t, (1 << bits)) - 1, bits, others)
                assert run(word, below) >> lane & 1 == 1, (channel, lane)
            if t < 1 << bits:
                assert run(word, lane_bytes(lane, t, bits, others)) >> lane & 1 == 0, (channel, lane)
        result.append(Fraction(t, 1 << bits))
    return result[0], result[1]
