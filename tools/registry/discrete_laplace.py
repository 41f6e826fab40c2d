# SPDX-License-Identifier: Apache-2.0
"""
Discrete Laplace noise on an integer of a range, or on each number of a vector (MECHANISMS.md, C and
I). Its epsilon a unit is epsilon / sensitivity. The sensitivity is max - min, or, for a vector, the
greatest L1 distance of two. Where a metric names a smaller one, the device enforces it. A published
number is clamped to [min - margin, max + margin]; see laplace.py for the rest.
"""
from fractions import Fraction
from typing import Any

from . import forward_laplace
from .errors import RegistryError
from .exact import plain
from .laplace import Noise, Range, bound, c_noises, certify_all, ladder, random_bytes
from .laplace import top_nonzero
from .geometric import nearest
from .levels import level_document, lossless_pairs, probability
from .limits import NUMBER_MAX
from .mechanism import Ladder
from .model import Compiled, Metric

NOT_ENFORCED = (1 << 32) - 1


def compile_metric(metric: Metric) -> Compiled:
    own = metric.own
    bounds = range_of(metric)
    noises, factors = ladder(metric.epsilons, bounds)
    losses = [bound(noise.x, bounds, factor) for noise, factor in zip(noises, factors)]
    certify_all(metric.epsilons, losses)
    documents = [
        level_document(epsilon, loss, probabilities(noise.x), unit_epsilon=plain(noise.x))
        for epsilon, loss, noise in zip(metric.epsilons, losses, noises)
    ]
    shape = {
        "min": own["min"],
        "max": own["max"],
        "publish_min": bounds.low,
        "publish_max": bounds.high,
        "length": own.get("length", 1),
        "l1_half": l1_half(metric),
    }
    texts = [
        f"Level {i}, epsilon {document['nominal']}: realised {document['realised']}."
        for i, document in enumerate(documents)
    ]
    name = metric.name
    return Compiled(
        levels=documents,
        pairs=lossless_pairs(documents),
        joint=documents[-1]["realised"],
        joint_cost=documents[-1]["cost"],
        random_bytes=random_bytes(noises),
        table=table_document(noises, shape),
        mechanism=MECHANISM.name,
        member="discrete_laplace",
        value_bytes=4 * shape["length"],
        c_definitions=f"{c_noises(name, noises, texts)}\n"
        f"static const sotto_discrete_laplace {name}_table = {{\n"
        f"{c_members(f'{name}_noise', shape, '    ')}\n}};",
        value_words=shape["length"],
        forward=forward_laplace.compile_steps(metric, bounds, noises[-1], factors[-1]),
    )


def probabilities(x: Fraction) -> dict[str, Any]:
    """Probabilities of the ideal law, to 64 bits."""
    return {"nonzero": probability(nearest(top_nonzero(x), 64), 64)}


def range_of(metric: Metric) -> Range:
    own = metric.own
    margin = own.get("margin", 0)
    low, high = own["min"] - margin, own["max"] + margin
    if max(abs(low), abs(high)) > NUMBER_MAX:
        raise RegistryError(f"margin: {low} to {high} leaves [-{NUMBER_MAX}, {NUMBER_MAX}]")
    if metric.type == "integer":
        return Range(low, high, own["max"] - own["min"], 1)
    distance = own["l1_sensitivity"]
    if l1_half(metric) != NOT_ENFORCED and distance % 2:
        raise RegistryError(
            f"l1_sensitivity: {distance} is odd; vectors within a bound of the centre are at most twice"
            f" that apart: {distance - 1} or {distance + 1}" if distance > 1 else
            "l1_sensitivity: 1 leaves nothing of a vector; 2 at least is needed"
        )
    return Range(low, high, distance, min(own["length"], distance))


def l1_half(metric: Metric) -> int:
    """A bound of the distance from the centre; two vectors within it are twice as far at most."""
    own = metric.own
    if metric.type == "integer" or own["l1_sensitivity"] == own["length"] * (
        own["max"] - own["min"]
    ):
        return NOT_ENFORCED
    return own["l1_sensitivity"] // 2


def table_document(noises: list[Noise], shape: dict[str, int]) -> dict[str, Any]:
    return {"noise": [noise.document() for noise in noises], **shape}


def c_members(noise: str, shape: dict[str, int], indent: str) -> str:
    lines = [f"{indent}.noise = {noise},"]
    for member, value in shape.items():
        text = "UINT32_MAX" if value == NOT_ENFORCED else str(value)
        lines.append(f"{indent}.{member} = {text},")
    return "\n".join(lines)


class DiscreteLaplace(Ladder):
    name = "discrete_laplace"
    types = ("integer", "vector")

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


MECHANISM = DiscreteLaplace()
