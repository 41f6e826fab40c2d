# SPDX-License-Identifier: Apache-2.0
"""Losses as bounds, certified against what was asked for, and what metrics.json says of a level."""
from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import Any

from .errors import RegistryError
from .exact import Bounds, decide, decimal_up, exp_bounds, ln_bounds, plain
from .model import COST_UNIT

DIGITS = 30
NOMINAL_BITS = 320

# Bounds of a loss, in nats, at a number of bits.
Loss = Callable[[int], Bounds]


def loss_of(*ratios: tuple[Fraction, int]) -> Loss:
    """The sum of count * ln(ratio), each ratio >= 1."""

    def bounds(bits: int) -> Bounds:
        low = high = Fraction(0)
        for ratio, count in ratios:
            ratio_low, ratio_high = ln_bounds(ratio, bits)
            low, high = low + count * ratio_low, high + count * ratio_high
        return low, high

    return bounds


def realised(loss: Loss) -> str:
    return decide(loss, lambda x: decimal_up(x, DIGITS))


def cost(loss: Loss) -> int:
    return decide(loss, lambda x: ceil(x * COST_UNIT))


def is_certified(epsilon: Fraction, loss: Loss) -> bool:
    """Is the loss at most epsilon, for certain?"""
    return decide(loss, lambda x: x <= epsilon)


def certify(epsilon: Fraction, loss: Loss) -> None:
    if not is_certified(epsilon, loss):
        raise RegistryError(
            f"epsilons: {plain(epsilon)} can't be certified: its thresholds lose more than that"
        )


def is_close(epsilon: Fraction, loss: Loss) -> bool:
    """Does rounding cost at most a millionth of epsilon?"""
    return loss(128)[0] >= epsilon * (1 - Fraction(1, 10**6))


def is_near(loss: Loss, asked: Loss) -> bool:
    """Not above what was asked for, and a millionth below it at most. Equal is near: decimals may
    be exact."""
    low, high = asked(256)
    least, most = loss(256)
    return most <= high and least >= low * (1 - Fraction(1, 10**6))


def exp_near(x: Fraction) -> Fraction:
    """
    e^x, x >= 0, to 2^-320: what is aimed at, before it is rounded to a threshold. Nothing rests on
    it: what the thresholds then lose is computed from the integers.
    """
    return exp_bounds(x, NOMINAL_BITS)[0]


def probability(numerator: int, denominator_bits: int) -> dict[str, Any]:
    return {"numerator": str(numerator), "denominator_bits": denominator_bits}


def exact_probability(x: Fraction, denominator_bits: int) -> dict[str, Any]:
    numerator = x * (1 << denominator_bits)
    if numerator.denominator != 1:
        raise AssertionError(f"{x} is no multiple of 2^-{denominator_bits}")
    return probability(numerator.numerator, denominator_bits)


def level_document(
    nominal: Fraction | None, loss: Loss, probabilities: dict[str, Any], **more: Any
) -> dict[str, Any]:
    return {
        "nominal": nominal and plain(nominal),
        "realised": realised(loss),
        "cost": str(cost(loss)),
        "probabilities": probabilities,
        **more,
    }


def lossless_pairs(levels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Two levels lose what the higher one loses: the lower is made of it without the value."""
    return [
        {"levels": [i, j], "joint": levels[j]["realised"]}
        for i in range(len(levels))
        for j in range(i + 1, len(levels))
    ]
