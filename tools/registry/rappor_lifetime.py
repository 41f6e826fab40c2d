# SPDX-License-Identifier: Apache-2.0
"""
The joint loss of n releases of RAPPOR that protects values (MECHANISMS.md, E and G). They are those
of a window, or those of a device's whole life with one secret.

Let e(n) be what n releases of one value lose, each published at levels 0 to l, its permanent bits
remembered. Integrate the permanent bits out from level 0 up. Let s_i be the flip of the permanent
step into level i. Let R_i be the ratio of two chances, by the permanent bit: level i's own
report, if it has one, says one (for e0: zero). The odds that all n releases say so at every level
are

    O_0 = R_0^n,    O_(i+1) = R_(i+1)^n F(O_i, s_i),    F(O, s) = ((1 - s) O + s) / (s O + 1 - s),

and e1 = ln F(O_l, f_l / 2), e(n) = h (e1 + e0). A report that is drawn from the report above says
nothing of its own. Level l is its own top: what lies above is not published, and only f_l and its
own (p, q) remain of it.

1. e is 0 at 0, rises, and is concave: ln F(e^u, s) rises and is concave in u >= 0: its slope is (1
   - 2s) / (s (1 - s) (e^u + e^-u) + s^2 + (1 - s)^2). So does each ln O_i: it is a line with slope
   ln R_i >= 0 plus a rising concave function of such a function. A constant that is added for every
   n >= 1 keeps it so.
2. Let a device release n times, at most V different values among them; one that comes later is a
   dummy, the same whatever it was. Take two histories of the same pattern of equal values, so of
   the same dummies. They differ by at most the sum of e(n_u) over the values that differ, n_u how
   often each was released. By 1 the most that V values can lose in n releases is the even split:
   with n = qV + r, 0 <= r < V, it is

       C(n) = (V - r) e(q) + r e(q + 1),

   This is exact, rises, and is concave: dummies may be counted as well.
3. A release that is published at some levels up to l only is a function of one published at all of
   them. So n counts all releases, whatever their levels, up to the highest level l that any of them
   reached.
4. Whatever n, all that is published of one value is drawn from its permanent bits of level l:
   C(infinity) is V times their loss, 2 h ln((1 - f_l / 2) / (f_l / 2)).
5. Let two histories differ only in values that are released in a window and nowhere else. Then 1 to
   4 hold with n the releases of the window and l the highest of their levels. A value that is first
   released late in a device's life loses as much as an early one. So a window costs C(n) however
   much was released before it.

Every number is the exact ceiling: bounds are refined until both sides agree, so that costs rise
with n and l as the losses do. (Level l at n does not lose more than level l + 1 at n: 3.)
"""
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from . import rappor_loss
from .exact import Bounds, ln_bounds
from .levels import Loss, cost, loss_of
from .rappor_loss import Ladder

# A window has 64 epochs at most; one number more stands for any number of releases.
REPORTS_MAX = 65
COST_MAX = (1 << 32) - 1
# A cost that does not fit is capped, and so are costs from half of that on. No budget,
# 2000 epsilon at most, can pay them.
COST_FAR = 1 << 31
# Fewer numbers do where more would charge less than this part of the whole later.
NEAR = Fraction(1023, 1024)

# The odds of a permanent bit; None is infinite.
Ratio = Fraction | None


@dataclass(frozen=True)
class Top:
    """A level as if it were the highest."""

    ladder: Ladder
    level: int
    pairs: int
    own: tuple[Fraction, Fraction] | None = None
    apart: Fraction = Fraction(1)  # by what factor a bit may say more than the ladder has it

    def forever(self) -> Loss:
        flip = rappor_loss.permanent_flip(self.ladder, self.level)
        return self._off(rappor_loss.of_any_number(flip, self.pairs))

    def after(self, count: int) -> Loss:
        """The loss of so many releases of one value."""
        if count == 0:
            return lambda bits: (Fraction(0), Fraction(0))
        return self._off(_after(self.ladder, self.level, self.own, self.pairs, count))

    def _off(self, loss: Loss) -> Loss:
        if self.apart == 1:
            return loss
        more = loss_of((self.apart, 2 * self.pairs))
        return lambda bits: tuple(a + b for a, b in zip(loss(bits), more(bits), strict=True))


def costs(
    ladder: Ladder,
    pairs: int,
    values: int,
    forward: tuple[tuple[Fraction, Fraction], ...] = (),
    higher: tuple[tuple[Ladder, Fraction], ...] = (),
) -> tuple[tuple[int, ...], int]:
    """
    By level and number of releases, as in sotto_metric; and how many numbers a level has. A level
    above the ladder, drawn forward, is the top with another R in place of its own. This R is of all
    that is published from there on (by bit, in `forward`). Or it is the top of a ladder of its own
    (in `higher`). From it each bit is off by a factor, for each value once.
    """
    count_of = len(ladder.permanent)
    tops = [Top(ladder, level, pairs) for level in range(count_of)]
    tops += [Top(ladder, count_of - 1, pairs, own) for own in forward]
    tops += [Top(above, len(above.permanent) - 1, pairs, None, apart) for above, apart in higher]
    levels = range(len(tops))
    forever = [cost(_split(values, top.forever(), 0, top.forever())) for top in tops]
    by_level: list[list[int]] = [[] for _ in levels]
    for count in range(1, REPORTS_MAX):
        each, more = divmod(count, values)
        now = [cost(_split(values, top.after(each), more, top.after(each + 1))) for top in tops]
        if all(a >= b * NEAR for a, b in zip(now, forever)):
            break
        for level in levels:
            by_level[level].append(now[level])
    everything = [c for level in levels for c in (*by_level[level], forever[level])]
    return tuple(c if c < COST_FAR else COST_MAX for c in everything), len(by_level[0]) + 1


def _split(values: int, few: Loss, more: int, many: Loss) -> Loss:
    """The loss of `more` values that lose `many`, the others `few`."""
    parts = [(count, loss) for count, loss in ((values - more, few), (more, many)) if count]
    return lambda bits: tuple(
        sum((count * loss(bits)[side] for count, loss in parts), Fraction(0)) for side in (0, 1)
    )


def _after(
    ladder: Ladder, top: int, own: tuple[Fraction, Fraction] | None, pairs: int, count: int
) -> Loss:
    @cache
    def bounds(bits: int) -> Bounds:
        totals = [Fraction(0), Fraction(0)]
        for bit in (0, 1):
            for side in (0, 1):
                odds: Ratio = Fraction(1)
                for ratio, flip in _steps(ladder, top, own, bit):
                    power = None if ratio is None else ratio**count
                    odds = _through(_product(odds, _rounded(power, bits, side)), flip)
                    odds = _rounded(odds, bits, side)
                assert odds is not None  # the last flip is not 0
                totals[side] += pairs * ln_bounds(odds, bits)[side]
        return totals[0], totals[1]

    return bounds


def _steps(
    ladder: Ladder, top: int, own: tuple[Fraction, Fraction] | None, bit: int
) -> Iterator[tuple[Ratio, Fraction]]:
    """R_i and the flip that follows it, from level 0 up to `top`."""
    for level in range(top + 1):
        last = level == top
        flip = (
            rappor_loss.permanent_flip(ladder, top) if last else ladder.permanent[level].if_zero
        )
        if ladder.is_chained(level) and not last:
            yield Fraction(1), flip
            continue
        if last and own is not None:
            yield own[bit], flip
            continue
        p, q = rappor_loss.report_law(ladder, level)
        lesser, greater = (p, q) if bit else (1 - q, 1 - p)
        yield (greater / lesser if lesser else None), flip


def _through(odds: Ratio, flip: Fraction) -> Ratio:
    if flip == 0:
        return odds
    if odds is None:
        return (1 - flip) / flip
    return ((1 - flip) * odds + flip) / (flip * odds + 1 - flip)


def _product(a: Ratio, b: Ratio) -> Ratio:
    return None if a is None or b is None else a * b


def _rounded(odds: Ratio, bits: int, side: int) -> Ratio:
    if odds is None:
        return None
    scaled = odds.numerator << bits
    scaled = -(-scaled // odds.denominator) if side else scaled // odds.denominator
    return Fraction(scaled, 1 << bits)
