# SPDX-License-Identifier: Apache-2.0
"""
The points of many, sorted: a vector of `length` numbers, each with the noise of noised_sum.py modulo
2^32 (STREAMS.md). Two sets of points are neighbours where `sources` points each moved by delta at
most; their number is `length` on both sides. The sorted orders have the least L1 distance of
all. So it is at most that of the points one by one, sources * delta. A point that moves alone
changes it by exactly its way. Clamping brings no two points further apart.

Noise within a range (discrete_laplace.py) is of no use here. At a distance of 88 scales its
probabilities are below 2^-128. So it can't be certified where the range is wider than that.
"""
from fractions import Fraction
from typing import Any

from .c_style import braced
from .errors import RegistryError, within
from .fields import Fields
from .laplace import c_noises
from .mechanism import Ladder, Own
from .model import Compiled, Metric
from .modular_laplace import certified
from .noised_sum import level_of


def compile_metric(metric: Metric) -> Compiled:
    own, name = metric.own, metric.name
    units = own["l1_sensitivity"]
    with within("epsilons"):
        noise = certified(metric.epsilons[0] / units)
    level = level_of(metric.epsilons[0], units, noise)
    text = f"Level 0, epsilon {level['nominal']} of a source: realised {level['realised']}."
    values = f"{name}_noise, {own['min']}, {own['max']}, {own['length']}"
    table = braced(f"static const sotto_sorted_points {name}_table = ", values, ";")
    return Compiled(
        levels=[level],
        pairs=[],
        joint=level["realised"],
        joint_cost=level["cost"],
        random_bytes=noise.random_bytes,
        table={"noise": [{"nonzero": str(noise.nonzero), **noise.size.document()}]},
        mechanism=MECHANISM.name,
        member="sorted_points",
        c_definitions=f"{c_noises(name, [noise], [text])}\n{table}",
        value_words=own["length"],
        value_bytes=4 * own["length"],
    )


class SortedPoints(Ladder):
    name = "sorted_points"
    types = ("vector",)
    keys = ("sorted", "delta", "sources")
    asked_by = "sorted"

    def epsilons(self, fields: Fields) -> tuple[Fraction, ...]:
        epsilons = super().epsilons(fields)
        if len(epsilons) > 1:
            raise RegistryError(
                f"epsilons: {len(epsilons)} levels; sorted points have one, as noise modulo 2^32 has no"
                " ladder"
            )
        return epsilons

    def read(self, fields: Fields, own: Own) -> Own:
        if not fields.flag("sorted"):
            raise RegistryError("sorted: true, for points; a vector in its own order has no such key")
        if "l1_sensitivity" in fields:
            raise RegistryError("l1_sensitivity: sorted points have delta and sources instead")
        delta = fields.integer("delta", 1, own["max"] - own["min"])
        sources = fields.integer("sources", 1, own["length"], default=1)
        return {"sorted": True, "delta": delta, "sources": sources, "l1_sensitivity": delta * sources}

    def read_forward(
        self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own
    ) -> tuple[Any, ...]:
        raise RegistryError("forward: sorted points have no levels above: the points are not kept")

    def shape_words(self, own: Own) -> list[str]:
        return [*super().shape_words(own), f"delta {own['delta']}", f"sources {own['sources']}"]

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


MECHANISM = SortedPoints()
