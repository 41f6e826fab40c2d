# SPDX-License-Identifier: Apache-2.0
"""
The fate of a bit. It is one afterwards with probability one_if_zero if it was zero, one_if_one if
it was one, both integers out of 2^bits. 32 bits at once cost 4 * bits random bytes, so that
probabilities that are exact in few bits take few.
"""
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

from .c_style import threshold
from .errors import RegistryError

WIDTHS = (32, 48, 64)


@dataclass(frozen=True)
class Channel:
    one_if_zero: int
    one_if_one: int
    bits: int

    @property
    def if_zero(self) -> Fraction:
        return Fraction(self.one_if_zero, 1 << self.bits)

    @property
    def if_one(self) -> Fraction:
        return Fraction(self.one_if_one, 1 << self.bits)

    @property
    def random_bytes(self) -> int:
        return 4 * self.bits

    def after(self, p: Fraction) -> Fraction:
        """P(one) after the channel of a bit that is one with probability p."""
        return (1 - p) * self.if_zero + p * self.if_one

    def document(self) -> dict[str, Any]:
        return {
            "bits": self.bits,
            "one_if_zero": str(self.one_if_zero),
            "one_if_one": str(self.one_if_one),
        }

    def c_code(self) -> str:
        return f"{{{threshold(self.one_if_zero)}, {threshold(self.one_if_one)}, {self.bits}}}"


IDENTITY = Channel(0, 1, 0)


def rounded(if_zero: Fraction, if_one: Fraction, bits: int) -> Channel:
    """The nearest channel that says no more: zeros are made ones rather, ones rather not kept."""
    return Channel(ceil(if_zero * (1 << bits)), floor(if_one * (1 << bits)), bits)


def _fits(channel: Channel) -> bool:
    """2^64 is more than a threshold holds."""
    return channel.one_if_zero < channel.one_if_one < 1 << WIDTHS[-1]


def chosen(if_zero: Fraction, if_one: Fraction, is_good: Callable[[Channel], bool]) -> Channel:
    """The channel of the fewest bits: the one that is exact, or the first that is good enough."""
    if not 0 <= if_zero < if_one <= 1:
        raise RegistryError("the levels are too close, or they are not a ladder")
    denominator = max(if_zero.denominator, if_one.denominator)
    if denominator & (denominator - 1) == 0 and denominator <= 1 << WIDTHS[0]:
        exact = rounded(if_zero, if_one, denominator.bit_length() - 1)
        if is_good(exact):
            return exact
    for bits in WIDTHS:
        channel = rounded(if_zero, if_one, bits)
        if (channel.one_if_zero > 0 or if_zero == 0) and _fits(channel) and is_good(channel):
            return channel
    raise RegistryError(f"a probability can't be certified at {WIDTHS[-1]} bits")


def step_down(
    above: tuple[Fraction, Fraction], below: tuple[Fraction, Fraction]
) -> tuple[Fraction, Fraction]:
    """
    The channel from a bit of law (P(1|0), P(1|1)) = `above` to one of law `below` (MECHANISMS.md,
    D: t0 and t1). It is one, with both in [0, 1], exactly where nothing is lost.
    """
    (gamma2, beta2), (gamma1, beta1) = above, below
    scale = beta2 - gamma2
    if_zero = (gamma1 * beta2 - gamma2 * beta1) / scale
    if_one = (beta1 * (1 - gamma2) - gamma1 * (1 - beta2)) / scale
    return if_zero, if_one


def c_channels(name: str, channels: list[Channel]) -> str:
    lines = [f"static const sotto_bit_channel {name}[{len(channels)}] = {{"]
    lines += [f"    {channel.c_code()}," for channel in channels]
    return "\n".join([*lines, "};"])
