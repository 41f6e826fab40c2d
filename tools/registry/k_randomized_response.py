# SPDX-License-Identifier: Apache-2.0
"""
k-ary randomized response (MECHANISMS.md, C, D and H). The value is kept with probability A / 2^64.
Otherwise it becomes floor(u * k / 2^64), u of 64 random bits, the same map at every level.
Level i then shows the true value with probability kappa_i, the product of the A from the top down
to it, and otherwise that map. The map's rarest value has u_min = floor(2^64 / k) / 2^64:

    epsilon_i = ln(1 + kappa_i / ((1 - kappa_i) u_min)).

Each level is made of the one above it alone: any set of them loses what the highest loses.
"""
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from .c_style import comment, threshold
from .errors import RegistryError
from .exact import plain
from .forward_category import compile_steps
from .levels import Loss, certify, exact_probability, exp_near, level_document, loss_of
from .levels import lossless_pairs
from .mechanism import Ladder
from .model import Compiled, Metric

BITS = 64
ONE = 1 << BITS
# Eight bytes say whether to keep, eight what to take else.
RANDOM_BYTES = 16


@dataclass(frozen=True)
class Level:
    nominal: Fraction
    keep: int  # out of 2^64
    kappa: Fraction  # the exact probability that no level down to this one was redrawn
    loss: Loss


def size_of(metric: Metric) -> int:
    return metric.own["size"] if "size" in metric.own else len(metric.own["categories"])


def compile_metric(metric: Metric) -> Compiled:
    size = size_of(metric)
    levels = certified_levels(metric.epsilons, size)
    documents = [
        level_document(
            level.nominal,
            level.loss,
            {"keep": exact_probability(level.kappa, BITS * (len(levels) - i))},
        )
        for i, level in enumerate(levels)
    ]
    forward = compile_steps(metric, size, levels[-1].kappa)
    return Compiled(
        levels=documents,
        pairs=lossless_pairs(documents),
        joint=documents[-1]["realised"],
        joint_cost=documents[-1]["cost"],
        random_bytes=RANDOM_BYTES,
        table={"bits": BITS, "keep": [str(level.keep) for level in levels], "size": size},
        mechanism=MECHANISM.name,
        member="k_randomized_response",
        c_definitions=_c_definitions(metric.name, size, levels, documents),
        forward=forward,
    )


def rarest(size: int) -> Fraction:
    return Fraction(ONE // size, ONE)


def certified_levels(epsilons: tuple[Fraction, ...], size: int) -> list[Level]:
    above = Fraction(1)  # the realised kappa of the level above; the true value is always true
    levels: list[Level] = []
    for epsilon in reversed(epsilons):
        keep = floor(nominal_kappa(epsilon, rarest(size)) / above * ONE)
        if keep >= ONE:
            higher = plain(levels[-1].nominal) if levels else "infinity"
            raise RegistryError(
                f"epsilons: {plain(epsilon)} and {higher} are too close to certify at {BITS} bits"
            )
        if keep == 0:
            raise RegistryError(f"epsilons: {plain(epsilon)} keeps nothing at {BITS} bits")
        above *= Fraction(keep, ONE)
        loss = loss_of((loss_ratio(above, rarest(size)), 1))
        certify(epsilon, loss)
        levels.append(Level(epsilon, keep, above, loss))
    return levels[::-1]


def nominal_kappa(epsilon: Fraction, least: Fraction) -> Fraction:
    odds = (exp_near(epsilon) - 1) * least
    return odds / (1 + odds)


def loss_ratio(kappa: Fraction, least: Fraction) -> Fraction:
    return 1 + kappa / ((1 - kappa) * least)


def _c_definitions(name: str, size: int, levels: list[Level], documents: list[dict]) -> str:
    lines = [f"static const sotto_threshold {name}_keep[{len(levels)}] = {{"]
    for i, (level, document) in enumerate(zip(levels, documents)):
        text = f"Level {i}, epsilon {document['nominal']}: realised {document['realised']}."
        kept = f"level {i + 1}" if i + 1 < len(levels) else "the true value"
        lines.append(comment(text, indent="    "))
        lines.append(f"    {threshold(level.keep)}, /* keeps {kept}: {level.keep} / 2^{BITS} */")
    lines.append("};")
    lines.append(
        f"static const sotto_k_randomized_response {name}_table = {{{name}_keep, {size}}};"
    )
    return "\n".join(lines)


class KRandomizedResponse(Ladder):
    name = "k_randomized_response"
    types = ("category",)

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


MECHANISM = KRandomizedResponse()
