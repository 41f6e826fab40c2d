# SPDX-License-Identifier: Apache-2.0
"""
Thresholded Laplace bits (Gradual Release, (45)-(46), corrected in MECHANISMS.md, A and D). A
boolean is 0 or D on the integers, with discrete Laplace noise. It is published as one bit, "at T or
above?". With q = e^-x,

    g = P(1 | 0) = q^T / (1 + q),  1 - b = P(0 | 1) = q^(D-T+1) / (1 + q),

in the middle, T = (D + 1) / 2, the same. The bit alone loses max(ln b/g, ln (1-g)/(1-b)): x is
chosen so that this is what was asked for. On the unit grid this is randomized
response, ladder included, and is compiled as that. On a finer grid a ladder loses more than its
highest level: the joint loss is computed by lattice_loss.py.
"""
from fractions import Fraction
from typing import Any

from . import lattice_loss, randomized_response
from .discrete_laplace import NOT_ENFORCED, c_members, table_document
from .errors import RegistryError
from .exact import plain
from .fields import Fields
from .geometric import Interval, decay, nearest
from .laplace import Range, bound, c_noises, ladder, random_bytes, unit_decimal
from .levels import Loss, certify, cost, exp_near, level_document, loss_of, probability, realised
from .limits import NUMBER_MAX
from .mechanism import Ladder, Own
from .model import Compiled, Metric

SEARCH_STEPS = 128
SEARCH_PLACES = 45
BITS = 64
LEVELS_MAX = 10
STEPS_MAX = 1 << 20  # grid and patterns that the joint loss goes through


def compile_metric(metric: Metric) -> Compiled:
    grid, threshold = metric.own["grid"], metric.own["threshold"]
    if grid == 1:
        return randomized_response.compile_metric(metric)
    count = len(metric.epsilons)
    if count > LEVELS_MAX:
        raise RegistryError(f"epsilons: {LEVELS_MAX} levels at most are allowed with grid > 1")
    if (grid + 1) << count > STEPS_MAX:
        raise RegistryError(
            f"grid: {grid} steps with {count} levels are too many to certify;"
            f" {(STEPS_MAX >> count) - 1} at most would do"
        )
    shape = {"min": 0, "max": grid, "publish_min": 0, "publish_max": grid}
    shape |= {"length": 1, "l1_half": NOT_ENFORCED}
    noises, factors = ladder(
        metric.epsilons, Range(0, grid, grid, 1), lambda _, epsilon: unit_of(epsilon, grid, threshold)
    )
    xs = [noise.x for noise in noises]
    documents = []
    for epsilon, x, factor in zip(metric.epsilons, xs, factors):
        own = loss_of((own_ratio(x, grid, threshold) * factor.excess(), 1))
        certify(epsilon, own)
        wrong_one = nearest(wrong_probability(x, threshold), BITS)
        wrong_zero = nearest(wrong_probability(x, grid - threshold + 1), BITS)
        probabilities = {
            "one_if_zero": probability(wrong_one, BITS),
            "one_if_one": probability((1 << BITS) - wrong_zero, BITS),
        }
        documents.append(level_document(epsilon, own, probabilities, unit_epsilon=plain(x)))
    losses = lattice_loss.Losses(xs, grid, threshold)

    def together(*levels: int) -> Loss:
        return loss_of((losses.ratio(levels) * factors[levels[0]].excess(), 1))

    up_to = [together(*range(level + 1)) for level in range(count)]
    joint = up_to[-1] if count > 1 else own
    texts = [
        f"Level {i}, epsilon {document['nominal']}: realised {document['realised']}."
        for i, document in enumerate(documents)
    ]
    name = metric.name
    return Compiled(
        levels=documents,
        pairs=[
            {"levels": [i, j], "joint": realised(together(i, j))}
            for i in range(count)
            for j in range(i + 1, count)
        ],
        joint=realised(joint),
        joint_cost=str(cost(joint)),
        random_bytes=random_bytes(noises),
        table={
            "grid": grid,
            "threshold": threshold,
            "lattice": table_document(noises, shape),
        },
        mechanism=MECHANISM.name,
        member="laplace_threshold",
        costs=(int(documents[0]["cost"]), *(cost(loss) for loss in up_to[1:])),
        kept=realised(bound(xs[-1], Range(0, grid, grid, 1), factors[-1])),  # the number on the grid
        c_definitions=f"{c_noises(name, noises, texts)}\n"
        f"static const sotto_laplace_threshold {name}_table = {{\n    .lattice =\n        {{\n"
        f"{c_members(f'{name}_noise', shape, ' ' * 12)}\n        }},\n    .threshold = {threshold},\n}};",
    )


def wrong_probability(x: Fraction, distance: int) -> Interval:
    """The probability that the noise is at least so far to one side."""
    return decay(x * distance) * (decay(x) + 1).inverse()


def own_ratio(x: Fraction, grid: int, threshold: int) -> Fraction:
    """e to the loss of one bit alone, at most."""
    wrong_one = wrong_probability(x, threshold)
    wrong_zero = wrong_probability(x, grid - threshold + 1)
    return max(
        (1 - wrong_zero.low) / wrong_one.low,
        (1 - wrong_one.low) / wrong_zero.low,
    )


def unit_of(epsilon: Fraction, grid: int, threshold: int) -> Fraction:
    """x with which a bit alone loses epsilon, rounded down."""
    wanted = exp_near(epsilon)
    low, high = epsilon / (4 * grid), 4 * (epsilon + 1) / grid
    for _ in range(SEARCH_STEPS):
        middle = Fraction(round((low + high) / 2 * 10**SEARCH_PLACES), 10**SEARCH_PLACES)
        if own_ratio(middle, grid, threshold) <= wanted:
            low = middle
        else:
            high = middle
    return unit_decimal(low)


class LaplaceThreshold(Ladder):
    name = "laplace_threshold"
    types = ("boolean",)
    keys = ("grid", "threshold")

    def read(self, fields: Fields, own: Own) -> Own:
        grid = fields.integer("grid", 1, NUMBER_MAX, default=1)
        if grid % 2 == 0:
            raise RegistryError(f"grid: {grid} is even; the threshold needs an odd number of steps")
        threshold = fields.integer("threshold", 1, grid, default=(grid + 1) // 2)
        return {"grid": grid, "threshold": threshold}

    def read_forward(
        self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own
    ) -> tuple[Any, ...]:
        forward = super().read_forward(fields, epsilons, own)
        if own["grid"] > 1:
            raise RegistryError("forward: only with grid = 1; put the level into epsilons")
        return forward

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


MECHANISM = LaplaceThreshold()
