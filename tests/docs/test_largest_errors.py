# SPDX-License-Identifier: Apache-2.0
"""tools/largest_errors.py prints what docs/STREAMS.md shows, and finds a number that is off."""
import contextlib
import io
import sys
import unittest
from dataclasses import replace
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import largest_errors  # noqa: E402


def is_near(case: largest_errors.Case, levels: int, runs: int) -> bool:
    with contextlib.redirect_stdout(io.StringIO()):
        return largest_errors.is_near(case, levels, runs)


class Published(unittest.TestCase):
    """Seeds are fixed. The page's medians are of 1,000 and 600 runs, by hand."""

    def test_errors_are_near(self) -> None:
        for case in largest_errors.cases(10):
            with self.subTest(case.name):
                self.assertTrue(is_near(case, 10, 200))

    def test_root_mean_squares_of_the_longest_are_near(self) -> None:
        for case in largest_errors.cases(16):
            with self.subTest(case.name):
                self.assertTrue(is_near(replace(case, run=None), 16, 0))

    def test_a_number_that_is_off_is_found(self) -> None:
        case = next(largest_errors.cases(10))
        self.assertFalse(is_near(replace(case, published_rmse=case.rmse * 1.04), 10, 200))
        self.assertFalse(is_near(replace(case, largest=case.largest * 1.2), 10, 200))

    def test_formulas_are_of_what_is_drawn(self) -> None:
        """Errors of a run share noise: of 400 runs 3 % is some five standard errors of the worst."""
        for case in largest_errors.cases(10):
            if case.run is not None:
                with self.subTest(case.name):
                    random = Random(case.name)
                    squares = [error * error for _ in range(400) for error in case.run(random)]
                    self.assertLess(abs((sum(squares) / len(squares)) ** 0.5 / case.rmse - 1), 0.03)

    def test_balanced_digits_make_the_number(self) -> None:
        self.assertEqual([largest_errors.balanced_size(t, 3) for t in range(1, 9)], [1, 2, 1, 2, 3, 2, 3, 2])

    def test_the_page_has_them(self) -> None:
        lines = (ROOT / "docs" / "STREAMS.md").read_text(encoding="utf-8").splitlines()
        for levels, power in ((10, "2¹⁰"), (16, "2¹⁶")):
            for case in largest_errors.cases(levels):
                begin = f"| {power} | {case.name} | {case.rmse:.1f} | {case.published_rmse} |"
                end = f"| {'' if case.largest is None else case.largest} |".replace("  ", " ")
                row = [line for line in lines if line.startswith(begin) and line.endswith(end)]
                self.assertEqual(len(row), 1, begin)


if __name__ == "__main__":
    unittest.main()
