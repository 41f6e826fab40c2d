# SPDX-License-Identifier: Apache-2.0
"""
Laplace noise on the integers, and a ladder of it, drawn from the top down (the lazy process of
Gradual Release; MECHANISMS.md, B and C). With q = e^-x and x epsilon per unit,

    V = 0 with probability (1 - q) / (1 + q), else a sign times 1 + Geom(q);
    top:    y = clamp(u + V_top);
    below:  y_i = clamp(y' + W), y' = y_{i+1}, at an end moved outward by Geom(q_{i+1}) first,
            W = 0 with probability w = [sinh(x_i / 2) / sinh(x_{i+1} / 2)]^2, else V_i.

The geometric law has no memory: beyond an end lies Geom(q_{i+1}) whatever u is. So y_i has the law
of clamp(u + V_i), and it is a randomised function of the published y_{i+1} alone. Any set of levels
loses what the highest of them loses.

Certified thus: let every probability of y_i given u be within [low, high] times that of the ideal
law, whose loss is x_i a unit. Then the realised loss is at most x_i * sensitivity + ln(high / low)
for each number that differs. The factors are computed from the integers: those of the thresholds,
and of the cut of the geometric law at 2^B. With c = q^(2^B - K), K the width of what is published,
c' that of the level above, the cut is within

    top:    [1 - c, 1 / (1 - c)]
    below:  [1 - 3 c - 2 c', 1 / ((1 - c) (1 - c'))]

(entries of one size grow by the 1 / (1 - q^(2^B)) of what is missing. Ends lose at most the missing
tail, which is q^(2^B - K) of them. An entry that moved outward adds a missing tail of its own.)
"""
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from .c_style import comment, threshold
from .errors import RegistryError, within
from .exact import ln_bounds, plain
from .geometric import NOTHING_KNOWN, Factor, Geometric, Interval, c_digits, c_geometric, decay
from .geometric import digits_of, factor_of, nearest
from .levels import Loss, is_certified
from .limits import DIGITS_MAX

# 2^B x >= K x + 18 and more where epsilon is small or many numbers differ. The cut is then e^-18 of
# the chance that it is missing from, or less. Where the digits do not suffice for that, 15 will do.
TAIL = 18
TAIL_MIN = 15
UNIT_DIGITS = 30
ROUNDS = 6
LESS_MAX = Fraction(1, 10**4)  # certification may take this share off epsilon
RANDOM_BYTES_MAX = 1024


@dataclass(frozen=True)
class Range:
    """The published range, and how much of it two values may differ in."""

    low: int
    high: int
    sensitivity: int  # greatest L1 distance of two values
    terms: int  # in how many numbers they can differ

    @property
    def width(self) -> int:
        return self.high - self.low


@dataclass(frozen=True)
class Noise:
    x: Fraction  # epsilon a unit, of the ideal law
    nonzero: int  # out of 2^64
    size: Geometric
    factor: Factor  # the thresholds' factor

    @property
    def random_bytes(self) -> int:
        return 8 + 4 + self.size.random_bytes

    def document(self) -> dict[str, Any]:
        return {"nonzero": str(self.nonzero), **self.size.document()}


def unit_decimal(x: Fraction) -> Fraction:
    """x rounded down to 30 digits, so that what is printed is what is used."""
    places = UNIT_DIGITS
    while x * 10**places < 10 ** (UNIT_DIGITS - 1):
        places += 1
    return Fraction(floor(x * 10**places), 10**places)


def digit_count(x: Fraction, bounds: Range) -> int:
    """B. More than 29 where nothing will do."""
    small = (1 // (x * bounds.sensitivity)).bit_length()
    tail = TAIL + small + bounds.terms.bit_length() - 1
    count = _count(x, bounds.width, tail)
    return count if count <= DIGITS_MAX else max(DIGITS_MAX, _count(x, bounds.width, TAIL_MIN))


def _count(x: Fraction, width: int, tail: int) -> int:
    count = 1
    while (1 << count) * x < width * x + tail:
        count += 1
    return count


def check_width(x: Fraction, bounds: Range, what: str) -> None:
    """Refuses noise that the device can't hold, saying what would do."""
    if bounds.width + (2 << DIGITS_MAX) >= 1 << 31:
        raise RegistryError(
            f"max: {bounds.width} steps are published; {(1 << 30) - 1} at most are allowed"
        )
    if digit_count(x, bounds) > DIGITS_MAX:
        room = (1 << DIGITS_MAX) - bounds.width
        least = Fraction(TAIL_MIN * bounds.sensitivity, max(room, 1))
        asked = "a smaller range" if room <= 0 or least > 32 else f"{float(least) * 1.001:.4g}"
        raise RegistryError(
            f"{what} is too little for this range: its noise takes more than {DIGITS_MAX} digits;"
            f" {asked} or more would do, or coarser steps"
        )


def top_nonzero(x: Fraction) -> Interval:
    q = decay(x)
    return Interval(2 * q.low / (1 + q.low), 2 * q.high / (1 + q.high))


def step_nonzero(x: Fraction, above: Fraction) -> Interval:
    """P(W != 0) = (1 - w) 2q / (1 + q), 1 - w = (1 - r)(1 - g) / (1 - q')^2 (MECHANISMS.md, B)."""
    r, g, q = decay(above - x), decay(above + x), decay(above)
    changed = r.complement() * g.complement() * (q.complement() * q.complement()).inverse()
    return changed * top_nonzero(x)


def geometric_within(
    x: Fraction, count: int, allowed: Fraction, overflow: bool = False
) -> Geometric:
    """With 64-bit digits where that is exact enough, else 128."""
    narrow = digits_of(x, count, 64, overflow)
    factor = narrow.factor()
    if factor.low > 0 and factor.excess() <= 1 + allowed:
        return narrow
    return digits_of(x, count, 128, overflow)


def make_noise(x: Fraction, above: Fraction | None, bounds: Range, allowed: Fraction) -> Noise:
    ideal = top_nonzero(x) if above is None else step_nonzero(x, above)
    nonzero = nearest(ideal, 64)
    size = geometric_within(x, digit_count(x, bounds), allowed)
    return Noise(x, nonzero, size, factor_of(nonzero, 64, ideal) * size.factor())


def cut_of(geometric: Geometric, width: int) -> Fraction:
    return decay(geometric.x * (geometric.cut - width)).high


def ladder_factors(noises: list[Noise], width: int) -> list[Factor]:
    """The factor of each level's law given the true value."""
    factor: Factor | None = None
    result: list[Factor] = []
    for i in range(len(noises) - 1, -1, -1):
        cut = cut_of(noises[i].size, width)
        if factor is None:
            factor = noises[i].factor * Factor(1 - cut, 1 / (1 - cut))
        else:
            above = noises[i + 1].size
            cut_above = cut_of(above, width)
            step = Factor(1 - 3 * cut - 2 * cut_above, 1 / ((1 - cut) * (1 - cut_above)))
            factor = factor * noises[i].factor * above.factor() * step
        result.append(factor)
    return result[::-1]


def bound(x: Fraction, bounds: Range, factor: Factor) -> Loss:
    """x * sensitivity + terms * ln(high / low)."""
    excess = factor.excess()

    def enclosure(bits: int) -> tuple[Fraction, Fraction]:
        low, high = ln_bounds(excess, bits)
        return bounds.sensitivity * x + bounds.terms * low, bounds.sensitivity * x + bounds.terms * high

    return enclosure


def allowed_excess(epsilon: Fraction, bounds: Range) -> Fraction:
    return min(epsilon, Fraction(1)) / (10**6 * bounds.terms)


Make = Callable[[list[Fraction]], tuple[Any, list[Factor]]]


def shrunk(
    epsilons: tuple[Fraction, ...], bounds: Range, unit: Callable[[int, Fraction], Fraction], make: Make
) -> tuple[list[Fraction], Any, list[Factor]]:
    """
    The epsilons a unit that can be certified: each is unit(i, what is left of epsilon for it), once
    what roundings add is taken off.
    """
    less = [Fraction(0)] * len(epsilons)
    for _ in range(ROUNDS):
        if any(part > epsilon * LESS_MAX for epsilon, part in zip(epsilons, less)):
            break
        xs = [unit(i, epsilon - part) for i, (epsilon, part) in enumerate(zip(epsilons, less))]
        if any(later <= earlier for earlier, later in zip(xs, xs[1:])):
            break
        made, factors = make(xs)
        if any(factor.low <= 0 for factor in factors):
            break
        added = [bounds.terms * ln_bounds(factor.excess(), 128)[1] for factor in factors]
        if all(part <= taken for part, taken in zip(added, less)):
            return xs, made, factors
        less = [max(taken, part * Fraction(17, 16)) for part, taken in zip(added, less)]
    levels = ", ".join(plain(epsilon) for epsilon in epsilons)
    raise RegistryError(
        f"{levels} can't be certified: levels too close together, or too wide a range published for"
        " so much epsilon; levels further apart, or a smaller margin, would do"
    )


def certify_all(epsilons: tuple[Fraction, ...], losses: list[Loss]) -> None:
    for epsilon, loss in zip(epsilons, losses):
        if not is_certified(epsilon, loss):
            raise RegistryError(f"epsilons: {plain(epsilon)} can't be certified")


def ladder(
    epsilons: tuple[Fraction, ...],
    bounds: Range,
    unit: Callable[[int, Fraction], Fraction] | None = None,
) -> tuple[list[Noise], list[Factor]]:
    """The noise of each level, and the factor of its law."""

    def plain_unit(_: int, epsilon: Fraction) -> Fraction:
        return unit_decimal(epsilon / bounds.sensitivity)

    chosen_unit = unit or plain_unit
    for i, epsilon in enumerate(epsilons):
        check_width(chosen_unit(i, epsilon), bounds, f"epsilons: {plain(epsilon)}")

    def make(xs: list[Fraction]) -> tuple[list[Noise], list[Factor]]:
        above = [*xs[1:], None]
        noises = [
            make_noise(x, upper, bounds, allowed_excess(epsilon, bounds))
            for x, upper, epsilon in zip(xs, above, epsilons)
        ]
        if any(noise.factor.low <= 0 for noise in noises):
            return noises, [NOTHING_KNOWN]
        return noises, ladder_factors(noises, bounds.width)

    with within("epsilons"):
        _, noises, factors = shrunk(epsilons, bounds, chosen_unit, make)
    return noises, factors


def random_bytes(noises: list[Noise]) -> int:
    tails = [noise.size.random_bytes for noise in noises[1:]] + [0]
    return max(noise.random_bytes + tail for noise, tail in zip(noises, tails))


def c_noises(name: str, noises: list[Noise], texts: list[str]) -> str:
    parts = [c_digits(f"{name}_digits_{i}", noise.size) for i, noise in enumerate(noises)]
    lines = [f"static const sotto_laplace_noise {name}_noise[{len(noises)}] = {{"]
    for i, (noise, text) in enumerate(zip(noises, texts)):
        lines.append(comment(text, indent="    "))
        size = c_geometric(f"{name}_digits_{i}", noise.size)
        lines.append(f"    {{{threshold(noise.nonzero)}, {size}}},")
    return "\n".join([*parts, *lines, "};"])
