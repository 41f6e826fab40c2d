# SPDX-License-Identifier: Apache-2.0
"""
Steps to levels above a ladder of RAPPOR that have a smaller f. The next permanent bit z2 is drawn
from the last one, z1, and the true bit x, as forward_bits.py does (MECHANISMS.md, D and E). The
device must be given x again. With F1 and F2 the flips of the two and s = (F1 - F2) / (1 - 2 F2),

    P(z2 wrong | z1 right) = F2 s / (1 - F1),    P(z2 wrong | z1 wrong) = F2 (1 - s) / F1,

They are the same for x = 0 and x = 1, so that the law of z2 is a flip again, exactly. F2 below is
that of the rounded thresholds. Reports are drawn from z2 anew.

Ideally z1 is then z2 flipped with s, whatever x. All levels are then those of a ladder with f2 on
top, whose loss rappor_loss.py has. The rounded joint law of (z1, z2) has the same two marginals. It
differs from that of the ladder in each of its four cells by a factor, in [low, high]. So does the
probability of all that is published of one bit, for either x. A bit loses at most ln(high / low)
more than in the ladder. Two values that differ in h bits each way lose 2 h ln(high / low) more,
once for each value that permanent bits are kept of. Factors of steps one above the other multiply,
since the ideal step is the ladder's conditional law.
"""
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from . import rappor_loss
from .channels import WIDTHS, Channel, chosen
from .errors import RegistryError, within
from .exact import plain
from .forward_bits import Law, Step, c_definitions
from .levels import Loss, cost, exact_probability, is_near, level_document, loss_of, realised
from .model import Forward, Metric
from .rappor_loss import Ladder


# How far from the ladder's law a step may be.
APART = 1 + Fraction(1, 1 << 24)


@dataclass(frozen=True)
class Flip:
    """A symmetric channel of any exact probability."""

    if_zero: Fraction
    bits: int  # bits of the forward levels after it

    @property
    def if_one(self) -> Fraction:
        return 1 - self.if_zero

    def after(self, p: Fraction) -> Fraction:
        return (1 - p) * self.if_zero + p * self.if_one


@dataclass(frozen=True)
class Permanent:
    """A level above the ladder, or its top: all below it as a ladder, and how far that is off."""

    ladder: Ladder
    apart: Fraction  # high / low
    bits: int  # the flip of its permanent bit is exact to so many bits
    step: Step | None = None

    @property
    def flip(self) -> Fraction:
        return rappor_loss.permanent_flip(self.ladder, len(self.ladder.permanent) - 1)

    def with_apart(self, loss: Loss, pairs: int) -> Loss:
        if self.apart == 1:
            return loss
        more = loss_of((self.apart, 2 * pairs))
        return lambda bits: tuple(a + b for a, b in zip(loss(bits), more(bits), strict=True))


def above(last: Permanent, wanted: tuple[Fraction, Fraction, Fraction], pairs: int) -> Permanent:
    f, p, q = wanted
    text = f"[{plain(f)}, {plain(p)}, {plain(q)}]"
    for bits in WIDTHS:
        made = _step(last, f / 2, bits)
        if made is None or not is_near(
            rappor_loss.of_any_number(made[1], pairs), rappor_loss.of_any_number(f / 2, pairs)
        ):
            continue
        given, flip, down, apart = made
        asked = rappor_loss.of_reports(f / 2, p, q, 1, pairs)

        def is_good(channel: Channel, flip: Fraction = flip, asked: Loss = asked) -> bool:
            law = rappor_loss.of_reports(flip, channel.if_zero, channel.if_one, 1, pairs)
            return channel.if_zero < channel.if_one and is_near(law, asked)

        with within(text):
            report = chosen(p, q, is_good)
        ladder = Ladder(
            (*last.ladder.permanent[:-1], Flip(down, 0), Flip(flip, last.bits + bits)),
            (*last.ladder.instantaneous, report),
            last.ladder.chained,
        )
        law = Law(flip, 1 - flip, last.bits + bits)
        return Permanent(ladder, last.apart * apart, last.bits + bits, Step(given, law, ()))
    raise RegistryError(
        f"{text} can't be certified: its f is too near to that of the level before, or too small"
    )


def _step(
    last: Permanent, aim: Fraction, bits: int
) -> tuple[tuple[Channel, Channel], Fraction, Fraction, Fraction] | None:
    """The step, the flip that it leads to, s, and high / low."""
    first, whole = last.flip, 1 << bits
    down = (first - aim) / (1 - 2 * aim)
    right = ceil(aim * down / (1 - first) * whole)
    wrong = ceil(aim * (1 - down) / first * whole)
    if not 0 < right < wrong < whole:
        return None
    zero = Channel(right, wrong, bits)
    flip = zero.after(first)
    down = (first - flip) / (1 - 2 * flip)
    if not 0 < down < first:
        return None
    factors = (
        (1 - first) * (1 - zero.if_zero) / ((1 - flip) * (1 - down)),
        first * (1 - zero.if_one) / ((1 - flip) * down),
        (1 - first) * zero.if_zero / (flip * down),
        first * zero.if_one / (flip * (1 - down)),
    )
    mirrored = Channel(whole - wrong, whole - right, bits)
    apart = max(factors) / min(factors)
    return ((zero, mirrored), flip, down, apart) if apart <= APART else None


def compile_steps(
    metric: Metric, ladder: Ladder, pairs: int, memoised: bool, counts: tuple[int, ...]
) -> Forward:
    top = Permanent(ladder, Fraction(1), ladder.permanent[-1].bits)
    made: list[Permanent] = []
    with within("forward"):
        for wanted in metric.forward:
            made.append(above(made[-1] if made else top, wanted, pairs))
    levels = [
        _level(level, wanted, pairs, memoised, counts)
        for level, wanted in zip(made, metric.forward, strict=True)
    ]
    texts = [
        f"To f {plain(f)}, p {plain(p)}, q {plain(q)}: realised {level['joint']} with all below."
        for (f, p, q), level in zip(metric.forward, levels, strict=True)
    ]
    steps = [level.step for level in made if level.step is not None]
    channels = [channel for step in steps for channel in step.given]
    return Forward(
        member="bits",
        levels=levels,
        random_bytes=max(
            channel.random_bytes
            for channel in (*channels, *(level.ladder.instantaneous[-1] for level in made))
        ),
        c_definitions=c_definitions(metric.name, texts, steps),
        tops=tuple((level.ladder, level.apart) for level in made),
    )


def _level(
    level: Permanent,
    wanted: tuple[Fraction, Fraction, Fraction],
    pairs: int,
    memoised: bool,
    counts: tuple[int, ...],
) -> dict[str, Any]:
    assert level.step is not None
    flip, report = level.flip, level.ladder.instantaneous[-1]
    own = rappor_loss.of_reports(flip, report.if_zero, report.if_one, 1, pairs)
    joint = level.with_apart(
        rappor_loss.of_levels(level.ladder, range(len(level.ladder.permanent)), pairs), pairs
    )
    forever = rappor_loss.of_any_number(flip, pairs)
    spread = flip * (report.if_one - report.if_zero)

    def times(loss: Loss, count: int) -> Loss:
        return lambda bits: tuple(count * bound for bound in loss(bits))

    def alone(count: int) -> Loss:
        if memoised:
            return rappor_loss.of_reports(flip, report.if_zero, report.if_one, count, pairs)
        return times(own, count)

    def together(count: int) -> Loss:
        if memoised:
            return level.with_apart(rappor_loss.of_ladder(level.ladder, count, pairs), pairs)
        return times(joint, count)

    f, p, q = wanted
    return level_document(
        None,
        own,
        {
            "one_if_zero": exact_probability(report.if_zero + spread, report.bits + level.bits),
            "one_if_one": exact_probability(report.if_one - spread, report.bits + level.bits),
            "permanent_flip": exact_probability(flip, level.bits),
        },
        permanent=plain(f),
        instantaneous=[plain(p), plain(q)],
        n={str(count): realised(alone(count)) for count in counts},
        infinity=realised(forever) if memoised else None,
        joint=realised(joint),
        joint_cost=str(cost(joint)),
        ladder={
            "n": {str(count): realised(together(count)) for count in counts},
            "infinity": realised(level.with_apart(forever, pairs)) if memoised else None,
        },
        table={
            "given": [channel.document() for channel in level.step.given],
            "instantaneous": report.document(),
        },
    )
