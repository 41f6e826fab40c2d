# SPDX-License-Identifier: Apache-2.0
"""
Pad and sample (MECHANISMS.md, O): a set of at most m of d members is padded to m elements. There
are n = d + m elements with the dummies. An answer names r of them. A set supports the answers that
name its own elements alone. MIX (mix.py) draws one of these, w = C(m, r), or any of N = C(n, r).
A member is then counted through the channel of one bit:

    q = (1 - kappa) r / n,   p = q + kappa r / m.

r is 1 or 2, what has the less variance at the epsilon of `best_level`. The member is in m / d of all
sets, in half of them at most.
"""
from fractions import Fraction
from math import comb
from typing import Any

from .errors import RegistryError
from .fields import Fields
from .levels import lossless_pairs
from .limits import BITS_MAX, CATEGORIES_MAX
from .mechanism import Ladder, Own
from .mix import BITS, c_keeps, certified_levels, level_documents, nominal_kappa, rarest
from .model import Compiled, Metric

RANDOM_BYTES = 16


def variance(epsilon: Fraction, size: int, most: int, named: int, share: Fraction) -> Fraction:
    """One report's, on a member that is in `share` of all sets."""
    even = Fraction(comb(most, named), comb(size + most, named))
    kappa = nominal_kappa(epsilon, even)
    absent = (1 - kappa) * Fraction(named, size + most)
    gain = kappa * Fraction(named, most)
    present = absent + gain
    return (share * present * (1 - present) + (1 - share) * absent * (1 - absent)) / gain**2


def named_at(epsilon: Fraction, size: int, most: int) -> int:
    """Elements that an answer names."""
    share = min(Fraction(1, 2), Fraction(most, size))
    fitting = [
        named for named in (1, 2) if named <= most and comb(size + most, named) <= CATEGORIES_MAX
    ]
    return min(fitting, key=lambda named: variance(epsilon, size, most, named, share))


def compile_metric(metric: Metric) -> Compiled:
    name, size, most = metric.name, len(metric.own["members"]), metric.own["max_members"]
    if size > BITS_MAX:
        raise RegistryError(f"members: {size} of them; {BITS_MAX} at most are allowed")
    named = named_at(metric.epsilons[metric.own["best_level"]], size, most)
    answers = comb(size + most, named)
    levels = certified_levels(metric.epsilons, rarest(answers, comb(most, named)))
    documents = level_documents(levels)
    table = f"static const sotto_pad_and_sample {name}_table = {{{name}_keep, {size}, {most}, {named}}};"
    return Compiled(
        levels=documents,
        pairs=lossless_pairs(documents),
        joint=documents[-1]["realised"],
        joint_cost=documents[-1]["cost"],
        random_bytes=RANDOM_BYTES,
        table={
            "bits": BITS, "keep": [str(level.keep) for level in levels],
            "max_members": most, "named": named, "size": size,
        },  # fmt: skip
        mechanism=MECHANISM.name,
        member="pad_and_sample",
        indices=answers,
        c_definitions="\n".join([*c_keeps(name, levels, documents, "what is drawn"), table]),
    )


class PadAndSample(Ladder):
    name = "pad_and_sample"
    types = ("set",)
    keys = ("best_level",)

    def read(self, fields: Fields, own: Own) -> Own:
        return {"best_level": self.best_level(fields)}

    def read_forward(self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own) -> tuple[Any, ...]:
        raise RegistryError("forward: not with pad_and_sample; put the level into epsilons")

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


MECHANISM = PadAndSample()
