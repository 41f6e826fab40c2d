# SPDX-License-Identifier: Apache-2.0
"""
Steps to levels above a k-ary ladder (MECHANISMS.md, D, with "each other B2 B / A1" where b1 = x).
Here kappa are the levels' probabilities to be kept, and A_i and B_i the laws of the true and of any
other value. With a = kappa1 / kappa2 and B = (1 - a) / k the next value is

    if b1 = x:    x with probability 1 - k B2 B / A1, else uniform;
    if b1 != x:   x with kappa2 B / B1, b1 with a B2 / B1, else uniform.

The uniform map is not quite uniform and thresholds are rounded. The loss of all values of the way
is computed from the integers, as the greatest product of the ratios of its steps.
"""
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from .c_style import comment, threshold
from .errors import RegistryError
from .exact import plain
from .forward_bits import LESS
from .levels import cost, is_certified, is_close, level_document, loss_of, probability, realised
from .mix import nominal_kappa
from .model import Forward, Metric

BITS = 64
ONE = 1 << BITS
RANDOM_BYTES = 16

# A value of the way: 0 is one true value, 1 another, 2 any third. The second is one of the two
# probabilities that the uniform map gives to a value.
State = tuple[int, Fraction]


@dataclass(frozen=True)
class Step:
    to_value: tuple[int, int]  # by: is the last value the true one?
    keep_last: int


def uniform_laws(size: int) -> list[Fraction]:
    """The probabilities that a value of the map can have."""
    return [Fraction(count, ONE) for count in sorted({ONE // size, -(-ONE // size)})]


def states(size: int) -> list[State]:
    return [(who, u) for who in range(min(size, 3)) for u in uniform_laws(size)]


def first_ratios(size: int, kappa: Fraction) -> dict[State, Fraction]:
    """P(value | 0) / P(value | 1) of the last value of the ladder."""

    def chance(true: int, state: State) -> Fraction:
        return (kappa if state[0] == true else 0) + (1 - kappa) * state[1]

    return {state: chance(0, state) / chance(1, state) for state in states(size)}


def _chance(step: Step, true: int, before: int, after: State, same: bool) -> Fraction:
    who, u = after
    is_true = before == true
    direct = Fraction(step.to_value[is_true], ONE)
    kept = Fraction(0) if is_true else Fraction(step.keep_last, ONE) - direct
    rest = 1 - direct - kept
    return (direct if who == true else 0) + (kept if same else 0) + rest * u


def _moves(size: int) -> Iterator[tuple[State, State, bool]]:
    for before in states(size):
        for after in states(size):
            if before == after:
                yield before, after, True
            if before[0] != after[0] or (before[0] == 2 and size > 3):
                yield before, after, False


def longer(size: int, ratios: dict[State, Fraction], step: Step) -> dict[State, Fraction]:
    result: dict[State, Fraction] = {}
    for before, after, same in _moves(size):
        ratio = (
            ratios[before]
            * _chance(step, 0, before[0], after, same)
            / _chance(step, 1, before[0], after, same)
        )
        result[after] = max(ratio, result.get(after, ratio))
    return result


def step_forward(size: int, kappa1: Fraction, kappa2: Fraction) -> Step | None:
    k = size
    a = kappa1 / kappa2
    a1, b1 = kappa1 + (1 - kappa1) / k, (1 - kappa1) / k
    b2, b = (1 - kappa2) / k, (1 - a) / k
    other = floor(kappa2 * b / b1 * ONE)
    same = floor((1 - k * b2 * b / a1) * ONE)
    keep_last = other + floor(a * b2 / b1 * ONE)
    ok = 0 < other < ONE and 0 < same < ONE and other < keep_last < ONE
    return Step((other, same), keep_last) if ok else None


def next_kappa(size: int, kappa: Fraction, step: Step) -> Fraction:
    """As if the map were uniform, which it is to size / 2^64."""
    k = size
    other, same = (Fraction(t, ONE) for t in step.to_value)
    true = kappa + (1 - kappa) / k
    shown = true * (same + (1 - same) / k)
    shown += (1 - true) * (other + (1 - Fraction(step.keep_last, ONE)) / k)
    return (k * shown - 1) / (k - 1)


class KAry:
    """The way up of a k-ary ladder, as certified_steps() asks for it."""

    def __init__(self, size: int):
        self.size = size
        self.least = Fraction(1, size)

    def first_ratios(self, kappa: Fraction) -> dict[State, Fraction]:
        return first_ratios(self.size, kappa)

    def step(self, kappa1: Fraction, kappa2: Fraction) -> Step | None:
        return step_forward(self.size, kappa1, kappa2)

    def longer(self, ratios: dict[State, Fraction], step: Step) -> dict[State, Fraction]:
        return longer(self.size, ratios, step)

    def next_kappa(self, kappa: Fraction, step: Step) -> Fraction:
        return next_kappa(self.size, kappa, step)


def certified_steps(
    way: Any, kappa: Fraction, epsilons: tuple[Fraction, ...]
) -> list[tuple[Any, Fraction, Fraction]]:
    """Each step, the kappa behind it, and the greatest ratio of all values up to it."""
    ratios = way.first_ratios(kappa)
    result = []
    for epsilon in epsilons:
        for less in LESS:
            step = way.step(kappa, nominal_kappa(epsilon * (1 - less), way.least))
            if step is None:
                continue
            following = way.longer(ratios, step)
            loss = loss_of((max(following.values()), 1))
            if is_certified(epsilon, loss) and is_close(epsilon, loss):
                break
        else:
            raise RegistryError(
                f"forward: {plain(epsilon)} can't be certified: too near to the level before, or"
                " too far; put the level into epsilons"
            )
        ratios, kappa = following, way.next_kappa(kappa, step)
        result.append((step, kappa, max(ratios.values())))
    return result


def step_document(
    epsilon: Fraction, kappa: Fraction, ratio: Fraction, table: dict[str, Any]
) -> dict[str, Any]:
    joint = loss_of((ratio, 1))
    # The bound of all values holds for the last one alone, too.
    return level_document(
        epsilon,
        joint,
        {"keep": probability(round(kappa * ONE), BITS)},
        joint=realised(joint),
        joint_cost=str(cost(joint)),
        table=table,
    )


def step_comment(level: dict[str, Any]) -> str:
    text = f"To epsilon {level['nominal']}: realised {level['realised']} with all below."
    return comment(text, indent="    ")


def compile_steps(metric: Metric, size: int, kappa: Fraction) -> Forward | None:
    if not metric.forward:
        return None
    made = certified_steps(KAry(size), kappa, metric.forward)
    levels = []
    lines = [f"static const sotto_forward_category {metric.name}_forward[{len(made)}] = {{"]
    for epsilon, (step, after, ratio) in zip(metric.forward, made):
        table = {"to_value": [str(t) for t in step.to_value], "keep_last": str(step.keep_last)}
        levels.append(step_document(epsilon, after, ratio, table))
        other, same = (threshold(t) for t in step.to_value)
        lines.append(step_comment(levels[-1]))
        lines.append(f"    {{{{{other}, {same}}}, {threshold(step.keep_last)}}},")
    return Forward("category", levels, RANDOM_BYTES, "\n".join([*lines, "};"]))
