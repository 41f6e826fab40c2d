# SPDX-License-Identifier: Apache-2.0
"""Noise of sums modulo 2^32: the certificate against whole small laws and reference numbers."""
import random
import unittest
from fractions import Fraction
from math import prod

from support import vectors

from registry import modular_laplace
from registry.errors import RegistryError
from registry.modular_laplace import certified, greatest_ratio


def law(nonzero: Fraction, digits: list[Fraction], eta: Fraction, modulus: int) -> list[Fraction]:
    """Every probability, by the definition."""
    result = [eta / modulus] * modulus
    result[0] += (1 - eta) * (1 - nonzero)
    for size in range(1 << len(digits)):
        p = prod(p if size >> j & 1 else 1 - p for j, p in enumerate(digits))
        for value in (1 + size, -1 - size):
            result[value % modulus] += (1 - eta) * nonzero / 2 * p
    return result


def enumerated_ratio(probabilities: list[Fraction]) -> Fraction:
    pairs = zip(probabilities, probabilities[1:] + probabilities[:1])
    return max(max(a / b, b / a) for a, b in pairs)


class SmallLaws(unittest.TestCase):
    """Z mod 64, noise of up to 3 digits of 8 bits, more and less often uniform."""

    MODULUS = 64

    def setUp(self) -> None:
        r = random.Random(1)
        self.cases = [
            (
                Fraction(r.randint(1, 255), 256),
                [Fraction(r.choice((1, r.randint(1, 255))), 256) for _ in range(r.randint(1, 3))],
                r.choice((Fraction(1, 4096), Fraction(1, 16))),
            )
            for _ in range(300)
        ]

    def test_no_neighbours_lose_more(self) -> None:
        tight = 0
        for nonzero, digits, eta in self.cases:
            exact = enumerated_ratio(law(nonzero, digits, eta, self.MODULUS))
            bound = greatest_ratio(nonzero, digits, eta, self.MODULUS)
            self.assertLessEqual(exact, bound)
            tight += exact == bound
        self.assertGreater(tight, 30, "where the cut is the worst place, the bound is exact")

    def test_each_ratio_is_needed(self) -> None:
        """Without any one of them some law would lose more than is certified."""
        needed = set()
        for nonzero, digits, eta in self.cases:
            exact = enumerated_ratio(law(nonzero, digits, eta, self.MODULUS))
            ratios = list(modular_laplace._ratios(nonzero, digits, eta, self.MODULUS))
            for i in range(len(ratios)):
                rest = ratios[:i] + ratios[i + 1 :]
                if exact > max(max(ratio, 1 / ratio) for ratio in rest):
                    needed.add("cut" if i == len(ratios) - 1 else i)
        self.assertEqual(needed, {0, 1, 2, 3, "cut"})


class Certified(unittest.TestCase):
    def test_reference_numbers(self) -> None:
        for case in vectors("streams.json")["group_noise"]:
            epsilon = Fraction(case["unit_epsilon"])
            noise = certified(epsilon)
            self.assertEqual(len(noise.size.digits), case["digits"])
            low, high = noise.loss()(256)
            self.assertLessEqual(high, epsilon)
            # Their law was shrunk by up to 5e-12; ours never by more.
            self.assertLessEqual(epsilon - low, Fraction(case["nominal_minus_realised"]))
            self.assertAlmostEqual(float(noise.variance()) / case["variance"], 1, delta=1e-8)

    def test_a_digit_less_is_not_certified(self) -> None:
        for epsilon in (Fraction(1), Fraction(1, 3), Fraction(1, 100)):
            count = modular_laplace.digit_count(epsilon)
            high = modular_laplace._made(epsilon, count - 1).loss()(256)[1]
            self.assertGreater(high, epsilon)

    def test_many_levels(self) -> None:
        for k in (1, 2, 3, 7, 10, 64, 1000, 10**6):
            for epsilon in (Fraction(1, k), Fraction(3, k), Fraction(8, k)):
                self.assertLessEqual(certified(epsilon).loss()(256)[1], epsilon)

    def test_too_little_is_refused(self) -> None:
        with self.assertRaisesRegex(RegistryError, "more than 29 digits"):
            certified(Fraction(1, 3 * 10**9))  # no decimal: the message is rounded


if __name__ == "__main__":
    unittest.main()
