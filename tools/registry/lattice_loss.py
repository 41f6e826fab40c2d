# SPDX-License-Identifier: Apache-2.0
"""
The joint loss of bits of thresholded noise on the integers (Gradual Release, section 4.1, on the
integers; MECHANISMS.md, D).

The bits of a ladder are not a chain: a pattern of them has the probability J(bits | u) = sum over
the lattice numbers. From the lowest level up, f(y) = P(bits below | y) for every y of 0 ... D takes
one step of the ladder's kernel (laplace.py), which is two recursive sums, forth and back:

    E f(y) = w f(y) + (1 - w) (1 - q)/(1 + q) [L(y) + q R(y + 1)],
    L(y) = f(y) + q L(y - 1),  R(y) = f(y) + q R(y + 1),  f constant beyond its ends;

at an end, moved outward by Geom(q') before, with e = (1 - q') / (1 - q' q):

    E f(D) = w f(D) + (1 - w) (1 - q)/(1 + q) [f(D) (q' / (1 - q' q) + q / (1 - q)) + e L(D)].

All is positive, so that rounding every operation down, or up, bounds J. The lattice is symmetric:
J(bits | D) with threshold T is J(the opposite bits | 0) with threshold D + 1 - T.
"""
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from .errors import RegistryError
from .exact import ceil_div
from .geometric import Interval, decay
from .laplace import step_nonzero

BITS = 384
ONE = 1 << BITS

Pattern = tuple[int, ...]  # by level, level 0 first


@dataclass(frozen=True)
class Rounded:
    """Positive numbers in fixed point, every operation rounded to the same side."""

    up: bool

    def fixed_point(self, x: Interval) -> int:
        return ceil_div(x.high.numerator * ONE, x.high.denominator) if self.up else int(x.low * ONE)

    def times(self, a: int, b: int) -> int:
        return -((-a * b) >> BITS) if self.up else (a * b) >> BITS


@dataclass(frozen=True)
class Kernel:
    """From level i + 1, of x `above`, to level i."""

    keep: int  # w
    spread: int  # (1 - w) (1 - q) / (1 + q)
    q: int
    rest: int  # 1 / (1 - q)
    end_own: int
    end_sum: int


def kernel(x: Fraction, above: Fraction, rounded: Rounded) -> Kernel:
    q, q_above = decay(x), decay(above)
    both = (q * q_above).complement().inverse()
    rest = q.complement().inverse()
    changed = step_nonzero(x, above)  # (1 - w) 2q / (1 + q)
    nonzero = _quotient(q + q, q + 1)
    keep = _quotient(changed, nonzero).complement()
    half = Interval(Fraction(1, 2), Fraction(1, 2))
    spread = changed * half * q.complement() * q.inverse()
    return Kernel(
        rounded.fixed_point(keep),
        rounded.fixed_point(spread),
        rounded.fixed_point(q),
        rounded.fixed_point(rest),
        rounded.fixed_point(q_above * both + q * rest),
        rounded.fixed_point(q_above.complement() * both),
    )


def _quotient(a: Interval, b: Interval) -> Interval:
    return a * b.inverse()


def expected(f: list[int], k: Kernel, rounded: Rounded) -> list[int]:
    """E f, for every number of the level above."""
    times, last = rounded.times, len(f) - 1
    left = [times(f[0], k.rest)]
    for y in range(1, last + 1):
        left.append(f[y] + times(k.q, left[-1]))
    right = times(f[last], k.rest)
    result = [0] * len(f)
    for y in range(last - 1, 0, -1):
        result[y] = times(k.keep, f[y]) + times(k.spread, left[y] + times(k.q, right))
        right = f[y] + times(k.q, right)
    right = f[0] + times(k.q, right)
    for end, inward in ((last, left[last]), (0, right)):
        total = times(k.end_own, f[end]) + times(k.end_sum, inward)
        result[end] = times(k.keep, f[end]) + times(k.spread, total)
    return result


def top_law(x: Fraction, grid: int, rounded: Rounded) -> list[int]:
    """P(y | u = 0)."""
    q = decay(x)
    inverse = (q + 1).inverse()
    step, factor = rounded.fixed_point(q), rounded.fixed_point(inverse * q.complement())
    law = [rounded.fixed_point(inverse)]
    for _ in range(grid - 1):
        factor = rounded.times(factor, step)
        law.append(factor)
    return [*law, rounded.fixed_point(decay(x * grid) * inverse)]


def pattern_laws(
    xs: list[Fraction], grid: int, threshold: int, up: bool
) -> dict[Pattern, int]:
    """Bounds of J(bits | 0), times 2^BITS."""
    rounded = Rounded(up)
    def side(bit: int, f: list[int]) -> list[int]:
        return [value if (y >= threshold) == bit else 0 for y, value in enumerate(f)]

    whole = [ONE] * (grid + 1)
    functions: dict[Pattern, list[int]] = {(): whole}
    for level, x in enumerate(xs):
        following = {}
        step = kernel(x, xs[level + 1], rounded) if level + 1 < len(xs) else None
        for pattern, f in functions.items():
            for bit in (0, 1):
                now = side(bit, f)
                if step is not None:
                    now = expected(now, step, rounded)
                following[(*pattern, bit)] = now
        functions = following
    law = top_law(xs[-1], grid, rounded)
    return {
        pattern: sum(rounded.times(p, value) for p, value in zip(law, f))
        for pattern, f in functions.items()
    }


class Losses:
    """Upper bounds of e^loss of any set of levels."""

    def __init__(self, xs: list[Fraction], grid: int, threshold: int) -> None:
        def both(up: bool) -> tuple[dict[Pattern, int], dict[Pattern, int]]:
            mirrored = pattern_laws(xs, grid, grid + 1 - threshold, up)
            of_one = {tuple(1 - bit for bit in bits): value for bits, value in mirrored.items()}
            return pattern_laws(xs, grid, threshold, up), of_one

        self.low, self.high = both(up=False), both(up=True)

    def ratio(self, published: tuple[int, ...]) -> Fraction:
        low, high = (
            [self._marginal(law, published) for law in laws] for laws in (self.low, self.high)
        )
        greatest = Fraction(0)
        for bits in product((0, 1), repeat=len(published)):
            for true in (0, 1):
                if low[1 - true][bits] == 0:
                    raise RegistryError("epsilons: too many and too large to certify with grid > 1")
                greatest = max(greatest, Fraction(high[true][bits], low[1 - true][bits]))
        return greatest

    @staticmethod
    def _marginal(laws: dict[Pattern, int], published: tuple[int, ...]) -> dict[Pattern, int]:
        sums: dict[Pattern, int] = {}
        for pattern, value in laws.items():
            seen = tuple(pattern[level] for level in published)
            sums[seen] = sums.get(seen, 0) + value
        return sums
