# SPDX-License-Identifier: Apache-2.0
"""
Randomized response over a ladder of levels, drawn from the top down: the top level is the true
value flipped with probability 1/(1 + e^epsilon); each level below is the one above it flipped with
s = (p - p')/(1 - 2p'), p its own nominal marginal and p' the realised one of the level above.

Each level is a randomised function of the level above alone, so that publishing any set of levels
loses exactly what the highest of them loses.
"""
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from .c_style import comment
from .errors import RegistryError
from .exact import Bounds, decide, decimal_up, exp_bounds, ln_bounds, plain
from .model import Compiled, Metric

BITS = 64
DIGITS = 30
COST_UNIT = 1 << 20


@dataclass(frozen=True)
class Level:
    nominal: Fraction
    flip: int  # out of 2^64, of the level above it, or of the true value
    marginal: Fraction  # the exact probability that what is published isn't true
    realised: str
    cost: int


def compile_metric(metric: Metric) -> Compiled:
    levels = certified_levels(metric.epsilons)
    return Compiled(
        levels=[_level_document(level, len(levels) - i) for i, level in enumerate(levels)],
        joint=levels[-1].realised,
        random_bytes=len(levels) * BITS // 8,
        table={"bits": BITS, "flip": [str(level.flip) for level in levels]},
        c_definitions=_c_definitions(metric.name, levels),
    )


def certified_levels(epsilons: tuple[Fraction, ...]) -> list[Level]:
    flips = thresholds(epsilons)
    levels = []
    for epsilon, flip, marginal in zip(epsilons, flips, marginals(flips)):
        ratio = 1 / marginal - 1
        certify(epsilon, ratio)
        realised = decide(lambda bits: ln_bounds(ratio, bits), lambda x: decimal_up(x, DIGITS))
        cost = decide(lambda bits: ln_bounds(ratio, bits), lambda x: ceil(x * COST_UNIT))
        levels.append(Level(epsilon, flip, marginal, realised, cost))
    return levels


def thresholds(epsilons: tuple[Fraction, ...]) -> list[int]:
    """flip of each level, every one rounded up: more noise, never less."""
    above = Fraction(0)  # the realised marginal of the level above; the true value is never wrong
    flips: list[int] = []
    for epsilon in reversed(epsilons):
        flip = decide(
            lambda bits: _step_bounds(epsilon, above, bits), lambda step: ceil(step * (1 << BITS))
        )
        if flip <= 0:
            higher = plain(epsilons[len(epsilons) - len(flips)]) if flips else "infinity"
            raise RegistryError(
                f"epsilons: {plain(epsilon)} and {higher} are too close to certify at {BITS} bits"
            )
        if flip >= 1 << (BITS - 1):
            raise RegistryError(
                f"epsilons: {plain(epsilon)} rounds to a fair coin at {BITS} bits: no information"
            )
        above = _flipped(above, flip)
        flips.append(flip)
    return flips[::-1]


def _step_bounds(epsilon: Fraction, above: Fraction, bits: int) -> Bounds:
    low, high = exp_bounds(epsilon, bits)
    scale = 1 - 2 * above
    return (1 / (1 + high) - above) / scale, (1 / (1 + low) - above) / scale


def marginals(flips: list[int]) -> list[Fraction]:
    """The exact probability of each level to differ from the true value, of the integers alone."""
    result: list[Fraction] = []
    wrong = Fraction(0)
    for flip in reversed(flips):
        wrong = _flipped(wrong, flip)
        result.append(wrong)
    return result[::-1]


def _flipped(wrong: Fraction, flip: int) -> Fraction:
    step = Fraction(flip, 1 << BITS)
    return wrong * (1 - step) + (1 - wrong) * step


def certify(epsilon: Fraction, ratio: Fraction) -> None:
    """ratio <= e^epsilon, shown against a lower bound of e^epsilon, or a refusal."""
    if ratio <= 1:
        raise RegistryError(f"epsilons: {plain(epsilon)} realises a fair coin: no information")
    # ratio <= both bounds, or > both: a lower bound that ratio does not exceed decides for it.
    if not decide(lambda bits: exp_bounds(epsilon, bits), lambda bound: ratio <= bound):
        raise RegistryError(
            f"epsilons: {plain(epsilon)} can't be certified: its thresholds lose more than that"
        )


def _level_document(level: Level, draws: int) -> dict[str, object]:
    denominator_bits = BITS * draws
    return {
        "nominal": plain(level.nominal),
        "realised": level.realised,
        "cost": str(level.cost),
        "flip_probability": {
            "numerator": str(floor(level.marginal * (1 << denominator_bits))),
            "denominator_bits": denominator_bits,
        },
    }


def _c_definitions(name: str, levels: list[Level]) -> str:
    lines = [f"static const sotto_threshold {name}_flip[{len(levels)}] = {{"]
    for i, level in enumerate(levels):
        text = f"Level {i}, epsilon {plain(level.nominal)}: realised {level.realised}."
        flipped = f"level {i + 1}" if i + 1 < len(levels) else "the true value"
        low, high = level.flip & 0xFFFFFFFF, level.flip >> 32
        limbs = f"{{{{0x{low:08x}u, 0x{high:08x}u}}}}"
        lines.append(comment(text, indent="    "))
        lines.append(f"    {limbs}, /* flips {flipped}: {level.flip} / 2^{BITS} */")
    lines.append("};")
    lines.append(f"static const sotto_randomized_response {name}_table = {{{name}_flip}};")
    return "\n".join(lines)
