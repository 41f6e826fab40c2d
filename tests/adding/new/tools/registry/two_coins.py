# SPDX-License-Identifier: Apache-2.0
"""
Two coins: a boolean stays with probability A / 2^64, otherwise a fair coin is published. Let kappa
be the product of the A from the top down to a level. This level loses ln((1 + kappa) / (1 -
kappa)), as k-ary randomized response of two values does, whose certificate is used.
"""
from fractions import Fraction
from typing import Any

from .c_style import comment, threshold
from .errors import RegistryError
from .fields import Fields
from .levels import lossless_pairs
from .mechanism import Ladder, Own
from .mix import BITS, certified_levels, level_documents, rarest
from .model import Compiled, Metric

RANDOM_BYTES = 9


def c_definitions(name: str, keeps: list[int], documents: list[dict[str, Any]]) -> str:
    lines = [f"static const sotto_threshold {name}_keep[{len(keeps)}] = {{"]
    for i, (keep, document) in enumerate(zip(keeps, documents, strict=True)):
        text = f"Level {i}, epsilon {document['nominal']}: realised {document['realised']}."
        lines += [comment(text, indent="    "), f"    {threshold(keep)},"]
    return "\n".join([*lines, "};", f"static const sotto_two_coins {name}_table = {{{name}_keep}};"])


class TwoCoins(Ladder):
    name = "two_coins"
    types = ("boolean",)

    def read_forward(self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own) -> tuple:
        raise RegistryError("forward: not with two_coins; put the level into epsilons")

    def compile(self, metric: Metric) -> Compiled:
        levels = certified_levels(metric.epsilons, rarest(2))
        documents = level_documents(levels)
        keeps = [level.keep for level in levels]
        return Compiled(
            levels=documents,
            pairs=lossless_pairs(documents),
            joint=documents[-1]["realised"],
            joint_cost=documents[-1]["cost"],
            random_bytes=RANDOM_BYTES,
            table={"bits": BITS, "keep": [str(keep) for keep in keeps]},
            mechanism=self.name,
            member="two_coins",
            c_definitions=c_definitions(metric.name, keeps, documents),
        )


MECHANISM = TwoCoins()
