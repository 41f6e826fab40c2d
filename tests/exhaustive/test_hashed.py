# SPDX-License-Identifier: Apache-2.0
"""Hashed response: reports of any levels, of one release and of a device's life."""
import itertools
import math
import sys
import unittest
from collections import defaultdict
from fractions import Fraction

from compiled import Certified, core, draw, index_of, marginal, metrics, power, worst_ratio
from law import Law, law_of, threshold, uniform

class Hashed(Certified):
    def setUp(self) -> None:
        self.index = index_of["model"]
        self.metric = metrics[self.index]
        table = self.metric["table"]
        self.size, self.top = table["size"], len(self.metric["levels"]) - 1
        asked = [[threshold(keep), uniform(self.size)] for keep in table["keep"]]
        first = [threshold(table["permanent"]), uniform(self.size)]
        values = range(self.size)
        self.permanent = [
            law_of(first, lambda random, h=h: draw(self.index, self.top, h, random)) for h in values
        ]
        self.step = [
            [law_of(asked[level], lambda random, y=y, level=level: core.instantaneous(self.index, level, y, random))
             for y in values]
            for level in range(self.top + 1)
        ]

    def release(self, answer: int, level: int) -> Law:
        """All levels up to this one, from the permanent answer."""
        law: Law = {(): Fraction(1)}
        for at in reversed(range(self.top + 1)):
            following: Law = defaultdict(Fraction)
            for path, weight in law.items():
                for word, chance in self.step[at][path[0] if path else answer].items():
                    following[(word, *path)] += weight * chance
            law = following
        return marginal(law, tuple(range(level + 1)), int)

    def several(self, releases: list[Law]) -> list[Law]:
        """By hash value: independent releases from one permanent answer, whose laws these are."""
        return [self.mixed(self.permanent[h], releases) for h in range(self.size)]

    def mixed(self, permanent: Law, releases: list[list[Law]]) -> Law:
        total: Law = defaultdict(Fraction)
        for answer, weight in permanent.items():
            for several in itertools.product(*(laws[answer].items() for laws in releases)):
                key = tuple(outcome for outcome, _ in several)
                total[key] += weight * math.prod((chance for _, chance in several), start=Fraction(1))
        return total

    def test_the_permanent_answer_is_the_same_at_every_level(self) -> None:
        for level in range(self.top):
            for answer in range(self.size):
                self.assertEqual(draw(self.index, level, answer, b""), answer)

    def test_levels_of_one_release(self) -> None:
        whole = [self.release(answer, self.top) for answer in range(self.size)]
        laws = [{key[0]: p for key, p in law.items()} for law in self.several([whole])]
        for count in range(1, self.top + 2):
            for subset in itertools.combinations(range(self.top + 1), count):
                with self.subTest(levels=subset):
                    ratio = worst_ratio([marginal(law, subset, int) for law in laws])
                    self.holds(ratio, self.metric["levels"][subset[-1]]["realised"])
        self.assertEqual(self.metric["joint"], self.metric["levels"][-1]["realised"])

    def test_releases_of_one_hash_value(self) -> None:
        for level, stated in enumerate(self.metric["levels"]):
            laws = [self.release(answer, level) for answer in range(self.size)]
            alone = [marginal(law, (level,), int) for law in laws]
            for releases in (laws, alone):  # at every level up to it, or at that one
                self.holds(worst_ratio(self.several([releases, releases])), stated["n"]["2"])
        self.holds(worst_ratio(self.permanent), self.metric["levels"][0]["infinity"])

    def test_a_life(self) -> None:
        """Every history of so many reports against every other one with equal hash values at the same times."""
        for level in range(self.top + 1):
            laws = [marginal(self.release(answer, level), (level,), int) for answer in range(self.size)]
            for count in (1, 2, 3):
                worst = self.worst_life(laws, count)
                low = power(self.charged(level, count))[0]
                self.assertLessEqual(worst, low)
                self.assertGreater(worst * power("2/1048576")[1], low, "much less is lost")

    def test_a_life_without_end(self) -> None:
        """All permanent answers: nothing else of the values is ever told."""
        stays = [max(law.values()) for law in self.permanent]
        least = [min(law.values()) for law in self.permanent]
        ratio = math.prod(a / b for a, b in zip(stays, least, strict=True))
        self.assertLessEqual(ratio, power(self.charged(self.top, self.metric["cost_reports"]))[0])
        self.assertGreater(ratio * power("0.00001")[1], power(self.charged(self.top, 10**6))[0])

    def test_it_is_not_hidden_when_a_hash_value_changed(self) -> None:
        """A history of one hash value, and one of two: no bound is stated for them, and none holds."""
        laws = [marginal(self.release(answer, self.top), (self.top,), int) for answer in range(self.size)]
        once = self.mixed(self.permanent[0], [laws] * 8)
        half = [self.mixed(self.permanent[h], [laws] * 4) for h in (0, 1)]
        changed = {a + b: p * q for (a, p), (b, q) in itertools.product(half[0].items(), half[1].items())}
        self.assertGreater(worst_ratio([once, changed]), power(self.metric["levels"][-1]["infinity"])[1])

    def charged(self, level: int, count: int) -> str:
        each = self.metric["cost_reports"]
        return self.metric["costs"][level * each + min(count, each) - 1] + "/1048576"

    def worst_life(self, laws: list[Law], count: int) -> Fraction:
        of_one = {n: self.several([laws] * n) for n in range(1, count + 1)}
        lives = list(itertools.product(range(self.size), repeat=count))
        life_laws = {life: self.life(of_one, life) for life in lives}
        worst = Fraction(1)
        for life in lives:
            for renamed in itertools.permutations(range(self.size)):
                other = tuple(renamed[h] for h in life)
                worst = max(worst, worst_ratio([life_laws[life], life_laws[other]]))
        return worst

    def life(self, of_one: dict[int, list[Law]], life: tuple[int, ...]) -> Law:
        """The law of all reports of a history of hash values."""
        times = {h: [i for i, value in enumerate(life) if value == h] for h in set(life)}
        law: Law = {}
        for published in itertools.product(range(self.size), repeat=len(life)):
            law[published] = math.prod(
                (of_one[len(at)][h][tuple((published[i],) for i in at)] for h, at in times.items()),
                start=Fraction(1),
            )
        return law


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
