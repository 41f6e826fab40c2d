# SPDX-License-Identifier: Apache-2.0
"""Every level and every subset of levels of a ladder, and release by distance."""
import ctypes
import itertools
import sys
import unittest
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from compiled import Certified, Kernel, bit_kernels, core, draw, index_of, int_or_same, joint_law
from compiled import lattice_decisions, marginal, metrics, power, scalar_kernels, signed, worst_ratio
from law import Law, threshold, uniform


class Ladder(Certified):
    def lossless(self, name: str, kernels: list[Kernel], values: Iterable[Any], tight: bool = True) -> None:
        """Every subset of levels loses what its highest level is certified for."""
        levels = metrics[index_of[name]]["levels"]
        laws = [joint_law(kernels, value) for value in values]
        for count in range(1, len(levels) + 1):
            for subset in itertools.combinations(range(len(levels)), count):
                with self.subTest(metric=name, levels=subset):
                    ratio = worst_ratio([marginal(law, subset, int_or_same) for law in laws])
                    epsilon = levels[subset[-1]]["realised"]
                    if tight:
                        self.holds(ratio, epsilon)
                    self.assertLessEqual(ratio, power(epsilon)[0])
                    self.assertLessEqual(
                        Fraction(epsilon), Fraction(levels[subset[-1]]["nominal"]), "above nominal"
                    )

    def test_bits(self) -> None:
        for name in ("flag", "flag_unit_grid", "temperature"):
            table = metrics[index_of[name]]["table"]
            kernels = scalar_kernels(name, lambda level: [threshold(table["flip"][level])])
            self.lossless(name, kernels, (0, 1))

    def test_categories(self) -> None:
        table = metrics[index_of["phase"]]["table"]
        kernels = scalar_kernels(
            "phase", lambda level: [threshold(table["keep"][level]), uniform(table["size"])]
        )
        self.lossless("phase", kernels, range(3))

    def unary(self, name: str, size: int, values: Iterable[int]) -> None:
        index = index_of[name]
        channels = metrics[index]["table"]["channel"]
        kernels = bit_kernels(channels, size, lambda level, word, random: draw(index, level, word, random))
        self.lossless(name, kernels, values)

    def test_unary(self) -> None:
        self.unary("phase_optimized", 3, (1, 2, 4))
        self.unary("phase_unary", 3, (1, 2, 4))

    def test_sets(self) -> None:
        for name, size, most in (("faults", 5, 2), ("many_faults", 4, 3)):
            # Two levels of five bits: the joint law over both has 1,024 outcomes a value.
            values = [bits for bits in range(1 << size) if bits.bit_count() <= most]
            self.unary(name, size, values)

    def test_integers(self) -> None:
        for name in ("level", "level_with_margin"):
            metric = metrics[index_of[name]]
            noise = metric["table"]["noise"]
            kernels = scalar_kernels(name, lattice_decisions(noise), signed_words=True)
            self.lossless(name, kernels, range(metric["min"], metric["max"] + 1))

    def test_vectors(self) -> None:
        # Coordinates are independent and alike: the loss of a pair adds up over them.
        metric = metrics[index_of["pair"]]
        kernels = scalar_kernels("pair", lattice_decisions(metric["table"]["noise"]), signed_words=True)
        one = [joint_law(kernels, value) for value in (-1, 0, 1)]
        admissible = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]
        values = (ctypes.c_uint32 * 2)()
        for x, y in itertools.product((-1, 0, 1), repeat=2):
            values[0], values[1] = x & 0xFFFFFFFF, y & 0xFFFFFFFF
            core.clip(index_of["pair"], values)
            self.assertIn((signed(values[0]), signed(values[1])), admissible, "clipped to L1 norm 1")
        for level, stated in enumerate(metric["levels"]):
            laws = [marginal(law, tuple(range(level + 1)), int) for law in one]
            ratio: dict[tuple[int, int], Fraction] = {}
            for a, b in itertools.product((-1, 0, 1), repeat=2):
                ratio[a, b] = max(laws[a + 1][o] / laws[b + 1][o] for o in laws[0])
            worst = max(
                ratio[a[0], b[0]] * ratio[a[1], b[1]]
                for a, b in itertools.product(admissible, repeat=2)
            )
            self.holds(worst, stated["realised"])

    def test_fine_grid(self) -> None:
        """Not lossless: every level alone is, and the stated joint loss is the exact one."""
        for name in ("flag_fine_grid", "flag_off_the_middle"):
            with self.subTest(metric=name):
                self.fine_grid(name)

    def fine_grid(self, name: str) -> None:
        metric = metrics[index_of[name]]
        index = index_of[name]
        lattice = metric["table"]["lattice"]
        kernels = scalar_kernels(name, lattice_decisions(lattice["noise"]), signed_words=True)
        publish = lambda word: core.published(index, word & 0xFFFFFFFF)  # noqa: E731
        laws = [joint_law(kernels, value) for value in (0, 1)]
        for level, stated in enumerate(metric["levels"]):
            self.holds(worst_ratio([marginal(law, (level,), publish) for law in laws]), stated["realised"])
        both = worst_ratio([marginal(law, (0, 1), publish) for law in laws])
        self.holds(both, metric["joint"])
        self.holds(both, metric["pairs"][0]["joint"])
        # From 1 on the lower end stands for itself, and the bits of two levels are a chain.
        if name == "flag_fine_grid":
            self.assertGreater(both, power(metric["levels"][1]["realised"])[1], "more than the highest")


class Distance(unittest.TestCase):
    """
    Release by distance (Koufogiannis, Han, Pappas 2015, section 4.2): each recipient gets a level of
    one release. All of them together learn what the nearest may; with noise of their own, the sum.
    """

    def test_colluding_recipients(self) -> None:
        flips = metrics[index_of["flag"]]["table"]["flip"]
        noise = metrics[index_of["level"]]["table"]["noise"]
        for name, kernels, values in (
            ("flag", scalar_kernels("flag", lambda level: [threshold(flips[level])]), (0, 1)),
            ("level", scalar_kernels("level", lattice_decisions(noise), signed_words=True), range(4)),
        ):
            levels = metrics[index_of[name]]["levels"]
            laws = [joint_law(kernels, value) for value in values]
            recipients = range(len(levels))
            together = worst_ratio(laws)
            apart = Fraction(1)
            for level in recipients:
                apart *= worst_ratio([marginal(law, (level,), int_or_same) for law in laws])
            nearest = levels[-1]["nominal"]
            everyone = sum(Fraction(level["nominal"]) for level in levels)
            with self.subTest(metric=name):
                self.assertLessEqual(together, power(nearest)[0])
                self.assertGreater(apart, power(str(float(everyone) * 0.999))[1], "independent noise adds up")
                self.assertGreater(apart, together)


class TheChecksBite(unittest.TestCase):
    """Wrong mechanisms, which the checks above must notice."""

    def test_a_flip_below_its_threshold(self) -> None:
        p = Fraction(int(metrics[0]["table"]["flip"][2]), 1 << 64)
        wrong = p - Fraction(1, 1 << 60)
        low, _ = power(metrics[0]["levels"][2]["realised"])
        self.assertLessEqual((1 - p) / p, low)
        self.assertGreater((1 - wrong) / wrong, low)

    def test_levels_drawn_independently(self) -> None:
        flips = [Fraction(level["probabilities"]["flip"]["numerator"]) for level in metrics[0]["levels"]]
        bits = [int(level["probabilities"]["flip"]["denominator_bits"]) for level in metrics[0]["levels"]]
        marginals = [numerator / (1 << b) for numerator, b in zip(flips, bits, strict=True)]
        laws = []
        for value in (0, 1):
            law: Law = {}
            for path in itertools.product((0, 1), repeat=2):
                weight = Fraction(1)
                for level, bit in enumerate(path):
                    weight *= marginals[level] if bit != value else 1 - marginals[level]
                law[path] = weight
            laws.append(law)
        self.assertGreater(worst_ratio(laws), power(metrics[0]["levels"][1]["realised"])[1])

    def test_an_outcome_that_tells(self) -> None:
        with self.assertRaises(AssertionError):
            worst_ratio([{0: Fraction(1)}, {0: Fraction(1, 2), 1: Fraction(1, 2)}])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
