# SPDX-License-Identifier: Apache-2.0
"""
The steps that leak where the digits beyond the last number have 64 bits (MECHANISMS.md, C), each
enumerated. The loss is that of the number and the one drawn forward from it together, a unit of the
value.
"""
import math
import unittest
from fractions import Fraction
from unittest import mock

import laws
from support import exp_enclosure

from registry import forward_laplace, geometric, laplace
from registry.geometric import Geometric
from registry.laplace import Range

STEPS = (  # epsilon a unit before and after, width, what 64 bits lose above the latter
    ("0.25", "0.5", 59, 5.9e-3),
    ("0.5", "1", 29, 1.9e-3),
    ("1", "2", 14, 1.2e-4),
)


def of_64_bits(x: Fraction, count: int, _: Fraction, overflow: bool = False) -> Geometric:
    return geometric.digits_of(x, count, 64, overflow)


class Leaks(unittest.TestCase):
    def excess(self, before: Fraction, after: Fraction, bounds: Range) -> tuple[float, float, int]:
        """By how much more than e^after is lost, and is certified; and the bits beyond."""
        allowed = laplace.allowed_excess(after * bounds.sensitivity, bounds)
        last = laplace.make_noise(before, None, bounds, allowed)
        step = forward_laplace.make_step(before, after, bounds, allowed)
        parts = {
            part: getattr(step, part).document_with_overflow()
            for part in ("within", "beyond", "tail")
        }
        forward = parts | {"opposite": str(step.opposite), "stay": str(step.stay)}
        ladder = {"noise": [last.document()], "publish_min": bounds.low, "publish_max": bounds.high}
        word = laws.laplace(ladder, [{"table": forward}])
        # From the end on, where the noise has furthest to go.
        ratio = laws.greatest_ratio([word.joint(true, (0, 1)) for true in (bounds.low, bounds.low + 1)])
        factor = laplace.ladder_factors([last], bounds.width)[0] * step.factor
        certified = float(factor.excess() - 1) if factor.low > 0 else math.inf
        return float(ratio / exp_enclosure(after)[0] - 1), certified, step.beyond.digit_bits

    def test_64_bits_leak_and_128_do_not(self) -> None:
        for before, after, width, leak in STEPS:
            step = Fraction(before), Fraction(after), Range(0, width, width, 1)
            with self.subTest(before=before, after=after):
                with mock.patch.object(forward_laplace, "geometric_within", of_64_bits):
                    lost, certified, _ = self.excess(*step)
                self.assertLess(abs(lost / leak - 1), 0.05)
                self.assertGreaterEqual(certified, lost)
                # The compiler's step.
                lost, certified, bits = self.excess(*step)
                self.assertEqual(bits, 128)
                self.assertLess(lost, 1e-8)
                self.assertGreaterEqual(certified, lost)
                self.assertLess(certified, 1e-6)


if __name__ == "__main__":
    unittest.main()
