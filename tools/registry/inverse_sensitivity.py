# SPDX-License-Identifier: Apache-2.0
"""
A quantile of many points by inverse sensitivity (Asi, Duchi 2020; STREAMS.md): P(y) is in proportion
to W[len(y)]. len(y) is how many neighbouring steps make y the quantile. In one of them a point moves
by delta at most. For rank k among n points, in bins, and y above the quantile,

    len(y) = sum of ceil((y - x) / delta) over the points x < y of rank k and more;

below it likewise, over the points x > y of rank k and less. A step changes len by 1 at most. So a
weight changes by r = max W[i] / W[i + 1] at most, and so does their sum.

The answer is the bin of floor(u total / 2^96) in the running sum. A unit of weight has floor or ceil
of 2^96 / total of the numbers u. With M = bins W[0] >= total, a step loses at most

    ln(r^2 (2^96 + M) / (2^96 - M)).

Weights are made from the last, 256, upwards: W[i] = floor(W[i + 1] e^(epsilon / 2)), below 2^32.
"""
from fractions import Fraction
from math import ceil, floor
from typing import Any

from .c_style import array, braced, comment
from .errors import RegistryError, within
from .exact import exp_bounds, plain
from .fields import Fields
from .levels import Loss, is_certified, level_document, loss_of, realised
from .limits import WEIGHTS_MAX
from .mechanism import Ladder, Own
from .model import Compiled, Metric

RANDOM_BYTES = 12
NUMBERS = 1 << 8 * RANDOM_BYTES
LEAST_WEIGHT = 256
WEIGHT_END = 1 << 32
RANKS = 1000
ROUNDS = 40  # shrinking doubles each time, from 2^-64 of epsilon


def delta_in_bins(own: Own) -> int:
    """Two numbers that are delta apart lie so many bins apart at most."""
    span = own["max"] - own["min"] + 1
    return min(ceil(Fraction(own["delta"] * own["bins"], span)), own["bins"] - 1)


def made(epsilon: Fraction) -> list[int]:
    """Falling by e^(epsilon / 2) at most."""
    rise = exp_bounds(epsilon / 2, 128)[0]
    weights = [LEAST_WEIGHT]
    while (above := floor(weights[-1] * rise)) < WEIGHT_END and len(weights) <= WEIGHTS_MAX:
        weights.append(above)
    return weights[::-1]


def loss_of_weights(weights: list[int], bins: int) -> Loss:
    most = bins * weights[0]
    return loss_of((greatest_fall(weights), 2), (Fraction(NUMBERS + most, NUMBERS - most), 1))


def greatest_fall(weights: list[int]) -> Fraction:
    return max(Fraction(high, low) for high, low in zip(weights, weights[1:]))


def certified(epsilon: Fraction, bins: int) -> list[int]:
    """Weights whose loss is at most epsilon: shrunk until that is certain."""
    for i in range(ROUNDS):
        weights = made(epsilon * (1 - Fraction((1 << i) - 1, 1 << 64)))
        if len(weights) > WEIGHTS_MAX:
            raise RegistryError(f"{plain(epsilon)} takes more than {WEIGHTS_MAX} weights; more would do")
        if is_certified(epsilon, loss_of_weights(weights, bins)):
            return weights
    raise RegistryError(f"{plain(epsilon)} can't be certified")


def compile_metric(metric: Metric) -> Compiled:
    own, name = metric.own, metric.name
    with within("epsilons"):
        weights = certified(metric.epsilons[0], own["bins"])
    loss = loss_of_weights(weights, own["bins"])
    step = realised(loss_of((greatest_fall(weights), 1)))
    level = level_document(metric.epsilons[0], loss, {}, step_epsilon=step)
    delta, rank = delta_in_bins(own), int(Fraction(own["rank"]) * RANKS)
    text = f"Level 0, epsilon {level['nominal']} of a source: realised {level['realised']}."
    head = f"static const uint32_t {name}_weights[{len(weights)}]"
    lines = [comment(text), array(head, [f"0x{weight:08x}u" for weight in weights])]
    return Compiled(
        levels=[level],
        pairs=[],
        joint=level["realised"],
        joint_cost=level["cost"],
        random_bytes=RANDOM_BYTES,
        table={"weights": weights, "delta": delta, "rank": rank},
        mechanism=MECHANISM.name,
        member="inverse_sensitivity",
        indices=own["bins"],
        c_definitions="\n".join([*lines, c_table(name, own, delta, rank, len(weights))]),
        row_words=own["bins"],
        client="room",
    )


def c_table(name: str, own: Own, delta: int, rank: int, count: int) -> str:
    step, rest = divmod(own["max"] - own["min"] + 1, own["bins"])
    numbers = (own["min"], own["max"], own["bins"], rest, f"{step}u", delta, rank, count)
    inside = ", ".join(map(str, (f"{name}_weights", *numbers)))
    return braced(f"static const sotto_inverse_sensitivity {name}_table = ", inside, ";")


class InverseSensitivity(Ladder):
    name = "inverse_sensitivity"
    types = ("quantile",)

    def epsilons(self, fields: Fields) -> tuple[Fraction, ...]:
        epsilons = super().epsilons(fields)
        if len(epsilons) > 1:
            raise RegistryError(
                f"epsilons: {len(epsilons)} levels; a quantile has one, as its points are not kept"
            )
        return epsilons

    def read_forward(
        self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own
    ) -> tuple[Any, ...]:
        raise RegistryError("forward: a quantile has no levels above: its points are not kept")

    def shape_words(self, own: Own) -> list[str]:
        keys = ("bins", "delta", "rank")
        return [*super().shape_words(own), *(f"{key} {own[key]}" for key in keys)]

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


MECHANISM = InverseSensitivity()
