# SPDX-License-Identifier: Apache-2.0
"""
The exact loss of RAPPOR's reports, from the integers (MECHANISMS.md, E). A ladder's permanent bits
z_top -> ... -> z_0 are a chain; the report of level i is drawn from z_i, or from the report of
level i + 1. Every step says one rather from one than from zero. The likelihood ratio of a pattern
of reports therefore rises with each reported bit (TP2 kernels keep that order). Its extremes are
all ones and all zeros. Let f / 2 be the flip of z_top and X the ratio P(all ones | z_top = 1) / P(all
ones | z_top = 0). A bit that is one or zero loses

    e1 = ln[((1 - f/2) X + f/2) / ((f/2) X + 1 - f/2)],    e0 likewise of all zeros,

and two values that differ in h bits each way lose h (e1 + e0).
"""
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from .channels import Channel
from .levels import Loss, loss_of


@dataclass(frozen=True)
class Ladder:
    permanent: tuple[Channel, ...]  # by level, as in sotto_rappor
    instantaneous: tuple[Channel, ...]
    chained: int

    def is_chained(self, level: int) -> bool:
        return bool(self.chained >> level & 1)


def all_the_same(ladder: Ladder, published: Collection[int], bit: int, true: int) -> Fraction:
    """P(every published level reports `bit` | the true bit)."""
    weights = {(true, true): Fraction(1)}  # by (permanent bit, report) of the level above
    for level in reversed(range(len(ladder.permanent))):
        following: dict[tuple[int, int], Fraction] = {}
        for (z, report), weight in weights.items():
            permanent = ladder.permanent[level].if_one if z else ladder.permanent[level].if_zero
            for next_z in (0, 1):
                origin = report if ladder.is_chained(level) else next_z
                channel = ladder.instantaneous[level]
                if_one = channel.if_one if origin else channel.if_zero
                for next_report in (0, 1):
                    if level in published and next_report != bit:
                        continue
                    chance = (permanent if next_z else 1 - permanent) * weight
                    chance *= if_one if next_report else 1 - if_one
                    key = (next_z, next_report)
                    following[key] = following.get(key, Fraction(0)) + chance
        weights = following
    return sum(weights.values(), Fraction(0))


def of_levels(ladder: Ladder, published: Collection[int], pairs: int) -> Loss:
    """The loss of one report of each of these levels, of one release; `pairs` is h."""
    ones = [all_the_same(ladder, published, 1, true) for true in (0, 1)]
    zeros = [all_the_same(ladder, published, 0, true) for true in (0, 1)]
    return loss_of((ones[1] / ones[0], pairs), (zeros[0] / zeros[1], pairs))


def _block(ladder: Ladder, level: int, z: int, bit: int) -> Fraction:
    """P(this level and those chained below it all report `bit` | the permanent bit of the level)."""

    def says(channel: Channel, origin: int) -> Fraction:
        if_one = channel.if_one if origin else channel.if_zero
        return if_one if bit else 1 - if_one

    chance = says(ladder.instantaneous[level], z)
    while level > 0 and ladder.is_chained(level - 1):
        level -= 1
        chance *= says(ladder.instantaneous[level], bit)
    return chance


def reports_alike(ladder: Ladder, counts: Mapping[int, int], true: int, bit: int) -> Fraction:
    """P(of each level so many reports, of a release each, all say `bit` | the true bit): given the
    permanent bits they are independent."""

    def says(level: int, z: int) -> Fraction:
        if_one = report_law(ladder, level)[z]
        return (if_one if bit else 1 - if_one) ** counts.get(level, 0)

    return _down(ladder, {true: Fraction(1)}, len(ladder.permanent), says)


def below_top(ladder: Ladder, count: int, z: int, bit: int) -> Fraction:
    """P(all levels that are not drawn from the top's report say `bit` in so many releases | the
    top's permanent bit)."""
    return _down(ladder, {z: Fraction(1)}, len(ladder.permanent) - 1, _blocks(ladder, count, bit))


def of_ladder(ladder: Ladder, count: int, pairs: int) -> Loss:
    """The loss of so many releases of one value, each at every level. Given the permanent bits the
    releases are independent, and so are the levels but for the chained ones."""

    def alike(bit: int, true: int) -> Fraction:
        says = _blocks(ladder, count, bit)
        return _down(ladder, {true: Fraction(1)}, len(ladder.permanent), says)

    return loss_of((alike(1, 1) / alike(1, 0), pairs), (alike(0, 0) / alike(0, 1), pairs))


def of_counts(ladder: Ladder, counts: Mapping[int, int], pairs: int) -> Loss:
    """The loss of so many reports of one value by level, each a release of its own. (MECHANISMS.md,
    E: n1 reports, and n2 more once both stages are relaxed.)"""

    def alike(bit: int, true: int) -> Fraction:
        return reports_alike(ladder, counts, true, bit)

    return loss_of((alike(1, 1) / alike(1, 0), pairs), (alike(0, 0) / alike(0, 1), pairs))


Says = Callable[[int, int], Fraction]


def _blocks(ladder: Ladder, count: int, bit: int) -> Says:
    def says(level: int, z: int) -> Fraction:
        return Fraction(1) if ladder.is_chained(level) else _block(ladder, level, z, bit) ** count

    return says


def _down(ladder: Ladder, weights: dict[int, Fraction], count: int, says: Says) -> Fraction:
    """From the permanent bit above the lowest `count` levels: sum of the products of says(level,
    its permanent bit)."""
    for level in reversed(range(count)):
        following = {0: Fraction(0), 1: Fraction(0)}
        for z, weight in weights.items():
            if_one = ladder.permanent[level].if_one if z else ladder.permanent[level].if_zero
            for next_z in (0, 1):
                chance = if_one if next_z else 1 - if_one
                following[next_z] += weight * chance * says(level, next_z)
        weights = following
    return sum(weights.values(), Fraction(0))


def permanent_flip(ladder: Ladder, level: int) -> Fraction:
    """f / 2 of a level."""
    flip = Fraction(0)
    for channel in reversed(ladder.permanent[level:]):
        flip = channel.after(flip)
    return flip


def report_law(ladder: Ladder, level: int) -> tuple[Fraction, Fraction]:
    """p and q: P(a report is one) by the permanent bit of its level. Below a chained level the
    permanent bits are the same."""
    channel = ladder.instantaneous[level]
    if ladder.is_chained(level):
        p, q = report_law(ladder, level + 1)
        return channel.after(p), channel.after(q)
    return channel.if_zero, channel.if_one


def of_reports(flip: Fraction, p: Fraction, q: Fraction, count: int, pairs: int) -> Loss:
    """epsilon(n): n reports of one value and the same permanent bits."""

    def ratio(lesser: Fraction, greater: Fraction) -> Fraction:
        if lesser == 0:  # no report but from a one: all that the permanent bit says
            return (1 - flip) / flip
        x = (greater / lesser) ** count
        return ((1 - flip) * x + flip) / (flip * x + 1 - flip)

    return loss_of((ratio(p, q), pairs), (ratio(1 - q, 1 - p), pairs))


def of_any_number(flip: Fraction, pairs: int) -> Loss:
    """epsilon(infinity)."""
    return loss_of(((1 - flip) / flip, 2 * pairs))
