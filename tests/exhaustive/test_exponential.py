#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The exponential mechanism (Koufogiannis, Han, Pappas 2015, Proposition 7) has a ladder without loss
for some scores and not for others: MECHANISMS.md, J. All small tables, exactly.
"""
import itertools
import sys
import unittest
from fractions import Fraction
from pathlib import Path

from garbling import Law, exponential, is_feasible, is_garbling

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from registry import exponential as compiler  # noqa: E402
from registry.errors import RegistryError  # noqa: E402
from registry.model import Metric  # noqa: E402

TWO, FOUR = Fraction(2), Fraction(4)  # e^(epsilon / 2): twice the epsilon


def has_ladder(scores: list[list[int]], low: Fraction = TWO, high: Fraction = FOUR) -> bool:
    return is_garbling(exponential(scores, low), exponential(scores, high))


def all_tables(values: int, outcomes: int, top: int) -> list[list[list[int]]]:
    """Different rows, in one order; a score that a whole row shares changes nothing."""
    rows = [row for row in itertools.product(range(top + 1), repeat=outcomes) if min(row) == 0]
    return [list(map(list, table)) for table in itertools.combinations(rows, values)]


def by_distance(size: int, distance: object) -> list[list[int]]:
    return [[-distance(x, y) for y in range(size)] for x in range(size)]


def joint_loss_factor(low: Law, high: Law) -> Fraction:
    """The greatest ratio of both, drawn independently."""
    pairs = list(itertools.product(range(len(low[0])), repeat=2))
    return max(
        low[x][i] * high[x][j] / (low[z][i] * high[z][j])
        for x, z in itertools.permutations(range(len(low)), 2)
        for i, j in pairs
    )


class Exponential(unittest.TestCase):
    def test_some_scores_have_no_ladder(self) -> None:
        """Two values, two outcomes, by hand: P(1|x) is 2/3, 4/5 at the low level and 4/5, 16/17 at
        the high one. (4/5)/(2/3) > (16/17)/(4/5): at its low level an outcome 1 says more."""
        self.assertFalse(has_ladder([[0, 1], [0, 2]]))
        self.assertTrue(has_ladder([[0, 1], [1, 0]]))

    def test_how_many_of_all_small_tables_have_one(self) -> None:
        for shape, expected in (((2, 2, 2), (8, 2)), ((2, 3, 1), (21, 0)), ((3, 2, 2), (2, 8)),
                                ((3, 3, 1), (32, 3))):  # fmt: skip
            found = [has_ladder(table) for table in all_tables(*shape)]
            print(shape, "with a ladder", sum(found), "without", found.count(False))
            self.assertEqual((sum(found), found.count(False)), expected)

    def test_distances_on_a_line_or_ring_have_one(self) -> None:
        for size in range(2, 6):
            self.assertTrue(has_ladder(by_distance(size, lambda x, y: abs(x - y))))
            self.assertTrue(
                has_ladder(by_distance(size, lambda x, y: min((x - y) % size, (y - x) % size)))
            )

    def test_squared_distances_have_none(self) -> None:
        low, high = Fraction(3, 2), Fraction(9, 4)
        square = lambda x, y: (x - y) ** 2  # noqa: E731
        self.assertTrue(has_ladder(by_distance(3, square), low, high))
        self.assertFalse(has_ladder(by_distance(4, square), low, high))

    def test_equal_scores_are_k_ary_randomized_response(self) -> None:
        for size in range(2, 5):
            self.assertTrue(has_ladder(by_distance(size, lambda x, y: int(x != y))))

    def test_without_a_ladder_both_add_up(self) -> None:
        """Drawn anew a second release costs all of its epsilon."""
        low, high = (exponential([[0, 1], [1, 0]], ratio) for ratio in (TWO, FOUR))
        self.assertEqual(joint_loss_factor(low, high), 2 * 4)


def compiled(scores: list[list[int]]) -> str:
    """The compiler's words on two levels; none where it makes them."""
    levels = (Fraction(1), Fraction(2))
    try:
        compiler.compile_levels(Metric(1, "it", "category", "exponential", levels, None, {"scores": scores}))
    except RegistryError as error:
        return str(error)
    return ""


def fine(scores: list[list[int]], epsilon: int) -> Law:
    law = compiler.fine_law(scores, compiler.strength(scores, Fraction(epsilon)))
    return [[Fraction(value, sum(row)) for value in row] for row in law]


class Compiler(unittest.TestCase):
    def test_it_refuses_where_there_is_no_ladder_and_nowhere_else(self) -> None:
        """Its kernel is the inverse's; the linear program knows no inverse."""
        for values, top, expected in ((2, 2, (8, 2, 0)), (3, 1, (29, 3, 3))):
            said = {tuple(map(tuple, table)): compiled(table) for table in all_tables(values, values, top)}
            refused = [table for table, words in said.items() if "no ladder" in words]
            for table in refused:
                self.assertFalse(is_garbling(fine(table, 1), fine(table, 2)), table)
            made = list(said.values()).count("")
            print(values, "made", made, "refused", len(refused), "of", len(said))
            self.assertEqual((made, len(refused), len(said) - made - len(refused)), expected)

    def test_epsilon_is_used_up(self) -> None:
        """k-ary randomized response loses t. The paper's t for it, epsilon / 2, loses half."""
        scores, half = by_distance(4, lambda x, y: int(x != y)), Fraction(1, 2)
        root = Fraction(16488, 10000)  # e^(1/2) and a little; e is 2.718
        self.assertTrue(compiler.loses_at_most(compiler.fine_law(scores, half), root))
        self.assertFalse(compiler.loses_at_most(compiler.fine_law(scores, 2 * half), root))
        self.assertAlmostEqual(float(compiler.strength(scores, 2 * half)), 1, places=12)


class Method(unittest.TestCase):
    def test_a_law_garbles_itself_and_never_one_that_says_less(self) -> None:
        low, high = (exponential([[0, 1], [1, 0]], ratio) for ratio in (TWO, FOUR))
        self.assertTrue(is_garbling(low, low))
        self.assertFalse(is_garbling(high, low))

    def test_linear_programs_by_hand(self) -> None:
        unit, zero = Fraction(1), Fraction(0)
        self.assertTrue(is_feasible([[unit, unit], [unit, -unit]], [unit, zero]))
        self.assertFalse(is_feasible([[unit, unit], [unit, unit]], [unit, zero]))


if __name__ == "__main__":
    unittest.main()
