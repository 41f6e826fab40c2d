# SPDX-License-Identifier: Apache-2.0
"""
Thresholded Laplace bits (003, (45)-(46) as corrected; MECHANISMS.md, D): a boolean as 0 or D = 2d + 1
on the integers, with discrete Laplace noise, published as one bit, "above d?". With q = e^-x,

    P(flip) = q^(d+1) / (1 + q),

and x is chosen so that the bit alone loses what was asked for. On the unit grid this is randomized
response, ladder included, and is compiled as that. On a finer grid a ladder loses more than its
highest level: the joint loss is computed by lattice_loss.py.
"""
from fractions import Fraction

from . import lattice_loss, randomized_response
from .discrete_laplace import c_members, table_document
from .errors import RegistryError
from .exact import plain
from .geometric import decay
from .laplace import Noise, Range, bound, c_noises, ladder, random_bytes, unit_decimal
from .levels import Loss, certify, cost, exp_near, level_document, probability, realised
from .model import Compiled, Metric

SHAPE = {"min": 0, "publish_min": 0, "length": 1, "l1_half": (1 << 32) - 1}
BITS = 64
STEPS_MAX = 1 << 20  # of grid and patterns, which the joint loss has to go through


def compile_metric(metric: Metric) -> Compiled:
    grid = metric.own["grid"]
    if grid == 1:
        return randomized_response.compile_metric(metric)
    count = len(metric.epsilons)
    if (grid + 1) << count > STEPS_MAX:
        raise RegistryError(
            f"grid: {grid} steps with {count} levels are too many to certify;"
            f" {(STEPS_MAX >> count) - 1} at most would do"
        )
    raise RegistryError("grid: not yet")
