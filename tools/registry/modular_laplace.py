# SPDX-License-Identifier: Apache-2.0
"""
Noise of sums that are kept modulo 2^32: Laplace on the integers (MECHANISMS.md, C), cut at 2^B. With
probability 2^-64 it is uniform on all 2^32 values instead. Each value v then has

    P(v) = (1 - eta) p(v) + eta / 2^32,  eta = 2^-64,
    p(0) = 1 - z,  p(+-(1 + k)) = z/2 c prod o_j over the digits j of k,  k < 2^B,

with z the threshold of "not zero", p_j that of digit j, o_j = p_j / (1 - p_j), c = prod (1 - p_j).
Every sum is as good as any other: a unit more or less loses at most ln max P(v) / P(v + 1), whatever
the sum is. Neighbours differ in one of B + 2 ways, so the maximum is exact:

    at 0:               p(0) / p(1)
    at a carry into t:  o_t / (o_0 ... o_(t-1)), for each digit t
    at the cut:         P(2^B) / P(2^B + 1)

The uniform part only brings the first two nearer to 1.
"""
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from .errors import RegistryError
from .geometric import Geometric, digits_of, nearest
from .laplace import top_nonzero
from .levels import Loss, is_certified, loss_of
from .limits import DIGITS_MAX

MODULUS = 1 << 32
ETA = Fraction(1, 1 << 64)  # with which the noise is uniform
DIGIT_BITS = 128
NONZERO_BITS = 64
ROUNDS = 40  # shrinking doubles each time, from 2^-64 of epsilon
UNIFORM_BYTES = 12  # 8 say whether, 4 are the value


@dataclass(frozen=True)
class ModularLaplace:
    nonzero: int  # out of 2^64
    size: Geometric  # one less than the noise's size, where that is not zero

    @property
    def nonzero_probability(self) -> Fraction:
        return Fraction(self.nonzero, 1 << NONZERO_BITS)

    @property
    def digit_probabilities(self) -> list[Fraction]:
        return [Fraction(digit, 1 << DIGIT_BITS) for digit in self.size.digits]

    @property
    def random_bytes(self) -> int:
        return UNIFORM_BYTES + NONZERO_BITS // 8 + 4 + self.size.random_bytes

    def loss(self) -> Loss:
        """The loss of a unit more or less in the sum."""
        ratio = greatest_ratio(self.nonzero_probability, self.digit_probabilities, ETA, MODULUS)
        return loss_of((ratio, 1))

    def variance(self) -> Fraction:
        """The variance of the part that is not uniform, as in an estimate of many rows."""
        mean, square = Fraction(0), Fraction(0)
        for j, p in enumerate(self.digit_probabilities):
            mean, square = mean + p * 2**j, square + p * (1 - p) * 4**j
        return self.nonzero_probability * (square + (1 + mean) ** 2)


def _ratios(
    nonzero: Fraction, digits: list[Fraction], eta: Fraction, modulus: int
) -> Iterator[Fraction]:
    least = prod(1 - p for p in digits)  # P(G = 0)
    yield (1 - nonzero) / (nonzero / 2 * least)
    before = Fraction(1)
    for p in digits:
        odds = p / (1 - p)
        yield odds / before
        before *= odds
    last = nonzero / 2 * least * before
    yield 1 + (1 - eta) * last / (eta / modulus)


def greatest_ratio(
    nonzero: Fraction, digits: list[Fraction], eta: Fraction, modulus: int
) -> Fraction:
    """The greatest ratio of neighbours' probabilities, or a little above; see above."""
    return max(max(ratio, 1 / ratio) for ratio in _ratios(nonzero, digits, eta, modulus))


def _made(x: Fraction, count: int) -> ModularLaplace:
    nonzero = nearest(top_nonzero(x), NONZERO_BITS)
    return ModularLaplace(nonzero, digits_of(x, count, DIGIT_BITS))


def digit_count(x: Fraction) -> int:
    """B, so that the cut at 2^B hides behind the uniform part: e^(-x 2^B) z/2 c below x 2^-96."""
    count = 1
    while (1 << count) * x < 67 and count <= DIGITS_MAX:
        count += 1
    return count


def certified(epsilon: Fraction) -> ModularLaplace:
    """Noise that loses at most epsilon a unit: the nominal law, shrunk until that is certain."""
    count = digit_count(epsilon)
    if count > DIGITS_MAX:
        raise RegistryError(f"{float(epsilon):.4g} a unit takes noise of more than {DIGITS_MAX} digits")
    for i in range(ROUNDS):
        less = Fraction((1 << i) - 1, 1 << 64)
        noise = _made(epsilon * (1 - less), count)
        if is_certified(epsilon, noise.loss()):
            return noise
    raise RegistryError(f"{float(epsilon):.4g} a unit can't be certified")
