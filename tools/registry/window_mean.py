# SPDX-License-Identifier: Apache-2.0
"""
Window mean (MECHANISMS.md, K): a number is rounded at random to a bin, once per release, and the
bin goes through window response. The window is the one whose mean has the least variance where
numbers are spread evenly. With D bins, w = 2 b + 1 and N = D + 2 b this is

    (kappa (w^2 - 1) + (1 - kappa) (N^2 - 1) + kappa (1 - kappa) ((D - 1)^2 + 2)) / (12 kappa^2)

and 1/6 of rounding, which is the same for every window.

The piecewise mechanism of Wang et al. (2019) is the same with w = D e^(-epsilon / 2), for many bins:
this one is no worse.
"""
from fractions import Fraction

from .c_style import braced
from .fields import Fields
from .forward_support import compile_steps
from .levels import lossless_pairs
from .limits import BINS_MAX, WHOLE_RANGE
from .mechanism import Ladder, Own
from .mix import BITS, c_keeps, certified_levels, level_documents, nominal_kappa, rarest
from .model import Compiled, Metric
from .window_response import RANDOM_BYTES

BINS = 64


def even_variance(epsilon: Fraction, bins: int, half: int) -> Fraction:
    width, size = 2 * half + 1, bins + 2 * half
    kept = nominal_kappa(epsilon, Fraction(width, size)).limit_denominator(1 << 64)
    noise = kept * (width**2 - 1) + (1 - kept) * (size**2 - 1)
    return (noise + kept * (1 - kept) * ((bins - 1) ** 2 + 2)) / (12 * kept**2)


def half_of(epsilon: Fraction, bins: int) -> int:
    return min(range(bins + 1), key=lambda half: even_variance(epsilon, bins, half))


def compile_metric(metric: Metric) -> Compiled:
    name, low, high, bins = metric.name, *(metric.own[key] for key in ("min", "max", "bins"))
    half, scale = half_of(metric.epsilons[metric.own["best_level"]], bins), WHOLE_RANGE // (high - low)
    levels = certified_levels(metric.epsilons, rarest(bins + 2 * half, 2 * half + 1))
    documents = level_documents(levels)
    forward = compile_steps(metric, bins + 2 * half, 2 * half + 1, levels[-1].kappa, MECHANISM.name)
    head = f"static const sotto_window_mean {name}_table = "
    table = braced(head, f"{name}_keep, {low}, {high}, {scale}u, {bins}, {half}", ";")
    return Compiled(
        levels=documents,
        pairs=lossless_pairs(documents),
        joint=documents[-1]["realised"],
        joint_cost=documents[-1]["cost"],
        random_bytes=RANDOM_BYTES,
        table={
            "bits": BITS, "half": half, "scale": str(scale),
            "keep": [str(level.keep) for level in levels],
        },  # fmt: skip
        mechanism=MECHANISM.name,
        member="window_mean",
        indices=bins + 2 * half,
        c_definitions="\n".join([*c_keeps(name, levels, documents), table]),
        forward=forward,
    )


class WindowMean(Ladder):
    name = "window_mean"
    types = ("mean",)
    keys = ("bins", "best_level")

    def read(self, fields: Fields, own: Own) -> Own:
        most = min(BINS_MAX, own["max"] - own["min"] + 1)
        return {
            "bins": fields.integer("bins", 2, most, default=min(BINS, most)),
            "best_level": self.best_level(fields),
        }

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)

    def shape_words(self, own: Own) -> list[str]:
        return [*super().shape_words(own), f"{own['bins']} bins"]


MECHANISM = WindowMean()
