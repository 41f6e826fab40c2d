# SPDX-License-Identifier: Apache-2.0
"""
MIX (MECHANISMS.md, C, D and K). With probability A / 2^64 the answer is one of `width` that support
the value: floor(u * width / 2^64) says which. Otherwise it is any of `size`, floor(u * size / 2^64).
A level below keeps the answer above it with its own A; otherwise it is any again. Level i then shows a
supporting answer with probability kappa_i, the product of the A from the top down to it:

    epsilon_i = ln(1 + kappa_i * ceil(2^64 / width) / ((1 - kappa_i) * floor(2^64 / size))).

Each level is made of the one above it alone: any set of them loses what the highest loses.
"""
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from .c_style import comment, threshold
from .errors import RegistryError
from .exact import plain
from .levels import Loss, certify, exact_probability, exp_near, level_document, loss_of

BITS = 64
ONE = 1 << BITS


@dataclass(frozen=True)
class Level:
    nominal: Fraction
    keep: int  # out of 2^64
    kappa: Fraction  # the exact probability that no level down to this one was redrawn
    loss: Loss


def rarest(size: int, width: int = 1) -> Fraction:
    """The chance of the rarest of all answers, over that of the most frequent supporting one."""
    return Fraction(ONE // size, -(-ONE // width))


def certified_levels(
    epsilons: tuple[Fraction, ...], least: Fraction, above: Fraction = Fraction(1)
) -> list[Level]:
    """`least` is that of rarest(), `above` the kappa of what the top is made of: 1, of the true value."""
    levels: list[Level] = []
    for epsilon in reversed(epsilons):
        keep = floor(nominal_kappa(epsilon, least) / above * ONE)
        if keep >= ONE:
            higher = plain(levels[-1].nominal) if levels else "infinity"
            raise RegistryError(
                f"epsilons: {plain(epsilon)} and {higher} are too close to certify at {BITS} bits"
            )
        if keep == 0:
            raise RegistryError(f"epsilons: {plain(epsilon)} keeps nothing at {BITS} bits")
        above *= Fraction(keep, ONE)
        loss = loss_of((loss_ratio(above, least), 1))
        certify(epsilon, loss)
        levels.append(Level(epsilon, keep, above, loss))
    return levels[::-1]


def nominal_kappa(epsilon: Fraction, least: Fraction) -> Fraction:
    odds = (exp_near(epsilon) - 1) * least
    return odds / (1 + odds)


def loss_ratio(kappa: Fraction, least: Fraction) -> Fraction:
    return 1 + kappa / ((1 - kappa) * least)


def level_documents(levels: list[Level]) -> list[dict[str, Any]]:
    return [
        level_document(
            level.nominal,
            level.loss,
            {"keep": exact_probability(level.kappa, BITS * (len(levels) - i))},
        )
        for i, level in enumerate(levels)
    ]


def c_keeps(
    name: str, levels: list[Level], documents: list[dict[str, Any]], top: str = "the true value"
) -> list[str]:
    lines = [f"static const sotto_threshold {name}_keep[{len(levels)}] = {{"]
    for i, (level, document) in enumerate(zip(levels, documents)):
        text = f"Level {i}, epsilon {document['nominal']}: realised {document['realised']}."
        kept = f"level {i + 1}" if i + 1 < len(levels) else top
        lines.append(comment(text, indent="    "))
        lines.append(f"    {threshold(level.keep)}, /* keeps {kept}: {level.keep} / 2^{BITS} */")
    return [*lines, "};"]
