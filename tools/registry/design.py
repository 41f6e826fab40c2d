# SPDX-License-Identifier: Apache-2.0
"""
Design response (MECHANISMS.md, N): MIX (mix.py) where category v has the answers D[j] - v mod N. D
is a cyclic difference set of w numbers (difference_sets.py). Any two categories share lambda =
w (w - 1) / (N - 1) of their answers. A category is then counted through the channel of one bit:

    p = kappa + (1 - kappa) w / N,   q = kappa lambda / w + (1 - kappa) w / N.

The set has the least variance q (1 - q) / (p - q)^2 of a rare category, or nearly so, at the
epsilon of `best_level`. It is the same at every level, so that a level is drawn from the one above
it.
"""
from fractions import Fraction
from functools import cache

from .c_style import array, braced
from .difference_sets import Family, checked, families
from .errors import RegistryError
from .fields import Fields
from .forward_support import compile_steps
from .k_randomized_response import size_of
from .levels import exp_near, lossless_pairs
from .mechanism import Ladder, Own
from .mix import BITS, c_keeps, certified_levels, level_documents, rarest
from .model import Compiled, Metric

RANDOM_BYTES = 24  # whether to keep, what else, which of the set
NEAR = Fraction(51, 50)  # the least variance times it is good enough: a short table counts more
ANSWERS_PER_CATEGORY_MAX = 8  # a report stays short


def variance(size: int, count: int, factor: Fraction) -> Fraction:
    """n times that of a share of nothing; `factor` is e^epsilon."""
    kappa = (factor - 1) * count / (size + (factor - 1) * count)
    shared = Fraction(count - 1, size - 1)  # lambda / w
    q = kappa * shared + (1 - kappa) * Fraction(count, size)
    return q * (1 - q) / (kappa * (1 - shared)) ** 2


@cache
def all_errors(epsilon: Fraction) -> tuple[tuple[Fraction, Family], ...]:
    factor = exp_near(epsilon)
    return tuple((variance(family.size, family.count, factor), family) for family in families())


def best_family(categories: int, epsilon: Fraction) -> Family | None:
    """The one of fewest elements among those with nearly the least variance."""
    sizes = range(categories, ANSWERS_PER_CATEGORY_MAX * (categories + 1))
    errors = [each for each in all_errors(epsilon) if each[1].size in sizes]
    if not errors:
        return None
    most = min(error for error, _ in errors) * NEAR
    near = [(family.count, error, family.size, family) for error, family in errors if error <= most]
    return min(near, key=lambda each: each[:3])[3]


def compile_metric(metric: Metric) -> Compiled:
    size = size_of(metric)
    family = best_family(size, metric.epsilons[metric.own["best_level"]])
    if family is None:
        most = families()[-1].size
        raise RegistryError(f"categories: {size} of them; {most} at most have a difference set")
    answers, design = family.size, checked(family.size, family.make())
    levels = certified_levels(metric.epsilons, rarest(answers, len(design)))
    documents = level_documents(levels)
    forward = compile_steps(metric, answers, len(design), levels[-1].kappa, MECHANISM.name)
    return Compiled(
        levels=documents,
        pairs=lossless_pairs(documents),
        joint=documents[-1]["realised"],
        joint_cost=documents[-1]["cost"],
        random_bytes=RANDOM_BYTES,
        table={"answers": answers, "bits": BITS, "design": list(design),
               "keep": [str(level.keep) for level in levels], "size": size},
        mechanism=MECHANISM.name,
        member="design",
        indices=answers,
        c_definitions="\n".join(
            [*c_keeps(metric.name, levels, documents), *_c_table(metric.name, answers, design, size)]
        ),
        forward=forward,
    )


def _c_table(name: str, answers: int, design: tuple[int, ...], size: int) -> list[str]:
    head = f"static const uint16_t {name}_design[{len(design)}]"
    elements = array(head, [f"0x{element:04x}u" for element in design])
    head = f"static const sotto_design {name}_table = "
    return [elements, braced(head, f"{name}_keep, {name}_design, {answers}, {len(design)}, {size}", ";")]


class Design(Ladder):
    name = "design"
    types = ("category",)
    keys = ("best_level",)

    def read(self, fields: Fields, own: Own) -> Own:
        return {"best_level": self.best_level(fields)}

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


MECHANISM = Design()
