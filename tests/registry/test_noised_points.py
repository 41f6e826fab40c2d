# SPDX-License-Identifier: Apache-2.0
"""Rows over places: their meaning and their sensitivities, by trying every move of small domains."""
import unittest
from collections.abc import Iterator
from itertools import product
from typing import Any

import support  # noqa: F401 - the compiler on the path

from registry.exact import ceil_div
from registry.noised_points import PlaceClass, classes_of, grids, row_count, sensitivity, weights_of

Own = dict[str, Any]
Row = tuple[int, ...]


def dense(own: Own, some: PlaceClass) -> list[Row]:
    """Each row by place, as registry.h says it."""
    rows = []
    for row in range(some.rows):
        first = row * some.step - some.shift
        inside = [0 <= place - first < some.length for place in range(own["bins"])]
        sign = [1 if place - first < some.half else -1 for place in range(own["bins"])]
        rows.append(tuple(some.weight * i * s for i, s in zip(inside, sign)))
    return rows


def rows_of(own: Own) -> list[Row]:
    return [row for some in classes_of(own) for row in dense(own, some)]


def brute_force(own: Own, rows: list[Row]) -> int:
    places = range(own["bins"])
    return max(
        sum(abs(row[a] - row[b]) for row in rows)
        for a, b in product(places, places)
        if 0 < b - a <= own["delta"]
    )


def every_small() -> Iterator[Own]:
    for bins in range(2, 21):
        for delta in range(1, bins):
            common = {"bins": bins, "delta": delta}
            for strategy in ("identity", "suffix", "haar"):
                yield common | {"strategy": strategy}
            for fanout in range(2, min(bins, 5) + 1):
                yield common | {"strategy": "tree", "fanout": fanout}
                for block in (fanout, fanout**2):
                    if block < bins:
                        yield common | {"strategy": "hybrid", "fanout": fanout, "block": block}


class Sensitivities(unittest.TestCase):
    def test_every_move_of_every_small_domain(self) -> None:
        count = 0
        for own in every_small():
            count += 1
            exact = brute_force(own, rows_of(own))
            self.assertEqual(sensitivity(own, classes_of(own)), exact, own)
        self.assertGreater(count, 1500)

    def test_larger_domains(self) -> None:
        for own in (
            {"bins": 256, "delta": 8, "strategy": "hybrid", "block": 8, "fanout": 8},
            {"bins": 256, "delta": 32, "strategy": "hybrid", "block": 16, "fanout": 4},
            {"bins": 200, "delta": 199, "strategy": "suffix"},
            {"bins": 256, "delta": 255, "strategy": "tree", "fanout": 16},
        ):
            self.assertEqual(sensitivity(own, classes_of(own)), brute_force(own, rows_of(own)), own)

    def test_control(self) -> None:
        """Rows that begin a bin late, as rounding up would have them, are not what is certified."""
        own = {"bins": 8, "delta": 2, "strategy": "suffix"}
        late = [tuple([*row[1:], 0]) for row in rows_of(own)] + rows_of(own)
        self.assertGreater(brute_force(own, late), sensitivity(own, classes_of(own)))


def crossed(classes: list[PlaceClass], a: int, b: int) -> frozenset[int]:
    """The grids whose squares of the numbers a and b differ."""
    return frozenset(
        i
        for i, some in enumerate(classes)
        if (a + some.shift) // some.step != (b + some.shift) // some.step
    )


def grids_brute_force(own: Own, classes: list[PlaceClass]) -> int:
    """Every move of a point: x and y each by delta at most; a square is left, another entered."""
    cells = range(own["cells"])
    moves = {crossed(classes, a, b) for a in cells for b in cells if abs(a - b) <= own["delta"]}
    return max(2 * len(x | y) for x, y in product(moves, moves))


def every_small_location() -> Iterator[Own]:
    for cells in range(2, 16):
        for width in range(1, cells):
            for delta in range(1, cells):
                for shift in {width, *range(delta, width)}:
                    yield {"cells": cells, "delta": delta, "width": width, "shift": shift}


class Grids(unittest.TestCase):
    def test_every_move_of_every_small_square(self) -> None:
        several = 0
        for own in every_small_location():
            classes = classes_of(own)
            several += len(classes) > 1
            self.assertEqual(sensitivity(own, classes), grids_brute_force(own, classes), own)
            self.assertEqual(sensitivity(own, classes), 4 if len(classes) > 1 else 2)
        self.assertGreater(several, 500)

    def test_control(self) -> None:
        """A grid more, as rounding up would have it: two borders are nearer than delta."""
        more = 0
        for own in every_small_location():
            width, shift = own["width"], own["shift"]
            if width % shift and own["delta"] == shift and len(grids(own)) * shift < own["cells"]:
                last = -len(grids(own)) * shift % width
                lines = ceil_div(own["cells"] + last, width)
                classes = [*grids(own), PlaceClass(lines, lines, width, width, width, last, 1)]
                more += grids_brute_force(own, classes) > sensitivity(own, grids(own))
        self.assertGreater(more, 100)

    def test_squares(self) -> None:
        own = {"cells": 8, "delta": 2, "width": 5, "shift": 2}
        first, second = grids(own)
        self.assertEqual((first.rows, first.lines, first.shift), (2, 2, 0))
        self.assertEqual((second.rows, second.lines, second.shift), (3, 3, 3))
        self.assertEqual(row_count(grids(own)), 13)
        for some in (first, second):
            for cell in range(8):
                row = (cell + some.shift) // some.step
                self.assertLess(row, some.rows)
                self.assertLess(cell + some.shift - row * some.step, some.length)


class Rows(unittest.TestCase):
    """By hand."""

    def test_suffix(self) -> None:
        own = {"bins": 3, "delta": 1, "strategy": "suffix"}
        self.assertEqual(rows_of(own), [(1, 1, 1), (0, 1, 1), (0, 0, 1)])

    def test_haar(self) -> None:
        own = {"bins": 4, "delta": 1, "strategy": "haar"}
        rows = [(1, -1, 0, 0), (0, 0, 1, -1), (1, 1, -1, -1), (1, 1, 1, 1)]
        self.assertEqual(rows_of(own), rows)

    def test_tree(self) -> None:
        own = {"bins": 3, "delta": 1, "strategy": "tree", "fanout": 2}
        rows = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 0, 1), (1, 1, 1)]
        self.assertEqual(rows_of(own), rows)

    def test_hybrid(self) -> None:
        own = {"bins": 4, "delta": 1, "strategy": "hybrid", "block": 2, "fanout": 2}
        self.assertEqual(weights_of(own), (5, 4))
        cells = [(4, 0, 0, 0), (0, 4, 0, 0), (0, 0, 4, 0), (0, 0, 0, 4)]
        self.assertEqual(rows_of(own), [*cells, (5, 5, 5, 5), (0, 0, 5, 5)])

    def test_weights(self) -> None:
        """Nearly (4 / (fanout * ceil(delta / block)))^(1/3) to 1, in quarters."""
        for delta, block, fanout, weights in (
            (8, 8, 8, (3, 4)), (16, 8, 8, (3, 4)), (32, 8, 8, (1, 2)), (255, 2, 2, (1, 4)),
            (1, 4, 4, (1, 1)),
        ):  # fmt: skip
            own = {"bins": 256, "delta": delta, "block": block, "fanout": fanout}
            self.assertEqual(weights_of(own), weights, own)
            ratio = 4 / (fanout * ceil_div(delta, block))
            self.assertAlmostEqual(weights[0] / weights[1], ratio ** (1 / 3), delta=0.13)


if __name__ == "__main__":
    unittest.main()
