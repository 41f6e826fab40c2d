# SPDX-License-Identifier: Apache-2.0
"""Every level and every subset of levels of a ladder, and release by distance."""
import ctypes
import itertools
import sys
import unittest
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

from compiled import Certified, bit_kernels, core, draw, index_of, int_or_same, joint_law
from compiled import lattice_decisions, marginal, metrics, power, scalar_kernels, signed, support_kernels, worst_ratio
import quantiles
from law import Law, laplace, law_of, threshold, uniform


class Ladder(Certified):
    def test_every_metric(self) -> None:
        for metric in metrics:
            with self.subTest(metric=metric["name"]):
                CHECKS[metric["mechanism"]](self, metric)

    def test_every_check_is_used(self) -> None:
        self.assertEqual(CHECKS.keys(), {metric["mechanism"] for metric in metrics})

    def flips(self, metric: dict[str, Any]) -> None:
        flip = metric["table"]["flip"]
        kernels = scalar_kernels(metric["name"], lambda level: [threshold(flip[level])])
        self.lossless(metric["name"], kernels, (0, 1))

    def categories(self, metric: dict[str, Any]) -> None:
        keep, size = metric["table"]["keep"], metric["table"]["size"]
        kernels = scalar_kernels(
            metric["name"], lambda level: [threshold(keep[level]), uniform(size)]
        )
        self.lossless(metric["name"], kernels, range(size))

    def designs(self, metric: dict[str, Any]) -> None:
        self.lossless(metric["name"], support_kernels(metric), range(metric["table"]["size"]))

    def windows(self, metric: dict[str, Any]) -> None:
        self.lossless(metric["name"], support_kernels(metric), range(metric["bins"]))

    def members(self, metric: dict[str, Any]) -> None:
        table, index = metric["table"], index_of[metric["name"]]
        size, most = table["size"], table["max_members"]
        kernels = bit_kernels(
            table["channel"], size, lambda level, word, random: draw(index, level, word, random)
        )
        least = 0 if metric["type"] == "set" else 1
        # Two levels of five bits: the joint law over both has 1,024 outcomes a value.
        values = [bits for bits in range(1 << size) if least <= bits.bit_count() <= most]
        self.lossless(metric["name"], kernels, values)

    def samples(self, metric: dict[str, Any]) -> None:
        """Every admissible set, by every place that may be drawn of it, at every subset of levels."""
        table, index = metric["table"], index_of[metric["name"]]
        size, most, named = (table[key] for key in ("size", "max_members", "named"))
        answers = comb(size + most, named)
        kernels = scalar_kernels(
            metric["name"], lambda level: [threshold(table["keep"][level]), uniform(answers)]
        )

        def drawn(members: tuple[int, ...]) -> Law:
            given, word = (ctypes.c_uint16 * max(1, len(members)))(*members), ctypes.c_uint32()

            def run(random: bytes) -> int:
                core.encode_set(index, given, ctypes.c_size_t(len(members)), random, ctypes.byref(word))
                return word.value

            return law_of([uniform(comb(most, named))], run)

        def top(members: tuple[int, ...]) -> Law:
            law: Law = defaultdict(Fraction)
            for word, weight in drawn(members).items():
                for answer, chance in kernels[-1](word).items():
                    law[answer] += weight * chance
            return dict(law)

        counts = range(most + 1)
        sets = [s for n in counts for s in itertools.combinations(range(size), n)]
        self.lossless(metric["name"], [*kernels[:-1], top], sets)
        # A member that is given twice is one member; beside it there are as many dummies as without.
        self.assertEqual(len(drawn((1,))), comb(most, named))
        for again in range(2, most + 1):
            law = drawn((1,) * again)
            self.assertEqual(len(law), comb(most, named), "all that can be drawn differ")
            self.assertEqual(sum(law.values()), 1)
        longer = tuple(range(most)) + (0,) * 3
        self.assertEqual(drawn(longer), drawn(longer[:most]), "of more, the first are taken")

    def numbers(self, metric: dict[str, Any]) -> None:
        if metric["type"] == "vector":
            self.vectors(metric)
            return
        noise = metric["table"]["noise"]
        kernels = scalar_kernels(metric["name"], lattice_decisions(noise), signed_words=True)
        self.lossless(metric["name"], kernels, range(metric["min"], metric["max"] + 1))

    def vectors(self, metric: dict[str, Any]) -> None:
        # Coordinates are independent and alike: the loss of a pair adds up over them.
        name = metric["name"]
        kernels = scalar_kernels(name, lattice_decisions(metric["table"]["noise"]), signed_words=True)
        single = [joint_law(kernels, value) for value in (-1, 0, 1)]
        admissible = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]
        numbers, values = (ctypes.c_int32 * 2)(), (ctypes.c_uint32 * 2)()
        for x, y in itertools.product((-1, 0, 1), repeat=2):
            numbers[0], numbers[1] = x, y
            core.encode(index_of[name], numbers, values)
            self.assertIn((signed(values[0]), signed(values[1])), admissible, "clipped to L1 norm 1")
        for level, stated in enumerate(metric["levels"]):
            laws = [marginal(law, tuple(range(level + 1)), int) for law in single]
            ratio: dict[tuple[int, int], Fraction] = {}
            for a, b in itertools.product((-1, 0, 1), repeat=2):
                ratio[a, b] = max(laws[a + 1][o] / laws[b + 1][o] for o in laws[0])
            worst = max(
                ratio[a[0], b[0]] * ratio[a[1], b[1]]
                for a, b in itertools.product(admissible, repeat=2)
            )
            self.holds(worst, stated["realised"])

    def thresholds(self, metric: dict[str, Any]) -> None:
        """Not lossless: every level alone is, and the stated joint loss is the exact one."""
        if "flip" in metric["table"]:
            self.flips(metric)
            return
        name, index = metric["name"], index_of[metric["name"]]
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

    def unit_ratio(self, metric: dict[str, Any]) -> Fraction:
        return self.ratio_at(metric, 1)

    def ratio_at(self, metric: dict[str, Any], distance: int) -> Fraction:
        """Two sums so far apart, by the law of every number there is: modulo 2^32 all are as good as 0."""
        noise, index = metric["table"]["noise"][0], index_of[metric["name"]]
        for start, value in ((0, 0), (7, 0xFFFFFFFF), (0xFFFFFFFF, 0x80000000)):
            rest = bytes(core.draw_bytes(index, 0) - 12)
            uniform_one = bytes(8) + value.to_bytes(4, "little") + rest
            self.assertEqual(draw(index, 0, start, uniform_one), (start + value) % 2**32)
        for head in (1, 1 << 31, 1 << 32, 1 << 63):  # uniform only where all 64 bits are zero
            law = law_of(
                [[(head.to_bytes(8, "little") + b"\x2a" * 4, Fraction(1))], *laplace(noise)],
                lambda random: draw(index, 0, 0, random),
            )
        self.assertEqual(len(law), 2 ** (len(noise["digits"]) + 1) + 1)
        eta = Fraction(1, 1 << 64)
        share = lambda number: (1 - eta) * law.get(number % 2**32, 0) + eta / 2**32  # noqa: E731
        return max(
            max(share(v) / share(v + d), share(v + d) / share(v))
            for v in law
            for d in (distance, -distance)
        )

    def sums(self, metric: dict[str, Any]) -> None:
        own = metric["table"]
        weights = [sum(row_class["weights"]) or 1 for row_class in own["classes"]]
        units = own["event"] * sum(weights)
        self.holds(self.unit_ratio(metric) ** units, metric["levels"][0]["realised"])

    def points(self, metric: dict[str, Any]) -> None:
        """The compiled rows of every place; the worst move of `sources` points is that of one, often."""
        index, count = index_of[metric["name"]], metric["value_words"]
        table, rows = metric["table"], {}
        for place in itertools.product(range(table["places"]), repeat=table["axes"]):
            words = (ctypes.c_uint32 * count)()
            core.add_points(index, (ctypes.c_int32 * len(place))(*place), 1, words)
            rows[place] = [signed(word) for word in words]
        units = max(
            sum(abs(x - y) for x, y in zip(rows[a], rows[b]))
            for a, b in itertools.combinations(rows, 2)
            if all(abs(x - y) <= metric["delta"] for x, y in zip(a, b))
        )
        ratio = self.unit_ratio(metric)
        self.holds(ratio ** (units * metric["sources"]), metric["levels"][0]["realised"])

    def in_order(self, metric: dict[str, Any]) -> None:
        """The joint law of all numbers, for every set of points and every neighbour of it."""
        index, length, delta = index_of[metric["name"]], metric["length"], metric["delta"]
        domain, encoded = range(metric["min"], metric["max"] + 1), {}
        for points in itertools.product(domain, repeat=length):
            words = (ctypes.c_uint32 * length)()
            core.encode(index, (ctypes.c_int32 * length)(*points), words)
            encoded[points] = tuple(signed(word) for word in words)
            self.assertEqual(encoded[points], tuple(sorted(points)))
        ratios = [Fraction(1), *(self.ratio_at(metric, d) for d in range(1, len(domain)))]
        certified, above = power(metric["levels"][0]["realised"])

        def worst(way: int, shown: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Fraction:
            found = Fraction(0)
            for x, y in itertools.product(encoded, repeat=2):
                ways = [abs(a - b) for a, b in zip(x, y)]
                if max(ways) <= way and sum(map(bool, ways)) <= metric["sources"]:
                    ratio = Fraction(1)
                    for a, b in zip(shown(x), shown(y)):
                        ratio *= ratios[abs(a - b)]
                    found = max(found, ratio)
            return found

        in_order = worst(delta, lambda points: encoded[points])
        self.assertLessEqual(in_order, certified)
        self.assertEqual(in_order, ratios[1] ** (delta * metric["sources"]), "all of the way counts")
        further = worst(delta + 1, lambda points: encoded[points])
        self.assertGreater(further, above, "a point that moves by delta + 1 loses more")
        first_moved = worst(delta, lambda points: tuple(sorted(points, key=lambda p: p % 3)))
        self.assertGreater(first_moved, above, "in another order a step loses more")

    def quantiles(self, metric: dict[str, Any]) -> None:
        """Every set of a few points, and every step from it. Steps that are counted wrong show, and
        cost more than is certified."""
        index, delta = index_of[metric["name"]], metric["table"]["delta"]
        worst, planted = Fraction(0), Fraction(0)
        for count in range(1, 6):
            known = quantiles.lengths(metric, count, delta)
            wrong = quantiles.lengths(metric, count, delta - 1)
            for points, steps in known.items():
                self.assertTrue(quantiles.is_drawn_so(index, metric, delta, points, steps), points)
            shorter = [
                quantiles.is_drawn_so(index, metric, delta - 1, points, steps)
                for points, steps in known.items()
            ]
            self.assertFalse(all(shorter), "a step of delta - 1 draws otherwise")
            laws = {points: quantiles.law(metric, steps) for points, steps in known.items()}
            worst = max(worst, quantiles.worst_step(metric, laws, delta))
            laws = {points: quantiles.law(metric, steps) for points, steps in wrong.items()}
            planted = max(planted, quantiles.worst_step(metric, laws, delta))
        low, high = power(metric["levels"][0]["realised"])
        self.assertLessEqual(worst, low)
        self.assertGreater(worst**2, high, "half of it is lost for certain")
        self.assertGreater(planted, high, "steps of delta - 1 lose more than is certified")


def elsewhere(test: Ladder, metric: dict[str, Any]) -> None:
    """test_rappor.py and test_hashed.py have them."""


# Mechanisms of few words need no line here, nor a metric in metrics.toml: test_words.py.
CHECKS: dict[str, Callable[[Ladder, dict[str, Any]], None]] = {
    "randomized_response": Ladder.flips,
    "laplace_threshold": Ladder.thresholds,
    "k_randomized_response": Ladder.categories,
    "optimized_unary": Ladder.members,
    "unary": Ladder.members,
    "rappor": elsewhere,
    "basic_rappor": elsewhere,
    "hashed": elsewhere,
    "design": Ladder.designs,
    "window_mean": Ladder.windows,
    "discrete_laplace": Ladder.numbers,
    "one_bit_mean": Ladder.flips,
    "noised_sum": Ladder.sums,
    "noised_points": Ladder.points,
    "inverse_sensitivity": Ladder.quantiles,
    "sorted_points": Ladder.in_order,
    "pad_and_sample": Ladder.samples,
}


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
