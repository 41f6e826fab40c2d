# SPDX-License-Identifier: Apache-2.0
"""Weights of quantiles: their certificate, worked out again, and delta in bins by trying every move."""
import unittest
from fractions import Fraction

import support  # noqa: F401 - the compiler on the path

from registry.exact import exp_bounds
from registry.inverse_sensitivity import certified, delta_in_bins, loss_of_weights

EPSILONS = [Fraction(text) for text in ("0.04", "0.1", "0.5", "1", "2", "5", "32")]


class Weights(unittest.TestCase):
    def test_they_fall_by_what_is_certified(self) -> None:
        for epsilon in EPSILONS:
            weights = certified(epsilon, 1024)
            self.assertEqual((weights[-1], weights[0] < 1 << 32), (256, True))
            self.assertGreater(weights[0] * exp_bounds(epsilon / 2, 64)[1], 1 << 31, "as many as fit")
            for high, low in zip(weights, weights[1:]):
                self.assertGreaterEqual(high, low)
                # 2^96 numbers, of which a unit of weight has one more or one less.
                most = 1024 * weights[0]
                uneven = Fraction((1 << 96) + most, (1 << 96) - most)
                self.assertLessEqual(Fraction(high, low) ** 2 * uneven, exp_bounds(epsilon, 256)[0])

    def test_nothing_is_lost_by_rounding(self) -> None:
        for epsilon in EPSILONS:
            self.assertGreater(loss_of_weights(certified(epsilon, 2), 2)(128)[0], epsilon * (1 - Fraction(1, 10**6)))

    def test_a_weight_more_would_break_it(self) -> None:
        weights = certified(Fraction(1), 8)
        weights[3] += 1
        self.assertGreater(loss_of_weights(weights, 8)(128)[0], 1)


class Delta(unittest.TestCase):
    def test_every_move_of_small_ranges(self) -> None:
        for numbers in range(2, 18):
            for bins in range(2, numbers + 1):
                for delta in range(1, numbers):
                    own = {"min": 3, "max": 2 + numbers, "bins": bins, "delta": delta}
                    moved = max(
                        (n + delta) * bins // numbers - n * bins // numbers
                        for n in range(numbers - delta)
                    )
                    self.assertGreaterEqual(delta_in_bins(own), moved, own)
                    self.assertLessEqual(delta_in_bins(own), moved + 1, own)


if __name__ == "__main__":
    unittest.main()
