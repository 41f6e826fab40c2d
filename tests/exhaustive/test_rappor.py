# SPDX-License-Identifier: Apache-2.0
"""RAPPOR: reports of any levels, of one release and of several, from the same permanent bits."""
import itertools
import math
import sys
import unittest
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from compiled import Certified, core, draw, forward, index_of, marginal, metrics, power
from law import Law, channel_lane


class Rappor(Certified):
    def test_rappor(self) -> None:
        for name, size, values in (("word", 8, [0b11, 0b1100]), ("phase_rappor", 3, [1, 2, 4])):
            self.rappor(name, size, values)

    def rappor(self, name: str, size: int, values: list[int]) -> None:
        metric = metrics[index_of[name]]
        index, table = index_of[name], metric["table"]
        count = len(metric["levels"])
        permanent = [
            channel_lane(c, 1, lambda word, r, level=level: draw(index, level, word, r))
            for level, c in enumerate(table["permanent"])
        ]
        instant = [
            channel_lane(c, 1, lambda word, r, level=level: core.instantaneous(index, level, word, r))
            for level, c in enumerate(table["instantaneous"])
        ]
        above = [
            tuple(
                channel_lane(given, 1, lambda word, r, z=z, step=step: forward_report(index, step, word, z, r))
                for z, given in enumerate(entry["table"]["given"])
            )
            for step, entry in enumerate(metric["forward"])
        ]
        self.assertTrue(above)
        for steps, stated in enumerate(metric["forward"], start=1):
            self.forward(permanent, instant, above[:steps], int(table["chained"]), differing_bits(values), stated)
        bit_laws = [reports_of_a_bit(permanent, instant, int(table["chained"]), bit) for bit in (0, 1)]
        differing = differing_bits(values)
        pairs = {tuple(pair["levels"]): pair["joint"] for pair in metric["pairs"]}
        for chosen in range(1, count + 1):
            for subset in itertools.combinations(range(count), chosen):
                laws = [marginal(law, subset, int) for law in bit_laws]
                of_one = max(laws[1][o] / laws[0][o] for o in laws[0])
                of_zero = max(laws[0][o] / laws[1][o] for o in laws[0])
                ratio = (of_one * of_zero) ** (differing // 2)
                with self.subTest(metric=name, levels=subset):
                    if len(subset) == 1:
                        self.holds(ratio, metric["levels"][subset[0]]["realised"])
                    elif len(subset) == 2:
                        self.holds(ratio, pairs[subset])
                    if len(subset) == count:
                        self.holds(ratio, metric["joint"])
                    self.assertLessEqual(ratio, power(metric["joint"])[0])
        # Several reports of one permanent bit at one level.
        for level, stated in enumerate(metric["levels"]):
            for n in (1, 2):
                laws = [several_reports(permanent, instant, int(table["chained"]), bit, level, n) for bit in (0, 1)]
                of_one = max(laws[1][o] / laws[0][o] for o in laws[0])
                of_zero = max(laws[0][o] / laws[1][o] for o in laws[0])
                self.holds((of_one * of_zero) ** (differing // 2), stated["n"][str(n)])

        # So many of one level, then of the next, each of a release of its own.
        for pair in metric["pairs"]:
            for row in pair.get("reports", []):
                counts = {(level, n) for level, n in zip(pair["levels"], row["counts"], strict=True)}
                laws = [mixed_reports(permanent, instant, int(table["chained"]), bit, counts) for bit in (0, 1)]
                of_one = max(laws[1][o] / laws[0][o] for o in laws[0])
                of_zero = max(laws[0][o] / laws[1][o] for o in laws[0])
                self.holds((of_one * of_zero) ** (differing // 2), row["joint"])
        self.assertEqual(
            [row["counts"] for row in metric["pairs"][0]["reports"]], [[1, 1], [1, 10], [10, 1], [10, 10]]
        )

        # Two releases of one value, each published at every level.
        laws = [two_releases(permanent, instant, int(table["chained"]), bit) for bit in (0, 1)]
        of_one = max(laws[1][o] / laws[0][o] for o in laws[0])
        of_zero = max(laws[0][o] / laws[1][o] for o in laws[0])
        self.holds((of_one * of_zero) ** (differing // 2), metric["ladder"]["n"]["2"])
        self.assertEqual(metric["ladder"]["n"]["1"], metric["joint"])

    def forward(self, permanent: list, instant: list, above: list, chained: int, differing: int, stated: dict) -> None:
        """Levels above the ladder: alone, with all below, and so of two releases."""
        laws = [reports_of_a_bit(permanent, instant, chained, bit, above) for bit in (0, 1)]
        last = [marginal(law, (len(instant) + len(above) - 1,), int) for law in laws]
        both = [two_releases(permanent, instant, chained, bit, above) for bit in (0, 1)]
        for pair, epsilon in (
            (last, stated["realised"]), (laws, stated["joint"]), (laws, stated["ladder"]["n"]["1"]),
            (both, stated["ladder"]["n"]["2"]),
        ):
            of_one = max(pair[1][o] / pair[0][o] for o in pair[0])
            of_zero = max(pair[0][o] / pair[1][o] for o in pair[0])
            self.holds((of_one * of_zero) ** (differing // 2), epsilon)
        top = len(instant) + len(above) - 1
        for chosen in range(top + 1):
            for subset in itertools.combinations(range(top), chosen):
                some = [marginal(law, (*subset, top), int) for law in laws]
                of_one = max(some[1][o] / some[0][o] for o in some[0])
                of_zero = max(some[0][o] / some[1][o] for o in some[0])
                self.assertLessEqual((of_one * of_zero) ** (differing // 2), power(stated["joint"])[0])


class PermanentForward(Certified):
    """Permanent bits of a smaller f, drawn from those of the ladder's top and the true bits."""

    def setUp(self) -> None:
        self.index = index = index_of["word_later"]
        self.metric = metric = metrics[index]
        table = metric["table"]
        self.chained = int(table["chained"])
        self.permanent = [
            channel_lane(c, 1, lambda word, r, level=level: draw(index, level, word, r))
            for level, c in enumerate(table["permanent"])
        ]
        reports = table["instantaneous"] + [f["table"]["instantaneous"] for f in metric["forward"]]
        self.instant = [
            channel_lane(c, 1, lambda word, r, level=level: core.instantaneous(index, level, word, r))
            for level, c in enumerate(reports)
        ]
        self.given = [
            tuple(
                channel_lane(given, 1, lambda word, r, x=x, step=step: forward_report(index, step, word, x, r))
                for x, given in enumerate(entry["table"]["given"])
            )
            for step, entry in enumerate(metric["forward"])
        ]

    def permanent_bits(self, bit: int, steps: int, given: Sequence) -> Law:
        law = permanent_chain(self.permanent, bit)
        for step in range(steps):
            longer: Law = defaultdict(Fraction)
            for z, weight in law.items():
                if_one = given[step][bit][z[-1]]
                longer[(*z, 1)] += weight * if_one
                longer[(*z, 0)] += weight * (1 - if_one)
            law = dict(longer)
        return law

    def reports(self, bit: int, steps: int, given: Sequence, releases: int = 1) -> Law:
        law: Law = defaultdict(Fraction)
        instant = self.instant[: len(self.permanent) + steps]
        for z, weight in self.permanent_bits(bit, steps, given).items():
            release = one_release(instant, self.chained, z)
            for several in itertools.product(release.items(), repeat=releases):
                chance = weight
                for _, step in several:
                    chance *= step
                law[sum((y for y, _ in several), ())] += chance
        return dict(law)

    def ratio(self, laws: list[Law]) -> Fraction:
        of_one = max(laws[1][o] / laws[0][o] for o in laws[0])
        of_zero = max(laws[0][o] / laws[1][o] for o in laws[0])
        return (of_one * of_zero) ** (differing_bits([0b11, 0b1100]) // 2)

    def test_loses_what_is_stated(self) -> None:
        for steps, stated in enumerate(self.metric["forward"], start=1):
            top = len(self.permanent) + steps - 1
            flip = stated["probabilities"]["permanent_flip"]
            flip = Fraction(int(flip["numerator"]), 1 << int(flip["denominator_bits"]))
            for bit in (0, 1):
                (turned,) = (
                    weight for (z,), weight in
                    marginal(self.permanent_bits(bit, steps, self.given), (top,), int).items() if z != bit
                )  # fmt: skip
                self.assertEqual(turned, flip, "a flip again, exactly")
            laws = [self.reports(bit, steps, self.given) for bit in (0, 1)]
            self.holds(self.ratio([marginal(law, (top,), int) for law in laws]), stated["realised"])
            self.holds(self.ratio(laws), stated["joint"])
            self.assertEqual(stated["joint"], stated["ladder"]["n"]["1"])
            for count in range(top + 1):
                for subset in itertools.combinations(range(top), count):
                    some = [marginal(law, (*subset, top), int) for law in laws]
                    self.assertLessEqual(self.ratio(some), power(stated["joint"])[0], subset)
            two = [self.reports(bit, steps, self.given, 2) for bit in (0, 1)]
            self.holds(self.ratio(two), stated["ladder"]["n"]["2"])
            all_bits = [self.permanent_bits(bit, steps, self.given) for bit in (0, 1)]
            self.holds(self.ratio(all_bits), stated["ladder"]["infinity"])

    def test_bits_drawn_anew_lose_more(self) -> None:
        """The control: the same flip, but from the true bit alone."""
        stated = self.metric["forward"][0]
        flip = stated["probabilities"]["permanent_flip"]
        flip = Fraction(int(flip["numerator"]), 1 << int(flip["denominator_bits"]))
        anew = [((flip, flip), (1 - flip, 1 - flip))]
        laws = [self.reports(bit, 1, anew, 2) for bit in (0, 1)]
        self.assertGreater(self.ratio(laws), power(stated["ladder"]["n"]["2"])[1])
        bits = [self.permanent_bits(bit, 1, anew) for bit in (0, 1)]
        self.assertGreater(self.ratio(bits), power(stated["ladder"]["infinity"])[1] * 2)


def differing_bits(values: list[int]) -> int:
    return max((a ^ b).bit_count() for a in values for b in values)


def forward_report(index: int, step: int, last: int, z: int, random: bytes) -> int:
    """A word of reports, all of whose permanent bits are z."""
    size = core.forward_draw_bytes(index, step)
    return forward(index, step, last, -z, random + b"\0" * (size - len(random)))


def permanent_chain(permanent: list, bit: int) -> Law:
    """The law of the permanent bits (level 0, ..., top) of one true bit."""
    law: Law = {(): Fraction(1)}
    for level in reversed(range(len(permanent))):
        below: Law = defaultdict(Fraction)
        for path, weight in law.items():
            if_one = permanent[level][path[0] if path else bit]
            for z in (0, 1):
                if (if_one if z else 1 - if_one) > 0:
                    below[(z, *path)] += weight * (if_one if z else 1 - if_one)
        law = dict(below)
    return law


def one_release(instant: list, chained: int, z: tuple[int, ...], above: Sequence = ()) -> Law:
    """The law of what one release reports at every level, given its permanent bits."""
    law: Law = {(): Fraction(1)}
    for level in reversed(range(len(instant))):
        below: Law = defaultdict(Fraction)
        for path, weight in law.items():
            start = path[0] if chained >> level & 1 else z[level]
            if_one = instant[level][start]
            for y in (0, 1):
                if (if_one if y else 1 - if_one) > 0:
                    below[(y, *path)] += weight * (if_one if y else 1 - if_one)
        law = dict(below)
    for given in above:
        longer: Law = defaultdict(Fraction)
        for path, weight in law.items():
            if_one = given[z[-1]][path[-1]]
            longer[(*path, 1)] += weight * if_one
            longer[(*path, 0)] += weight * (1 - if_one)
        law = dict(longer)
    return law


def reports_of_a_bit(permanent: list, instant: list, chained: int, bit: int, above: Sequence = ()) -> Law:
    law: Law = defaultdict(Fraction)
    for z, weight in permanent_chain(permanent, bit).items():
        for y, step in one_release(instant, chained, z, above).items():
            law[y] += weight * step
    return dict(law)


def several_reports(permanent: list, instant: list, chained: int, bit: int, level: int, n: int) -> Law:
    law: Law = defaultdict(Fraction)
    for z, weight in permanent_chain(permanent, bit).items():
        report = marginal(one_release(instant, chained, z), (level,), int)
        for combination in itertools.product(report.items(), repeat=n):
            product = weight
            for _, step in combination:
                product *= step
            law[tuple(y for (y,), _ in combination)] += product
    return dict(law)


def mixed_reports(permanent: list, instant: list, chained: int, bit: int, counts: Iterable) -> Law:
    """By how many of the reports of each level are one: their order tells nothing."""
    law: Law = defaultdict(Fraction)
    for z, weight in permanent_chain(permanent, bit).items():
        outcomes: Law = {(): weight}
        for level, n in sorted(counts):
            if_one = marginal(one_release(instant, chained, z), (level,), int).get((1,), Fraction(0))
            ones = {k: math.comb(n, k) * if_one**k * (1 - if_one) ** (n - k) for k in range(n + 1)}
            outcomes = {(*o, k): w * p for o, w in outcomes.items() for k, p in ones.items()}
        for outcome, chance in outcomes.items():
            law[outcome] += chance
    return dict(law)


def two_releases(permanent: list, instant: list, chained: int, bit: int, above: Sequence = ()) -> Law:
    law: Law = defaultdict(Fraction)
    for z, weight in permanent_chain(permanent, bit).items():
        release = one_release(instant, chained, z, above)
        for (a, p), (b, q) in itertools.product(release.items(), repeat=2):
            law[a, b] += weight * p * q
    return dict(law)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
