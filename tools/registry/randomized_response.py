# SPDX-License-Identifier: Apache-2.0
"""
Randomized response over a ladder of levels, drawn from the top down. The top level is the true
value flipped with probability 1/(1 + e^epsilon). Each level below is the one above it flipped with
s = (p - p')/(1 - 2p'). Here p is its own nominal marginal and p' the realised one of the level
above.

Each level is a randomised function of the level above alone. Publishing any set of levels therefore
loses exactly what the highest of them loses. Thresholded Laplace noise on the unit grid is this
very ladder (MECHANISMS.md, D), and so is what one_bit_mean does to its rounded bit.
"""
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from . import forward_bits
from .c_style import comment, threshold
from .errors import RegistryError
from .exact import Bounds, decide, exp_bounds, plain
from .levels import Loss, certify, cost, exact_probability, exp_near, level_document
from .levels import loss_of, lossless_pairs, realised
from .mechanism import Ladder
from .model import Compiled, Forward, Metric

BITS = 64


@dataclass(frozen=True)
class Level:
    nominal: Fraction
    flip: int  # out of 2^64, of the level above it, or of the true value
    marginal: Fraction  # the exact probability that what is published isn't true
    loss: Loss

    @property
    def realised(self) -> str:
        return realised(self.loss)

    @property
    def cost(self) -> int:
        return cost(self.loss)


def compile_metric(metric: Metric) -> Compiled:
    levels = certified_levels(metric.epsilons)
    documents = level_documents(levels)
    forward = forward_levels(metric, levels)
    definitions = [
        c_flips(metric.name, levels),
        f"static const sotto_randomized_response {metric.name}_table = {{{metric.name}_flip}};",
    ]
    return Compiled(
        levels=documents,
        pairs=lossless_pairs(documents),
        joint=documents[-1]["realised"],
        joint_cost=documents[-1]["cost"],
        random_bytes=BITS // 8,
        table={"bits": BITS, "flip": [str(level.flip) for level in levels]},
        mechanism=MECHANISM.name,
        member="randomized_response",
        c_definitions="\n".join(definitions),
        forward=forward,
    )


def certified_levels(epsilons: tuple[Fraction, ...]) -> list[Level]:
    flips = thresholds(epsilons)
    levels = []
    for epsilon, flip, marginal in zip(epsilons, flips, marginals(flips)):
        if 2 * marginal >= 1:
            raise RegistryError(f"epsilons: {plain(epsilon)} realises a fair coin: no information")
        loss = loss_of((1 / marginal - 1, 1))
        certify(epsilon, loss)
        levels.append(Level(epsilon, flip, marginal, loss))
    return levels


def thresholds(epsilons: tuple[Fraction, ...]) -> list[int]:
    """flip of each level, every one rounded up: more noise, never less."""
    above = Fraction(0)  # the realised marginal of the level above; the true value is never wrong
    flips: list[int] = []
    for epsilon in reversed(epsilons):
        flip = decide(
            lambda bits: _step_bounds(epsilon, above, bits), lambda step: ceil(step * (1 << BITS))
        )
        if flip <= 0:
            higher = plain(epsilons[len(epsilons) - len(flips)]) if flips else "infinity"
            raise RegistryError(
                f"epsilons: {plain(epsilon)} and {higher} are too close to certify at {BITS} bits"
            )
        if flip >= 1 << (BITS - 1):
            raise RegistryError(
                f"epsilons: {plain(epsilon)} rounds to a fair coin at {BITS} bits: no information"
            )
        above = _flipped(above, flip)
        flips.append(flip)
    return flips[::-1]


def _step_bounds(epsilon: Fraction, above: Fraction, bits: int) -> Bounds:
    low, high = exp_bounds(epsilon, bits)
    scale = 1 - 2 * above
    return (1 / (1 + high) - above) / scale, (1 / (1 + low) - above) / scale


def marginals(flips: list[int]) -> list[Fraction]:
    """The exact probability of each level to differ from the true value, of the integers alone."""
    result: list[Fraction] = []
    wrong = Fraction(0)
    for flip in reversed(flips):
        wrong = _flipped(wrong, flip)
        result.append(wrong)
    return result[::-1]


def _flipped(wrong: Fraction, flip: int) -> Fraction:
    step = Fraction(flip, 1 << BITS)
    return wrong * (1 - step) + (1 - wrong) * step


def level_documents(levels: list[Level]) -> list[dict]:
    return [
        level_document(
            level.nominal,
            level.loss,
            {"flip": exact_probability(level.marginal, BITS * (len(levels) - i))},
        )
        for i, level in enumerate(levels)
    ]


def forward_levels(metric: Metric, levels: list[Level]) -> Forward | None:
    top = levels[-1].marginal
    return forward_bits.compile_steps(
        metric,
        last=forward_bits.Law(top, 1 - top, BITS * len(levels)),
        aim=_aim,
        loss=lambda if_one, if_zero: loss_of((max(if_one, if_zero), 1)),
        probabilities=lambda law: {"flip": exact_probability(law.one_if_zero, law.bits)},
    )


def _aim(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    flip = 1 / (1 + exp_near(epsilon))
    return flip, 1 - flip


def c_flips(name: str, levels: list[Level]) -> str:
    lines = [f"static const sotto_threshold {name}_flip[{len(levels)}] = {{"]
    for i, level in enumerate(levels):
        text = f"Level {i}, epsilon {plain(level.nominal)}: realised {level.realised}."
        flipped = f"level {i + 1}" if i + 1 < len(levels) else "the true value"
        lines.append(comment(text, indent="    "))
        lines.append(f"    {threshold(level.flip)}, /* flips {flipped}: {level.flip} / 2^{BITS} */")
    lines.append("};")
    return "\n".join(lines)


class RandomizedResponse(Ladder):
    name = "randomized_response"
    types = ("boolean",)

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


MECHANISM = RandomizedResponse()
