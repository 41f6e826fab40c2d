# SPDX-License-Identifier: Apache-2.0
"""Hashed response: the number of hash values, and what many reports of several of them are charged."""
import itertools
import json
import math
import unittest
from fractions import Fraction

from registry.hashed import COUNTS, best_splits, size_of
from support import HEAD, Workspace, metric


def error(epsilon: float, size: int) -> float:
    """n times the variance of a share of nothing, by optimized local hashing's formula."""
    keep = math.expm1(epsilon) / (math.exp(epsilon) + size - 1)
    other, true = 1 / size, keep + (1 - keep) / size
    return other * (1 - other) / (true - other) ** 2


class Hashed(Workspace):
    def document(self, epsilons: str, permanent: str, more: str = "") -> dict:
        own = f'mechanism = "hashed"\ncohorts = 8\npermanent_epsilon = {permanent}\n' + more
        text = HEAD + metric("string", own, epsilons)
        return json.loads(self.compiled(text)["metrics.json"])["metrics"][0]

    def test_as_many_hash_values_as_are_best(self) -> None:
        for epsilon in (0.01, 0.3, 0.5, 1, 1.3, 2, 2.7, 4, 5):
            size = size_of(Fraction(str(epsilon)))
            least = min(error(epsilon, other) for other in range(2, 400))
            self.assertAlmostEqual(error(epsilon, size) / least, 1, places=12)
        self.assertEqual(size_of(Fraction(32)), 1024)

    def test_the_best_split_is_the_best_of_all(self) -> None:
        for losses in ([0, 1, 3, 4, 4, 4], [0, 5, 6, 7, 7, 8], [0, 0, 0, 9, 9, 10]):
            for values in (1, 2, 3, 7):
                ways = itertools.product(range(len(losses)), repeat=values)
                expected = [0] * len(losses)
                for way in ways:
                    if sum(way) < len(losses):
                        total = sum(losses[n] for n in way)
                        expected[sum(way)] = max(expected[sum(way)], total)
                self.assertEqual(best_splits(losses, values), expected)

    def test_a_second_report_can_lose_more_than_the_first(self) -> None:
        """So that an even split of reports would be charged too little."""
        level = self.document("[0.25, 2]", "4")["levels"][0]
        self.assertGreater(Fraction(level["n"]["2"]), 2 * Fraction(level["n"]["1"]))

    def test_losses_rise_to_that_of_the_permanent_answer(self) -> None:
        m = self.document("[0.5, 1]", "3")
        for level in m["levels"]:
            losses = [Fraction(level["n"][str(count)]) for count in COUNTS]
            losses.append(Fraction(level["infinity"]))
            self.assertEqual(losses, sorted(losses))
            self.assertLessEqual(losses[-1], 3)
            self.assertGreater(losses[-1], Fraction(299999, 100000))
        self.assertEqual(m["open_release"], m["levels"][0]["infinity"])

    def test_a_life_costs_every_hash_value(self) -> None:
        m = self.document("[0.5, 1]", "3")
        each, forever = m["cost_reports"], Fraction(m["levels"][0]["infinity"])
        for level in range(2):
            costs = [int(c) for c in m["costs"][level * each : (level + 1) * each]]
            self.assertEqual(costs[-1], math.ceil(m["table"]["size"] * forever * 2**20))
            for count in (2, 10):
                of_one = Fraction(m["levels"][level]["n"][str(count)])
                self.assertGreaterEqual(costs[count - 1], of_one * 2**20)

    def test_the_best_level_has_its_hash_values(self) -> None:
        sizes = [self.document("[0.5, 3]", "5", f"best_level = {i}\n")["table"]["size"] for i in (0, 1)]
        self.assertEqual(sizes, [size_of(Fraction(1, 2)), size_of(Fraction(3))])


if __name__ == "__main__":
    unittest.main()
