# SPDX-License-Identifier: Apache-2.0
"""Design response: difference sets are what they should be, and nearly as good as any mechanism."""
import json
import math
import unittest
from fractions import Fraction
from unittest import mock

from support import HEAD, Workspace, metric, vectors

from registry import design
from registry.difference_sets import Family, checked, families, is_difference_set
from registry.errors import RegistryError


def optimum(categories: int, epsilon: float) -> float:
    """n Var of a rare category by subset selection (Ye, Barg 2018), the best number of categories."""
    def error(count: int) -> float:
        odds = math.exp(epsilon) * count / (categories - count)
        true = odds / (1 + odds)
        other = (true * (count - 1) + (1 - true) * count) / (categories - 1)
        return other * (1 - other) / (true - other) ** 2

    return min(error(count) for count in range(1, categories))


def error(family: Family, epsilon: Fraction) -> float:
    return float(design.variance(family.size, family.count, design.exp_near(epsilon)))


class Sets(unittest.TestCase):
    def test_all_that_are_listed_are_made(self) -> None:
        made = 0
        for family in families():
            if family.size < 1200:
                elements = checked(family.size, family.make())
                self.assertEqual(len(elements), family.count)
                made += 1
        self.assertGreater(made, 130)

    def test_the_largest(self) -> None:
        of_229 = [family for family in families() if family.size == 229**2 + 229 + 1]
        most = max(families(), key=lambda family: family.count)
        self.assertEqual(len(of_229), 1)
        for family in (families()[-1], most, *of_229):
            self.assertTrue(is_difference_set(family.size, family.make()))

    def test_another_is_found_out(self) -> None:
        self.assertTrue(is_difference_set(7, (1, 2, 4)))
        for elements in ((0, 1, 2), (1, 2, 5), (1, 4, 2), (1, 2, 2), (1, 2, 11)):
            with self.subTest(elements), self.assertRaisesRegex(RegistryError, "no difference set"):
                checked(7, elements)


class Choice(Workspace):
    def test_a_wrong_set_is_refused(self) -> None:
        text = HEAD + metric("category", 'mechanism = "design"\nsize = 30\n')
        wrong = Family(31, 6, lambda: (1, 5, 11, 24, 25, 26))
        with mock.patch.object(design, "best_family", return_value=wrong):
            self.assert_refused(self.compile(text), "31 answers is no difference set")
        self.compiled(text)

    def test_within_a_twentieth_of_the_optimum(self) -> None:
        """At epsilon 1, from 16 to 512 categories; no known cyclic set is near 22."""
        far = {}
        for categories in range(16, 513):
            family = design.best_family(categories, Fraction(1))
            ratio = error(family, Fraction(1)) / optimum(categories, 1)
            if categories in (16, 40, 64, 100, 256, 364, 512):
                print(f"{categories} categories: {family.count} of {family.size} answers, {ratio:.4f}")
            if ratio > 1.05:
                far[categories] = ratio
        self.assertEqual(far.keys(), {22})
        self.assertLess(far[22], 1.06)

    def test_flash_at_256_categories(self) -> None:
        for epsilon in ("0.1", "0.25", "0.5", "1", "1.5", "2", "3", "4"):
            family = design.best_family(256, Fraction(epsilon))
            self.assertLessEqual(2 * family.count, 300, epsilon)

    def test_the_best_level_has_its_set(self) -> None:
        sets = {}
        for level, epsilon in enumerate(("0.5", "3")):
            own = f'mechanism = "design"\nsize = 100\nbest_level = {level}\n'
            text = HEAD + metric("category", own, "[0.5, 3]")
            table = json.loads(self.compiled(text)["metrics.json"])["metrics"][0]["table"]
            family = design.best_family(100, Fraction(epsilon))
            self.assertEqual((table["answers"], len(table["design"])), (family.size, family.count))
            sets[level] = table["answers"]
        self.assertEqual(len(set(sets.values())), 2)

    def test_vectors(self) -> None:
        """The host plans with the same ones: tests/aggregator/design_test.cpp."""
        for case in vectors("designs.json"):
            family = design.best_family(case["categories"], Fraction(case["epsilon"]))
            self.assertEqual((family.size, family.count), (case["answers"], case["width"]), case)


if __name__ == "__main__":
    unittest.main()
