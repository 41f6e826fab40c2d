# SPDX-License-Identifier: Apache-2.0
"""Means by windows: exact variances of the compiled integers beside the mechanisms they replace."""
import json
import math
import unittest
from collections.abc import Callable
from fractions import Fraction

import laws
from support import HEAD, ROOT, Workspace, metric

from registry import window_mean

BINS = 64
PLACES = ("middle", "even", "end")
Variances = tuple[Fraction, Fraction, Fraction]  # by PLACES, of one report, on [-1, 1]


def spread(law: laws.Dist) -> Fraction:
    mean = sum(p * y for y, p in law.items())
    return sum(p * (y - mean) ** 2 for y, p in law.items())


def from_law(top: Callable[[int], laws.Dist], keep: Fraction, bins: int) -> Variances:
    """In halves of the range. A number between two bins is one of them, which varies itself."""
    unit = Fraction(2, bins - 1)
    noise = [spread(top(value)) / keep**2 for value in range(bins)]
    between = [(low + high) / 2 for low, high in zip(noise, noise[1:])]
    middle = between[(bins - 1) // 2] + Fraction(1, 4)
    even = sum(between) / (bins - 1) + Fraction(1, 6)
    return middle * unit**2, even * unit**2, max(noise) * unit**2


def one_bit(flip: Fraction) -> Variances:
    """The bit is one half of the time in the middle, and certain at an end."""
    middle = 1 / (1 - 2 * flip) ** 2
    return middle, middle - Fraction(1, 3), middle - 1


def piecewise(epsilon: float) -> Variances:
    """Wang and others (2019), lemma 1."""
    root = math.exp(epsilon / 2) - 1
    middle = (root + 4) / (3 * root**2)
    return tuple(map(Fraction, (middle, middle + 1 / (3 * root), middle + 1 / root)))


class Variance(Workspace):
    def document(self, own: str, epsilon: str) -> dict:
        text = HEAD + metric("mean", "min = -1000\nmax = 1000\n" + own, f"[{epsilon}]")
        return json.loads(self.compiled(text)["metrics.json"])["metrics"][0]

    def windows(self, epsilon: str) -> Variances:
        m = self.document('mechanism = "window_mean"\n', epsilon)
        keep = Fraction(int(m["table"]["keep"][0]), 1 << 64)
        return from_law(laws.window(m).top, keep, m["bins"])

    def bit(self, epsilon: str) -> Variances:
        return one_bit(Fraction(int(self.document("", epsilon)["table"]["flip"][0]), 1 << 64))

    def test_is_at_most_that_of_the_piecewise_mechanism(self) -> None:
        for epsilon in ("1", "2", "4"):
            for place, own, other in zip(PLACES, self.windows(epsilon), piecewise(float(epsilon))):
                with self.subTest(epsilon=epsilon, place=place):
                    self.assertLess(own, other)

    def test_beside_one_bit(self) -> None:
        for epsilon, even, worst in (("1", 1.0, 0.9), ("2", 1.7, 1.5), ("4", 6.9, 6.4)):
            windows, bit = self.windows(epsilon), self.bit(epsilon)
            with self.subTest(epsilon=epsilon):
                self.assertGreater(bit[1] / windows[1], even)
                self.assertGreater(max(bit) / max(windows), worst)
                self.assertEqual(max(windows) < max(bit), Fraction(epsilon) > 1)

    def test_the_window_of_another_level_loses_more(self) -> None:
        """The control: variances do tell windows apart."""
        epsilon, best = Fraction(4), window_mean.half_of(Fraction(4), BINS)
        own = window_mean.even_variance(epsilon, BINS, best)
        other = window_mean.even_variance(epsilon, BINS, window_mean.half_of(Fraction(1), BINS))
        self.assertGreater(other, own * Fraction(6, 5))

    def test_the_formula_is_the_law(self) -> None:
        for epsilon in ("1", "4"):
            half = window_mean.half_of(Fraction(epsilon), BINS)
            stated = window_mean.even_variance(Fraction(epsilon), BINS, half) + Fraction(1, 6)
            exact = self.windows(epsilon)[1] * Fraction(BINS - 1, 2) ** 2
            self.assertAlmostEqual(float(stated / exact), 1, places=12)

    def test_the_page_has_these_numbers(self) -> None:
        page = (ROOT / "docs" / "MECHANISMS.md").read_text("utf-8")
        for epsilon in ("1", "2", "4"):
            rows = (self.bit(epsilon), piecewise(float(epsilon)), self.windows(epsilon))
            cells = [f"{float(v):.3g}" for variances in rows for v in variances]
            self.assertIn(f"| {epsilon} | {' | '.join(cells)} |\n", page)


if __name__ == "__main__":
    unittest.main()
