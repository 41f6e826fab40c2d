# SPDX-License-Identifier: Apache-2.0
"""
Steps to levels above a ladder of RAPPOR: of the instantaneous stage, the permanent bits staying as
they are. Given the permanent bit z, reports are bits of law (p, q). The next one is therefore drawn
as forward_bits.py does, with z in the place of the true bit:

    P(y2|y1, z) = P2(y2|z) T(y1|y2) / P1(y1|z),   T the channel from y2 down to y1.

A device keeps z, so that it needs no value for this. All is lost through z: if R is the greatest
ratio P(what is published | z = 1) / P(... | z = 0), a bit that is one loses

    e1 = ln[((1 - f/2) R + f/2) / ((f/2) R + 1 - f/2)],   e0 likewise.

Levels of the ladder that are not drawn from the top's report are, given z, independent of all that
is. Their ratio is therefore a factor of R. To a smaller f: forward_rappor_permanent.py.
"""
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from . import rappor_loss
from .channels import WIDTHS
from .errors import RegistryError, within
from .exact import plain
from .forward_bits import LESS, Law, Step, c_definitions, first_ways, step_forward
from .levels import Loss, cost, exact_probability, is_near, level_document, loss_of, realised
from .model import Forward, Metric
from .rappor_loss import Ladder

Ratio = tuple[Fraction, Fraction]  # P(... | z = 1) over P(... | z = 0), or the other way round


@dataclass(frozen=True)
class Stage:
    """The ladder that the steps start from."""

    ladder: Ladder
    pairs: int
    memoised: bool
    counts: tuple[int, ...]

    @property
    def flip(self) -> Fraction:
        return rappor_loss.permanent_flip(self.ladder, len(self.ladder.permanent) - 1)

    @property
    def permanent_bits(self) -> int:
        return self.ladder.permanent[-1].bits

    def last(self) -> Law:
        top = len(self.ladder.permanent) - 1
        p, q = rappor_loss.report_law(self.ladder, top)
        return Law(p, q, self.ladder.instantaneous[top].bits)

    def loss(self, if_one: Ratio, if_zero: Ratio) -> Loss:
        flip = self.flip

        def mixed(ratio: Ratio) -> Fraction:
            more, less = ratio
            return ((1 - flip) * more + flip * less) / (flip * more + (1 - flip) * less)

        return loss_of((mixed(if_one), self.pairs), (mixed(if_zero), self.pairs))

    def of_releases(self, step: Step, count: int) -> Loss:
        """The loss of so many, each published at every level up to that of the step."""
        if not self.memoised and count > 1:
            once = self.of_releases(step, 1)
            return lambda bits: tuple(count * bound for bound in once(bits))

        def ratio(bit: int) -> Ratio:
            below = [rappor_loss.below_top(self.ladder, count, z, bit) for z in (bit, 1 - bit)]
            return max(step.ways[bit]) ** count * below[0], below[1]

        return self.loss(ratio(1), ratio(0))


def compile_steps(metric: Metric, stage: Stage) -> Forward | None:
    if not metric.forward:
        return None
    last = stage.last()
    ways = None
    made: list[Step] = []
    levels = []
    for p, q in metric.forward:
        with within("forward"):
            step = _certified(stage, last, ways, p, q)
        levels.append(_level(stage, step, p, q))
        made.append(step)
        last, ways = step.law, step.ways
    texts = [
        f"To p {plain(p)}, q {plain(q)}: realised {level['joint']} with all below."
        for (p, q), level in zip(metric.forward, levels)
    ]
    return Forward(
        member="bits",
        levels=levels,
        random_bytes=max(channel.random_bytes for step in made for channel in step.given),
        c_definitions=c_definitions(metric.name, texts, made),
        ratios=tuple((max(step.ways[0]), max(step.ways[1])) for step in made),
    )


def _certified(stage: Stage, last: Law, ways: Any, p: Fraction, q: Fraction) -> Step:
    asked = rappor_loss.of_reports(stage.flip, p, q, 1, stage.pairs)
    gamma, beta = last.one_if_zero, last.one_if_one
    if 0 < gamma and beta < 1 and 0 < p and q < 1:
        for bits in WIDTHS:
            for less in LESS:
                aim = p + less * (gamma - p), q - less * (q - beta)
                step = step_forward(last, ways or first_ways(last), aim, bits)
                if step is not None and _is_good(stage, step, asked):
                    return step
    raise RegistryError(
        f"[{plain(p)}, {plain(q)}] can't be drawn from the level before: that takes 0 < p, q < 1, q/p"
        " and (1 - p)/(1 - q) both above those of the level before; or put it into instantaneous"
    )


def _is_good(stage: Stage, step: Step, asked: Loss) -> bool:
    """Is epsilon(1) near what was asked for, of the last report and of all those on the way?"""
    return all(
        is_near(stage.loss((max(ways[1]), Fraction(1)), (max(ways[0]), Fraction(1))), asked)
        for ways in (first_ways(step.law), step.ways)
    )


def _level(stage: Stage, step: Step, p: Fraction, q: Fraction) -> dict[str, Any]:
    flip, law = stage.flip, step.law
    own = rappor_loss.of_reports(flip, law.one_if_zero, law.one_if_one, 1, stage.pairs)
    joint = stage.of_releases(step, 1)
    bits = law.bits + stage.permanent_bits
    spread = flip * (law.one_if_one - law.one_if_zero)
    forever = rappor_loss.of_any_number(flip, stage.pairs)
    infinity = realised(forever) if stage.memoised else None

    def alone(count: int) -> Loss:
        if stage.memoised:
            return rappor_loss.of_reports(
                flip, law.one_if_zero, law.one_if_one, count, stage.pairs
            )
        return lambda bits: tuple(count * bound for bound in own(bits))

    return level_document(
        None,
        own,
        {
            "one_if_zero": exact_probability(law.one_if_zero + spread, bits),
            "one_if_one": exact_probability(law.one_if_one - spread, bits),
            "permanent_flip": exact_probability(flip, stage.permanent_bits),
        },
        instantaneous=[plain(p), plain(q)],
        n={str(count): realised(alone(count)) for count in stage.counts},
        infinity=infinity,
        joint=realised(joint),
        joint_cost=str(cost(joint)),
        ladder={
            "n": {str(count): realised(stage.of_releases(step, count)) for count in stage.counts},
            "infinity": infinity,
        },
        table={"given": [channel.document() for channel in step.given]},
    )
