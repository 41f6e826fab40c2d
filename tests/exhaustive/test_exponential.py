#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The exponential mechanism (Koufogiannis, Han, Pappas 2015, Proposition 7) has a ladder without loss
for some scores and not for others: MECHANISMS.md, J. All small tables, exactly.
"""
import itertools
import unittest
from fractions import Fraction

from garbling import Law, exponential, is_feasible, is_garbling

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
