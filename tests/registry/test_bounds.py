# SPDX-License-Identifier: Apache-2.0
"""
The bounds that certification rests on, each against what it bounds. Real thresholds are so fine
that a bound may be wrong and nothing shows. Here they are of a few bits, and every entry of the law
must lie within the factor that is claimed for it.
"""
import unittest
from fractions import Fraction
from unittest import mock

import laws
from support import exp_enclosure

from registry import discrete_laplace, exact, forward_bits, forward_laplace, geometric, laplace
from registry import levels, randomized_response
from registry.geometric import Factor, Geometric, Interval
from registry.laplace import Noise, Range
from registry.model import Metric

HALF = Fraction(1, 2)
FINE = Fraction(1, 10**12)  # precision of the ideal law, to which other digits are compared


def law_of(geometric_: Geometric) -> list[Fraction]:
    return laws.geometric(geometric_.document_with_overflow())


def of_numbers(kind: str, **own: int) -> Range:
    metric = Metric(1, "it", kind, "discrete_laplace", (Fraction(1),), None, own)
    return discrete_laplace.range_of(metric)


class Within(unittest.TestCase):
    def assert_within(self, law: laws.Dist, ideal: laws.Dist, factor: Factor) -> None:
        self.assertLessEqual(factor.low, 1)
        self.assertGreaterEqual(factor.high, 1)
        self.assertEqual(law.keys(), ideal.keys())
        for outcome, chance in law.items():
            ratio = chance / ideal[outcome]
            self.assertGreaterEqual(ratio, factor.low * (1 - FINE), outcome)
            self.assertLessEqual(ratio, factor.high * (1 + FINE), outcome)


class Arithmetic(unittest.TestCase):
    def test_exp_at_few_bits(self) -> None:
        """2^-n at n bits: the first term is the last, and all the others are the remainder."""
        for bits in range(1, 12):
            for x in (Fraction(1, 1 << bits), HALF, Fraction(1), Fraction(7, 3), Fraction(20)):
                low, high = exact.exp_bounds(x, bits)
                least, most = exp_enclosure(x)
                self.assertLessEqual(low, least, (x, bits))
                self.assertGreaterEqual(high, most, (x, bits))

    def test_a_threshold_counts_for_both_answers(self) -> None:
        for chance in (Fraction(1, 1000), Fraction(1, 3), Fraction(999, 1000)):
            ideal = Interval(chance, chance)
            for threshold in range(1, 16):
                yes = Fraction(threshold, 16)
                ratios = (yes / chance, (1 - yes) / (1 - chance))
                factor = geometric.factor_of(threshold, 4, ideal)
                for bound, tightest in ((factor.low, min(ratios)), (factor.high, max(ratios))):
                    self.assertLess(abs(bound / tightest - 1), FINE)
                self.assertLessEqual(factor.low, min(ratios))
                self.assertGreaterEqual(factor.high, max(ratios))


class Digits(Within):
    def test_coarse(self) -> None:
        for x in (Fraction(1, 20), HALF, Fraction(5, 4)):
            q = 1 / exp_enclosure(x)[0]
            for overflow in (False, True):
                coarse = geometric.digits_of(x, 3, 8, overflow)
                ideal = {k: (1 - q) * q**k / (1 if overflow else 1 - q**8) for k in range(8)}
                if overflow:
                    ideal[8] = q**8
                self.assert_within(dict(enumerate(law_of(coarse))), ideal, coarse.factor())


class Vectors(unittest.TestCase):
    def test_in_how_many_numbers_two_differ(self) -> None:
        whole = of_numbers("vector", length=256, min=0, max=1, l1_sensitivity=256)
        self.assertEqual((whole.sensitivity, whole.terms), (256, 256))
        few = of_numbers("vector", length=256, min=0, max=9, l1_sensitivity=6)
        self.assertEqual((few.sensitivity, few.terms), (6, 6))
        short = of_numbers("vector", length=3, min=0, max=9, l1_sensitivity=10)
        self.assertEqual((short.sensitivity, short.terms), (10, 3))
        number = of_numbers("integer", min=0, max=9)
        self.assertEqual((number.sensitivity, number.terms), (9, 1))

    def test_what_256_numbers_lose(self) -> None:
        """All zeros against all ones, of noise whose sign alone is exact."""
        bounds = of_numbers("vector", length=256, min=0, max=1, l1_sensitivity=256)
        x = Fraction(1, 8)
        ideal = laplace.top_nonzero(x)
        nonzero = geometric.nearest(ideal, 64) - (1 << 54)
        factor = geometric.factor_of(nonzero, 64, ideal)
        noise = Noise(x, nonzero, geometric.digits_of(x, 10, 128), factor)
        (whole,) = laplace.ladder_factors([noise], bounds.width)
        table = {"noise": [noise.document()], "publish_min": bounds.low, "publish_max": bounds.high}
        word = laws.laplace(table, [])
        loss_of_one = laws.greatest_ratio([word.joint(true, (0,)) for true in (0, 1)])
        low, high = laplace.bound(x, bounds, whole)(128)
        self.assertLessEqual(loss_of_one**256, exp_enclosure(low)[1])
        self.assertLess(high - low, Fraction(1, 10**30))
        self.assertGreater(loss_of_one**256, exp_enclosure(256 * x)[1], "more than the ideal law's")


class Ladders(Within):
    """A level given the one above it, of coarse digits at one of the two or at both."""

    OF = Range(0, 3, 3, 1)
    XS = (Fraction(2, 5), Fraction(3, 4))

    @staticmethod
    def coarse(size: Geometric, bits: int) -> Geometric:
        """Its two lowest digits to so many bits."""
        low = tuple(geometric.nearest(geometric.digit_probability(size.x, j), bits) for j in (0, 1))
        shift = size.digit_bits - bits
        return Geometric(size.x, (*(t << shift for t in low), *size.digits[2:]), size.digit_bits)

    def noises(self, bits: tuple[int, int]) -> list[Noise]:
        made = []
        for x, above, width in zip(self.XS, (self.XS[1], None), bits):
            fine = laplace.make_noise(x, above, self.OF, Fraction(1, 10**30))
            size = self.coarse(geometric.digits_of(x, len(fine.size.digits) + 1, 128), width)
            ideal = laplace.top_nonzero(x) if above is None else laplace.step_nonzero(x, above)
            factor = geometric.factor_of(fine.nonzero, 64, ideal) * size.factor()
            made.append(Noise(x, fine.nonzero, size, factor))
        return made

    def word(self, noises: list[Noise]) -> laws.Word:
        table = {"noise": [noise.document() for noise in noises]}
        return laws.laplace(table | {"publish_min": 0, "publish_max": 3}, [])

    def test_coarse(self) -> None:
        ideal = self.word(self.noises((128, 128)))
        for bits in ((8, 128), (128, 8), (8, 8), (10, 12)):
            noises = self.noises(bits)
            word = self.word(noises)
            low, top = laplace.ladder_factors(noises, self.OF.width)
            step = Factor(low.low / top.low, low.high / top.high)
            for y in range(4):
                with self.subTest(bits=bits, y=y):
                    self.assert_within(word.top(y), ideal.top(y), top)
                    self.assert_within(word.down(0, y), ideal.down(0, y), step)
                    for level, factor in enumerate((low, top)):
                        law, other = (law_of.joint(y, (level,)) for law_of in (word, ideal))
                        self.assert_within(law, other, factor)


class Forward(Within):
    def step(self, bits: tuple[int, int]) -> forward_laplace.Step:
        """Digits of so many bits: those within the last number, and those beyond."""
        whole = forward_laplace.digits_of

        def digits_of(x: Fraction, count: int, _: int, overflow: bool = False) -> Geometric:
            return whole(x, count, bits[0] if overflow else 64, overflow)

        def beyond(x: Fraction, count: int, _: Fraction, overflow: bool = False) -> Geometric:
            return whole(x, count, bits[0 if overflow else 1], overflow)

        with (
            mock.patch.object(forward_laplace, "digits_of", digits_of),
            mock.patch.object(forward_laplace, "geometric_within", beyond),
        ):
            return forward_laplace.make_step(HALF, Fraction(5, 4), Range(0, 3, 3, 1), Fraction(1))

    @staticmethod
    def word(step: forward_laplace.Step) -> laws.Word:
        parts = {
            part: getattr(step, part).document_with_overflow()
            for part in ("within", "beyond", "tail")
        }
        table = parts | {"opposite": str(step.opposite), "stay": str(step.stay)}
        last = laplace.make_noise(HALF, None, Range(0, 3, 3, 1), Fraction(1))
        ladder = {"noise": [last.document()], "publish_min": 0, "publish_max": 3}
        return laws.laplace(ladder, [{"table": table}])

    def test_coarse(self) -> None:
        ideal = self.word(self.step((128, 128)))
        for bits in ((128, 7), (12, 128), (12, 7)):
            step = self.step(bits)
            word = self.word(step)
            for last in range(4):
                for true in range(4):
                    with self.subTest(bits=bits, last=last, true=true):
                        self.assert_within(
                            word.up(0, last, true), ideal.up(0, last, true), step.factor
                        )


class Chains(unittest.TestCase):
    """Bits drawn forward, where the last alone says less than was asked for and all of them more."""

    def test_all_bits_are_certified(self) -> None:
        nominal = Fraction("2.5"), Fraction(4)
        flip = Fraction(randomized_response.thresholds((Fraction(1),))[0], 1 << 64)
        last = forward_bits.Law(flip, 1 - flip, 64)

        def aim(epsilon: Fraction) -> tuple[Fraction, Fraction]:
            wrong = 1 / (1 + exp_enclosure(epsilon)[0])
            return wrong, 1 - wrong

        def loss(if_one: Fraction, if_zero: Fraction) -> levels.Loss:
            return levels.loss_of((max(if_one, if_zero), 1))

        first, second = forward_bits.steps(last, nominal, aim, loss)
        self.assertLessEqual(self.all_bits([first, second], last), exp_enclosure(nominal[1])[0])
        self.assertLessEqual(self.all_bits([first], last), exp_enclosure(nominal[0])[0])
        # A step that the last bit alone would let pass, at the same width and epsilon.
        worse = forward_bits.step_forward(first.law, first.ways, aim(nominal[1]), 32)
        own = forward_bits.own_loss(worse, loss)
        self.assertTrue(levels.is_certified(nominal[1], own) and levels.is_close(nominal[1], own))
        self.assertGreater(self.all_bits([first, worse], last), exp_enclosure(nominal[1])[1])

    @staticmethod
    def all_bits(steps: list[forward_bits.Step], last: forward_bits.Law) -> Fraction:
        """The greatest ratio of any way that the bits can go, counted here."""
        ways = {(bit,): [] for bit in (0, 1)}
        for true in (0, 1):
            if_one = last.one_if_one if true else last.one_if_zero
            ways[(0,)].append(1 - if_one)
            ways[(1,)].append(if_one)
        for step in steps:
            longer = {}
            for way, chances in ways.items():
                for bit in (0, 1):
                    longer[(*way, bit)] = []
                    for true, chance in enumerate(chances):
                        given = step.given[true]
                        if_one = given.if_one if way[-1] else given.if_zero
                        longer[(*way, bit)].append(chance * (if_one if bit else 1 - if_one))
            ways = longer
        return max(max(a / b, b / a) for a, b in ways.values())


if __name__ == "__main__":
    unittest.main()
