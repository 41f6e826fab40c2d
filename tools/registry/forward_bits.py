# SPDX-License-Identifier: Apache-2.0
"""
Steps to levels above the ladder of a bit, drawn forward from the last bit b1 and the true one x.
P(b2|b1, x) = P2(b2|x) T(b1|b2) / P1(b1|x), where T is the channel from b2 down to b1
(MECHANISMS.md, D; Gradual Release, algorithm 1). Publishing every bit of the way then loses what
the last one loses; roundings leave a little. The loss is therefore computed from the integers, over
all ways. The epsilon that is aimed at is lowered until the loss is not above what was asked for.
"""
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

from .c_style import comment
from .channels import WIDTHS, Channel, step_down
from .errors import RegistryError
from .exact import plain
from .levels import Loss, cost, is_certified, is_close, level_document, realised
from .model import Forward, Metric

# By how much less of an epsilon is aimed at, until it can be certified.
LESS = (Fraction(0), *(Fraction(1, 1 << bits) for bits in (60, 50, 40, 30, 24)))
# How much more, of epsilon and for each step, all bits may say than the last one alone. The next
# step can't make good what one step leaves of that.
APART = Fraction(1, 1 << 28)


@dataclass(frozen=True)
class Law:
    """P(1|0) and P(1|1) of a published bit, exact to a number of bits."""

    one_if_zero: Fraction
    one_if_one: Fraction
    bits: int


@dataclass(frozen=True)
class Step:
    given: tuple[Channel, Channel]  # by the true bit
    law: Law  # the next bit's
    ways: tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]
    """ways[x][b]: the greatest P(all bits | x) / P(all bits | 1 - x) of those that end in b."""


def first_ways(law: Law) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    if_zero = (1 - law.one_if_one) / (1 - law.one_if_zero)
    if_one = law.one_if_one / law.one_if_zero
    return (1 / if_zero, 1 / if_one), (if_zero, if_one)


def step_forward(last: Law, ways: Any, aim: tuple[Fraction, Fraction], bits: int) -> Step | None:
    """The step to a bit whose law is near `aim`; None where that can't be told in so many bits."""
    gamma1, beta1 = last.one_if_zero, last.one_if_one
    gamma2, beta2 = aim
    down_zero, down_one = step_down(aim, (gamma1, beta1))
    if not 0 < down_zero < down_one < 1:
        return None
    whole = 1 << bits
    given = (
        Channel(
            ceil(gamma2 * (1 - down_one) / (1 - gamma1) * whole),
            ceil(gamma2 * down_one / gamma1 * whole),
            bits,
        ),
        Channel(
            floor(beta2 * (1 - down_one) / (1 - beta1) * whole),
            floor(beta2 * down_one / beta1 * whole),
            bits,
        ),
    )
    if any(not 0 < t < whole for channel in given for t in (channel.one_if_zero, channel.one_if_one)):
        return None
    law = Law(given[0].after(gamma1), given[1].after(beta1), last.bits + bits)
    return Step(given, law, _longer(ways, given))


def _longer(ways: Any, given: tuple[Channel, Channel]) -> Any:
    def chance(x: int, before: int, after: int) -> Fraction:
        if_one = given[x].if_one if before else given[x].if_zero
        return if_one if after else 1 - if_one

    return tuple(
        tuple(
            max(ways[x][b] * chance(x, b, after) / chance(1 - x, b, after) for b in (0, 1))
            for after in (0, 1)
        )
        for x in (0, 1)
    )


def steps(
    last: Law,
    epsilons: tuple[Fraction, ...],
    aim: Callable[[Fraction], tuple[Fraction, Fraction]],
    loss: Callable[[Fraction, Fraction], Loss],
    widths: tuple[int, ...] = WIDTHS,
) -> list[Step]:
    """`loss` makes a metric's loss of the ratios of a bit that is one and of one that is zero."""
    ways = first_ways(last)
    result = []
    for position, epsilon in enumerate(epsilons, start=1):
        step = _certified(last, ways, epsilon, aim, loss, widths, epsilon * position * APART)
        if step is None and position == len(epsilons):  # none can be added above it
            step = _certified(last, ways, epsilon, aim, loss, widths, None)
        if step is None:
            raise RegistryError(
                f"forward: {plain(epsilon)} can't be certified: too near to the level before, or too"
                " far; put the level into epsilons"
            )
        result.append(step)
        last, ways = step.law, step.ways
    return result


def _certified(
    last: Law,
    ways: Any,
    epsilon: Fraction,
    aim: Any,
    loss: Any,
    widths: tuple[int, ...],
    apart: Fraction | None,
) -> Step | None:
    for bits in widths:
        for less in LESS:
            step = step_forward(last, ways, aim(epsilon * (1 - less)), bits)
            if step is None:
                continue
            joint = loss(max(step.ways[1]), max(step.ways[0]))
            own = own_loss(step, loss)
            if apart is not None and _apart(step) > 1 + apart:
                break
            if is_certified(epsilon, joint) and is_close(epsilon, own):
                return step
    return None


def _apart(step: Step) -> Fraction:
    """By what factor a way says more than its last bit alone, for either value of that bit."""
    alone = first_ways(step.law)
    return max(step.ways[x][b] / alone[x][b] for x in (0, 1) for b in (0, 1))


def own_loss(step: Step, loss: Callable[[Fraction, Fraction], Loss]) -> Loss:
    """The loss of the last bit alone."""
    alone = first_ways(step.law)
    return loss(alone[1][1], alone[0][0])


def compile_steps(
    metric: Metric,
    last: Law,
    aim: Callable[[Fraction], tuple[Fraction, Fraction]],
    loss: Callable[[Fraction, Fraction], Loss],
    probabilities: Callable[[Law], dict[str, Any]],
) -> Forward | None:
    if not metric.forward:
        return None
    made = steps(last, metric.forward, aim, loss)
    levels = []
    for epsilon, step in zip(metric.forward, made):
        joint = loss(max(step.ways[1]), max(step.ways[0]))
        levels.append(
            level_document(
                epsilon,
                own_loss(step, loss),
                probabilities(step.law),
                joint=realised(joint),
                joint_cost=str(cost(joint)),
                table={"given": [channel.document() for channel in step.given]},
            )
        )
    return Forward(
        member="bits",
        levels=levels,
        random_bytes=max(channel.random_bytes for step in made for channel in step.given),
        c_definitions=c_definitions(
            metric.name,
            [f"To epsilon {level['nominal']}: realised {level['joint']} with all below." for level in levels],
            made,
        ),
    )


def c_definitions(name: str, texts: list[str], made: list[Step]) -> str:
    lines = [f"static const sotto_forward_bits {name}_forward[{len(made)}] = {{"]
    for text, step in zip(texts, made):
        lines.append(comment(text, indent="    "))
        given_zero, given_one = (channel.c_code() for channel in step.given)
        lines.append(f"    {{{{{given_zero},")
        lines.append(f"      {given_one}}}}},")
    return "\n".join([*lines, "};"])
