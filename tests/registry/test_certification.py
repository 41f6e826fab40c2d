# SPDX-License-Identifier: Apache-2.0
"""The numbers: against published vectors, and recomputed here in another way."""
import dataclasses
import itertools
import math
import unittest
from decimal import Decimal, localcontext
from fractions import Fraction
from unittest import mock

import laws
from support import DAMAGE, HEAD, Workspace, exp_enclosure, vectors

from registry import exact, laplace, levels, randomized_response
from registry.errors import RegistryError

LADDERS = (
    ("0.5", "1", "2"),
    ("0.001", "0.0011", "32"),
    ("0.1", "0.2", "0.4", "0.8"),
    ("1", "1.0000000001", "1.1", "31.9", "32"),
    ("0.001",),
    ("32",),
)


def ladder(*epsilons: str) -> tuple[Fraction, ...]:
    return tuple(Fraction(epsilon) for epsilon in epsilons)


def joint_law(flips: list[int], value: int) -> dict[tuple[int, ...], Fraction]:
    """The probability of every (level 0, ..., top) for one true value, drawn top down."""
    law: dict[tuple[int, ...], Fraction] = {}
    for bits in itertools.product((0, 1), repeat=len(flips)):
        probability, above = Fraction(1), value
        for bit, flip in zip(reversed(bits), reversed(flips)):
            chance = Fraction(flip, 1 << 64)
            probability *= chance if bit != above else 1 - chance
            above = bit
        law[bits] = probability
    return law


def loss_ratio(flips: list[int], published: tuple[int, ...]) -> Fraction:
    """The greatest ratio between the two values' laws of the published levels."""
    sums: list[dict[tuple[int, ...], Fraction]] = [{}, {}]
    for value in (0, 1):
        for bits, probability in joint_law(flips, value).items():
            seen = tuple(bits[level] for level in published)
            sums[value][seen] = sums[value].get(seen, Fraction(0)) + probability
    return max(max(sums[0][s] / sums[1][s], sums[1][s] / sums[0][s]) for s in sums[0])


class ExactArithmetic(unittest.TestCase):
    def test_bounds_enclose_a_library_of_another_kind(self) -> None:
        with localcontext() as context:
            context.prec = 60
            for text in ("0.001", "0.5", "1", "2.302585", "31.999", "32"):
                x = Fraction(text)
                low, high = exact.exp_bounds(x, 128)
                value = Fraction(Decimal(text).exp())
                slack = value / 10**50
                self.assertLessEqual(low - slack, value)
                self.assertGreaterEqual(high + slack, value)
                self.assertLess((high - low) / low, Fraction(1, 10**35))
                low, high = exact.ln_bounds(1 + x, 128)
                value = Fraction((1 + Decimal(text)).ln())
                self.assertLessEqual(low - slack, value)
                self.assertGreaterEqual(high + slack, value)
                self.assertLess(high - low, Fraction(1, 10**35))

    def test_refining_narrows(self) -> None:
        for bounds in (exact.exp_bounds, exact.ln_bounds):
            coarse, fine = bounds(Fraction(7, 3), 64), bounds(Fraction(7, 3), 256)
            self.assertTrue(coarse[0] <= fine[0] < fine[1] <= coarse[1])

    def test_ln_of_one_and_of_powers_of_two(self) -> None:
        self.assertEqual(exact.ln_bounds(Fraction(1), 64), (0, 0))
        single, ten = (exact.ln_bounds(Fraction(2**k), 128) for k in (1, 10))
        self.assertEqual(ten, (10 * single[0], 10 * single[1]))

    def test_decimals_round_up(self) -> None:
        third = Fraction(1, 3)
        self.assertEqual(exact.decimal_up(third, 5), "0.33334")
        self.assertEqual(exact.decimal_up(third / 100, 5), "0.0033334")
        self.assertEqual(exact.decimal_up(third * 100, 5), "33.334")
        self.assertEqual(exact.decimal_up(1 - Fraction(1, 10**9), 5), "1.0000")
        self.assertEqual(exact.decimal_up(Fraction(1, 2), 5), "0.50000")

    def test_an_undecidable_rounding_is_refused(self) -> None:
        edge = lambda bits: (1 - Fraction(1, 1 << bits), 1 + Fraction(1, 1 << bits))  # noqa: E731
        with self.assertRaisesRegex(RegistryError, "undecided"):
            exact.decide(edge, math.ceil)


class Vectors(unittest.TestCase):
    def test_thresholds_and_realised_epsilons(self) -> None:
        cases = vectors("rr.json")["cases"]
        self.assertGreaterEqual(len(cases), 8)
        for case in cases:
            (level,) = randomized_response.certified_levels(ladder(case["eps"]))
            self.assertEqual(str(level.flip), case["n64"]["threshold"])
            ours, theirs = Decimal(level.realised), Decimal(case["n64"]["realized_eps"])
            self.assertEqual(len(level.realised.replace(".", "").lstrip("0")), 30)
            self.assertLessEqual(abs(ours - theirs), Decimal(1).scaleb(theirs.adjusted() - 29))

    def test_ladder_steps_and_marginals(self) -> None:
        tolerance = Fraction(1, 1 << 61)
        for case in vectors("bit_relax.json")["rr"]:
            low, high = randomized_response.certified_levels(ladder(case["eps1"], case["eps2"]))
            # s is divided by 1 - 2p2, which magnifies the rounding of p2.
            scale = 1 - 2 * Fraction(case["p2"])
            step = Fraction(low.flip, 1 << 64)
            self.assertLess(abs(step - Fraction(case["s"])), tolerance / scale)
            self.assertLess(abs(low.marginal - Fraction(case["p1"])), tolerance)
            self.assertLess(abs(high.marginal - Fraction(case["p2"])), tolerance)
            joint = joint_law([low.flip, high.flip], 1)
            cells = {"nn": (1, 1), "ff": (0, 0), "f1_only": (0, 1), "f2_only": (1, 0)}
            for name, bits in cells.items():
                self.assertLess(abs(joint[bits] - Fraction(case["joint"][name])), tolerance / scale)


class Recomputed(unittest.TestCase):
    def test_every_subset_of_levels_keeps_its_promise(self) -> None:
        for epsilons in LADDERS:
            nominal = ladder(*epsilons)
            made = randomized_response.certified_levels(nominal)
            flips = [level.flip for level in made]
            for size in range(1, len(made) + 1):
                for published in itertools.combinations(range(len(made)), size):
                    top = published[-1]
                    ratio = loss_ratio(flips, published)
                    self.assertLessEqual(ratio, exp_enclosure(nominal[top])[0])
                    # The printed loss is not less than the loss, and not more by a digit.
                    realised = Fraction(made[top].realised)
                    self.assertLessEqual(ratio, exp_enclosure(realised)[1])
                    last_place = Decimal(made[top].realised).adjusted() - 29
                    unit = Fraction(Decimal(1).scaleb(last_place))
                    self.assertGreaterEqual(ratio, exp_enclosure(realised - unit)[0])

    def test_what_is_printed_never_exceeds_the_nominal(self) -> None:
        for epsilons in LADDERS:
            made = randomized_response.certified_levels(ladder(*epsilons))
            for level, nominal in zip(made, epsilons):
                self.assertLessEqual(Fraction(level.realised), Fraction(nominal))
                self.assertEqual(level.cost, math.ceil(Fraction(level.realised) * 2**20))

    def test_thresholds_are_the_least_that_hold(self) -> None:
        """One less at the top loses more than the nominal epsilon: the ceiling is tight."""
        for epsilon in ("0.001", "0.5", "1", "8", "32"):
            (flip,) = randomized_response.thresholds(ladder(epsilon))
            _, high = exp_enclosure(Fraction(epsilon))
            self.assertGreater(Fraction((1 << 64) - flip + 1, flip - 1), high)

    def test_the_levels_rise(self) -> None:
        for epsilons in LADDERS:
            made = randomized_response.certified_levels(ladder(*epsilons))
            realised = [Fraction(level.realised) for level in made]
            self.assertEqual(realised, sorted(set(realised)))


class Guards(Workspace):
    """Each guard is shown to stop what it is there for."""

    def test_the_wrong_rounding_is_refused(self) -> None:
        with mock.patch.object(randomized_response, "ceil", math.floor):
            for epsilons in (ladder("0.5"), ladder("0.5", "1", "2"), ladder("32")):
                with self.assertRaisesRegex(RegistryError, "can't be certified"):
                    randomized_response.certified_levels(epsilons)
            self.assert_refused(self.compile(HEAD + DAMAGE), "damage", "epsilons", "certified")

    def test_one_threshold_one_too_low_is_refused(self) -> None:
        epsilons = ladder("0.5", "1", "2")
        good = randomized_response.thresholds(epsilons)
        # The top's rounding leaves the levels below some room: there it takes a few more.
        for level, less in ((2, 1), (1, 4), (0, 4)):
            flips = [flip - less * (i == level) for i, flip in enumerate(good)]
            with mock.patch.object(randomized_response, "thresholds", lambda _: flips):
                with self.assertRaisesRegex(RegistryError, "can't be certified"):
                    randomized_response.certified_levels(epsilons)

    def test_a_loss_just_above_the_nominal_is_refused(self) -> None:
        for epsilon in ladder("0.001", "1", "32"):
            low, high = exp_enclosure(epsilon)
            levels.certify(epsilon, levels.loss_of((low, 1)))
            with self.assertRaisesRegex(RegistryError, "can't be certified"):
                levels.certify(epsilon, levels.loss_of((high, 1)))

    def test_a_fair_coin_is_refused(self) -> None:
        with self.assertRaisesRegex(RegistryError, "no information"):
            randomized_response.thresholds((Fraction(1, 10**20),))
        with mock.patch.object(randomized_response, "thresholds", lambda _: [1 << 63]):
            with self.assertRaisesRegex(RegistryError, "no information"):
                randomized_response.certified_levels(ladder("1"))


class SeveralNumbers(unittest.TestCase):
    """A rounding counts in every number of a vector that may differ."""

    def test_each_of_them_counts(self) -> None:
        bounds = laplace.Range(0, 6, 2, 2)
        x = Fraction(1, 2)
        noise = laplace.make_noise(x, None, bounds, Fraction(1, 10**6))
        # Odd sizes are more likely than they should be, even ones less: by 1/256 of a half.
        digits = (noise.size.digits[0] + (1 << 56), *noise.size.digits[1:])
        size = dataclasses.replace(noise.size, digits=digits)
        spoiled = dataclasses.replace(noise, size=size, factor=noise.factor * size.factor())
        (factor,) = laplace.ladder_factors([spoiled], bounds.width)
        table = {"noise": [spoiled.document()], "publish_min": bounds.low, "publish_max": bounds.high}
        word = laws.laplace(table, [])
        # (2, 2) and (3, 3), seen from beyond both.
        ratio = laws.greatest_ratio([word.joint(2, (0,)), word.joint(3, (0,))])
        low, high = laplace.bound(x, bounds, factor)(128)
        self.assertLessEqual(ratio**2, exp_enclosure(low)[1])
        self.assertGreater(ratio**2, exp_enclosure(high * Fraction(999, 1000))[1])
        once = laplace.Range(0, 6, 2, 1)
        self.assertGreater(ratio**2, exp_enclosure(laplace.bound(x, once, factor)(128)[1])[1])


if __name__ == "__main__":
    unittest.main()
