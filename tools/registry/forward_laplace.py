# SPDX-License-Identifier: Apache-2.0
"""
Steps to levels above a ladder of Laplace noise (algorithm 1 of Gradual Release, on
integers; MECHANISMS.md, B). Let r = e^-(x2 - x1), g = e^-(x1 + x2), the last noise a * s, s its sign:

    G ~ Geom(r), H ~ Geom(g), n ~ Bern(N), t ~ Bern(rho),
    N = (1 - r) g / (1 - q2^2),  rho = (1 - q1^2) / (1 - g)
    next = n ? -s (1 + H) : (G <= a ? s G : (t ? s a : s (a + 1 + H)))

A last value at an end is first moved outward by Geom(q1). The number that is then published has the
same law wherever beyond the end it lies. The digits of that draw therefore cost nothing: 64 bits
do.

Certified like the ladder: the law of all that is published is that of the last level of the ladder
times that of each step. Each is within a factor of the ideal, whose loss is the last epsilon. G has
a flag for 2^B or more, and 2^B is above any a, so that it is not cut. Its digits from J on, where c
= r^(2^J - K) is e^-18 or less, may be rounded to nothing: within [1 - c, 1 + 6 c].
"""
from dataclasses import dataclass
from fractions import Fraction

from .c_style import comment, threshold
from .errors import RegistryError, within
from .exact import plain
from .geometric import NOTHING_KNOWN, Factor, Geometric, Interval, c_digits, c_geometric, decay
from .geometric import digits_of, factor_of, nearest
from .laplace import RANDOM_BYTES_MAX, Noise, Range, allowed_excess, bound
from .laplace import certify_all, check_width, cut_of, digit_count, geometric_within, shrunk
from .laplace import top_nonzero, unit_decimal
from .levels import cost, level_document, probability, realised
from .limits import NUMBER_MAX, DIGITS_MAX
from .model import Forward, Metric


@dataclass(frozen=True)
class Step:
    x: Fraction  # epsilon a unit of the next level, of the ideal law
    opposite: int  # out of 2^64
    stay: int
    within: Geometric
    beyond: Geometric
    tail: Geometric
    factor: Factor

    @property
    def random_bytes(self) -> int:
        return 16 + sum(part.random_bytes for part in (self.within, self.beyond, self.tail))


def opposite_probability(last: Fraction, x: Fraction) -> Interval:
    r, g = decay(x - last), decay(x + last)
    return r.complement() * g * decay(2 * x).complement().inverse()


def stay_probability(last: Fraction, x: Fraction) -> Interval:
    return decay(2 * last).complement() * decay(x + last).complement().inverse()


def make_step(last: Fraction, x: Fraction, bounds: Range, allowed: Fraction) -> Step:
    opposite, stay = opposite_probability(last, x), stay_probability(last, x)
    tail = digits_of(last, digit_count(last, bounds), 64)
    beyond = geometric_within(last + x, digit_count(last + x, bounds), allowed)
    furthest = bounds.width + tail.cut - 1
    inside, inside_factor = _within(x - last, furthest.bit_length(), bounds, allowed)
    cut = cut_of(beyond, bounds.width)
    factor = factor_of(nearest(opposite, 64), 64, opposite) * inside_factor
    factor = factor * factor_of(nearest(stay, 64), 64, stay) * beyond.factor()
    factor = factor * Factor(1 - cut, 1 / (1 - cut))
    return Step(x, nearest(opposite, 64), nearest(stay, 64), inside, beyond, tail, factor)


def _within(x: Fraction, count: int, bounds: Range, allowed: Fraction) -> tuple[Geometric, Factor]:
    needed = digit_count(x, bounds)
    if needed > count:  # the flag is what matters beyond
        inside = geometric_within(x, count, allowed, overflow=True)
        return inside, inside.factor()
    cut = decay(x * ((1 << needed) - bounds.width)).high
    for digit_bits in (64, 128):
        inside = digits_of(x, count, digit_bits, overflow=True)
        factor = inside.factor(needed) * Factor(1 - cut, 1 + 6 * cut)
        if factor.low > 0 and factor.excess() <= 1 + allowed:
            break
    return inside, factor


def steps(
    epsilons: tuple[Fraction, ...], bounds: Range, last: Fraction, before: Factor
) -> tuple[list[Step], list[Factor]]:
    """
    The steps, and the factor of the law of all that was published up to each. One after the other:
    a level stays what it is when another is added above it.
    """
    made: list[Step] = []
    factors: list[Factor] = []

    def unit(_: int, epsilon: Fraction) -> Fraction:
        return unit_decimal(epsilon / bounds.sensitivity)

    for epsilon in epsilons:

        def make(xs: list[Fraction]) -> tuple[Step | None, list[Factor]]:
            previous = made[-1].x if made else last
            if xs[0] <= previous:
                return None, [NOTHING_KNOWN]
            step = make_step(previous, xs[0], bounds, allowed_excess(epsilon, bounds))
            if step.factor.low <= 0:
                return None, [NOTHING_KNOWN]
            return step, [(factors[-1] if factors else before) * step.factor]

        _, step, (factor,) = shrunk((epsilon,), bounds, unit, make)
        made.append(step)
        factors.append(factor)
    return made, factors


def compile_steps(metric: Metric, bounds: Range, last: Noise, before: Factor) -> Forward | None:
    if not metric.forward:
        return None
    for epsilon in metric.forward:
        check_width(epsilon / bounds.sensitivity, bounds, f"forward: {plain(epsilon)}")
    with within("forward"):
        made, factors = steps(metric.forward, bounds, last.x, before)
    losses = [bound(step.x, bounds, factor) for step, factor in zip(made, factors)]
    certify_all(metric.forward, losses)
    _check_device(made, bounds)
    levels = []
    for epsilon, step, loss in zip(metric.forward, made, losses):
        levels.append(
            level_document(
                epsilon,
                loss,  # for all that was published, so for the last level alone, too
                {"nonzero": probability(nearest(top_nonzero(step.x), 64), 64)},
                unit_epsilon=plain(step.x),
                joint=realised(loss),
                joint_cost=str(cost(loss)),
                table={
                    "opposite": str(step.opposite),
                    "stay": str(step.stay),
                    "within": step.within.document_with_overflow(),
                    "beyond": step.beyond.document_with_overflow(),
                    "tail": step.tail.document_with_overflow(),
                },
            )
        )
    return Forward(
        member="laplace",
        levels=levels,
        random_bytes=max(step.random_bytes for step in made),
        c_definitions=_c_definitions(metric.name, levels, made),
    )


def _check_device(made: list[Step], bounds: Range) -> None:
    for step in made:
        furthest = bounds.width + step.tail.cut + step.beyond.cut
        if len(step.within.digits) > DIGITS_MAX or furthest >= NUMBER_MAX:
            raise RegistryError("forward: the range is too wide; put the level into epsilons")
        if step.random_bytes > RANDOM_BYTES_MAX:
            raise RegistryError(
                f"forward: a step takes {step.random_bytes} random bytes; {RANDOM_BYTES_MAX} at"
                " most are allowed; put the level into epsilons"
            )


def _c_definitions(name: str, levels: list[dict], made: list[Step]) -> str:
    parts, lines = [], [f"static const sotto_forward_laplace {name}_forward[{len(made)}] = {{"]
    for i, (level, step) in enumerate(zip(levels, made)):
        text = f"To epsilon {level['nominal']}: realised {level['joint']} with all below."
        lines.append(comment(text, indent="    "))
        lines.append("    {")
        lines.append(f"        .opposite = {threshold(step.opposite)},")
        lines.append(f"        .stay = {threshold(step.stay)},")
        for part in ("within", "beyond", "tail"):
            geometric = getattr(step, part)
            parts.append(c_digits(f"{name}_{part}_{i}", geometric))
            lines.append(f"        .{part} = {c_geometric(f'{name}_{part}_{i}', geometric)},")
        lines.append("    },")
    return "\n".join([*parts, *lines, "};"])
