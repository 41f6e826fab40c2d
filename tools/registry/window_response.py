# SPDX-License-Identifier: Apache-2.0
"""
Window response (MECHANISMS.md, K): the square wave of Li, Wang, Lopuhaä-Zwakenberg, Li, Škorić
(2020) in integers. It is MIX (mix.py): the answers that support bin i of D are i ... i + 2 b, those
that there are 0 ... D + 2 b - 1. With E = e^epsilon of the level that the window is made for,

    b = floor(D (epsilon E - E + 1) / (2 E (E - 1 - epsilon))).

The window is the same at every level, so that a level is drawn from the one above it.
"""
from fractions import Fraction
from math import floor
from typing import Any

from .c_style import braced
from .errors import RegistryError
from .fields import Fields
from .levels import exp_near, lossless_pairs
from .mechanism import Ladder, Own
from .mix import BITS, c_keeps, certified_levels, level_documents, rarest
from .model import Compiled, Metric

RANDOM_BYTES = 24  # whether to keep, what else, which of the window


def half_of(epsilon: Fraction, bins: int) -> int:
    factor = exp_near(epsilon)
    return floor(bins * (epsilon * factor - factor + 1) / (2 * factor * (factor - 1 - epsilon)))


def c_table(metric: Metric, half: int) -> str:
    name, low, high, bins = metric.name, *(metric.own[key] for key in ("min", "max", "bins"))
    step, rest = divmod(high - low + 1, bins)
    numbers = ", ".join(map(str, (low, high, bins, half, rest, f"{step}u")))
    head = f"static const sotto_window_response {name}_table = "
    return braced(head, f"{name}_keep, {numbers}", ";")


def compile_metric(metric: Metric) -> Compiled:
    best, bins = metric.own["best_level"], metric.own["bins"]
    half = half_of(metric.epsilons[best], bins)
    levels = certified_levels(metric.epsilons, rarest(bins + 2 * half, 2 * half + 1))
    documents = level_documents(levels)
    lines = [*c_keeps(metric.name, levels, documents), c_table(metric, half)]
    return Compiled(
        levels=documents,
        pairs=lossless_pairs(documents),
        joint=documents[-1]["realised"],
        joint_cost=documents[-1]["cost"],
        random_bytes=RANDOM_BYTES,
        table={"bits": BITS, "half": half, "keep": [str(level.keep) for level in levels]},
        mechanism=MECHANISM.name,
        member="window_response",
        indices=bins + 2 * half,
        c_definitions="\n".join(lines),
    )


class WindowResponse(Ladder):
    name = "window_response"
    types = ("distribution",)
    keys = ("best_level",)

    def read(self, fields: Fields, own: Own) -> Own:
        return {"best_level": self.best_level(fields)}

    def read_forward(self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own) -> tuple[Any, ...]:
        raise RegistryError("forward: not with window_response; put the level into epsilons")

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)

    def shape_words(self, own: Own) -> list[str]:
        return [*super().shape_words(own), f"{own['bins']} bins"]


MECHANISM = WindowResponse()
