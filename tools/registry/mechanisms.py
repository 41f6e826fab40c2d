# SPDX-License-Identifier: Apache-2.0
"""Every mechanism: a new one is a module and a name here."""
from . import design, discrete_laplace, exponential, hashed, inverse_sensitivity, k_randomized_response
from . import laplace_threshold, noised_points, noised_sum, one_bit_mean, randomized_response, rappor, unary
from . import sorted_points, window_mean, window_response
from . import pad_and_sample
from .mechanism import Mechanism

# The first of a type is its default.
ALL: tuple[Mechanism, ...] = (
    randomized_response.MECHANISM,
    laplace_threshold.MECHANISM,
    k_randomized_response.MECHANISM,
    unary.OPTIMIZED,
    unary.SYMMETRIC,
    rappor.OF_CATEGORIES,
    rappor.OF_STRINGS,
    discrete_laplace.MECHANISM,
    one_bit_mean.MECHANISM,
    noised_sum.MECHANISM,
    exponential.MECHANISM,
    noised_points.MECHANISM,
    window_response.MECHANISM,
    window_mean.MECHANISM,
    pad_and_sample.MECHANISM,
    hashed.MECHANISM,
    inverse_sensitivity.MECHANISM,
    design.MECHANISM,
    sorted_points.MECHANISM,
)
BY_NAME = {mechanism.name: mechanism for mechanism in ALL}


def of_type(kind: str) -> dict[str, Mechanism]:
    return {mechanism.name: mechanism for mechanism in ALL if kind in mechanism.types}
