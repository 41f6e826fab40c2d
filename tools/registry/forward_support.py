# SPDX-License-Identifier: Apache-2.0
"""
Steps to levels above a ladder of MIX (MECHANISMS.md, N), by Bayes. Level 1 is drawn of level 2 as
a ladder draws it, with a = kappa1 / kappa2. Given the value x and the answer y1, level 2 is

    y1 with probability a P2(y1 | x) / P1(y1 | x), else a fresh answer of MIX with kappa2.

P(y | x) is kappa / w + (1 - kappa) / N where y supports x, (1 - kappa) / N elsewhere: two chances
to stay. Neither map is quite uniform, and thresholds are rounded. The loss of all answers of the
way is the greatest product of the ratios of its steps, from the integers.
"""
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import floor

from .c_style import threshold
from .forward_category import certified_steps, step_comment, step_document, uniform_laws
from .mix import ONE
from .model import Forward, Metric

RANDOM_BYTES = 32  # whether to stay; whether to say a supporting answer, which, and what else

# An answer by what draws it: for one value as a supporting one, for another, and for any.
State = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Step:
    keep_last: tuple[int, int]  # by: does the last answer support the value?
    keep: int  # a fresh answer supports the value


class Mix:
    """The way up of a ladder of MIX, as certified_steps() asks for it."""

    def __init__(self, size: int, width: int):
        self.size, self.width = size, width
        self.least = Fraction(width, size)
        supports = [Fraction(0), *uniform_laws(width)]
        self.states: list[State] = list(product(supports, supports, uniform_laws(size)))

    def first_ratios(self, kappa: Fraction) -> dict[State, Fraction]:
        """P(answer | one value) / P(answer | another), of the ladder's last."""
        return {s: self._fresh(kappa, s, 0) / self._fresh(kappa, s, 1) for s in self.states}

    def _fresh(self, kappa: Fraction, state: State, value: int) -> Fraction:
        return kappa * state[value] + (1 - kappa) * state[2]

    def step(self, kappa1: Fraction, kappa2: Fraction) -> Step | None:
        stay = [
            floor(kappa1 / kappa2 * self._even(kappa2, own) / self._even(kappa1, own) * ONE)
            for own in (0, 1)
        ]
        keep = floor(kappa2 * ONE)
        is_step = all(0 < number < ONE for number in (*stay, keep))
        return Step((stay[0], stay[1]), keep) if is_step else None

    def _even(self, kappa: Fraction, supports: int) -> Fraction:
        return supports * kappa / self.width + (1 - kappa) / self.size

    def longer(self, ratios: dict[State, Fraction], step: Step) -> dict[State, Fraction]:
        result: dict[State, Fraction] = {}
        for before, after, same in self._moves():
            here, there = (self._chance(step, before, after, same, value) for value in (0, 1))
            ratio = ratios[before] * here / there
            result[after] = max(ratio, result.get(after, ratio))
        return result

    def _moves(self) -> Iterator[tuple[State, State, bool]]:
        for before, after in product(self.states, self.states):
            yield before, after, False
            if before == after:
                yield before, after, True

    def _chance(
        self, step: Step, before: State, after: State, same: bool, value: int
    ) -> Fraction:
        stay = Fraction(step.keep_last[before[value] > 0], ONE)
        return same * stay + (1 - stay) * self._fresh(Fraction(step.keep, ONE), after, value)

    def next_kappa(self, kappa: Fraction, step: Step) -> Fraction:
        """As if both maps were uniform, which they are to size / 2^64."""
        even = self.least
        other, own = (Fraction(number, ONE) for number in step.keep_last)
        fresh = Fraction(step.keep, ONE) * (1 - even) + even
        supports = kappa * (1 - even) + even
        after = supports * (own + (1 - own) * fresh) + (1 - supports) * (1 - other) * fresh
        return (after - even) / (1 - even)


def compile_steps(
    metric: Metric, size: int, width: int, kappa: Fraction, code: str
) -> Forward | None:
    if not metric.forward:
        return None
    made = certified_steps(Mix(size, width), kappa, metric.forward)
    levels = []
    lines = [f"static const sotto_forward_support {metric.name}_forward[{len(made)}] = {{"]
    for epsilon, (step, after, ratio) in zip(metric.forward, made):
        table = {"keep_last": [str(t) for t in step.keep_last], "keep": str(step.keep)}
        levels.append(step_document(epsilon, after, ratio, table))
        other, own, keep = map(threshold, (*step.keep_last, step.keep))
        lines += [step_comment(levels[-1]), f"    {{{{{other}, {own}}}, {keep}}},"]
    return Forward("support", levels, RANDOM_BYTES, "\n".join([*lines, "};"]), code=code)
