# SPDX-License-Identifier: Apache-2.0
"""
docs/PAPERS.md has each algorithm of the four papers, each mechanism and each strategy, by name: what it is
here, and what shows it. Whether the files exist is for citations.py.
"""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from registry import mechanisms, noised_points, noised_sum  # noqa: E402

PAGE = (ROOT / "docs" / "PAPERS.md").read_text(encoding="utf-8")
ALGORITHMS = {
    "Gradual Release": (
        "lazy Laplace process", "Algorithm 1, RelaxPrivacy", "(29), tightening", "vectors", "number of rounds",
        "Proposition 6, metric privacy", "Proposition 7, the exponential mechanism", "section 4.1, RAPPOR",
        "section 4.2, release by social distance"),
    "Continual observation": ("randomized response", "Cum, the binary tree", "PPCum, pan-private"),
    "δ-neighbourhood": (
        "Theorem 2, budgets in windows", "Problem 1, offline", "Problem 2, online", "figures 7 and 8",
        "section 5, histograms", "section 5, ranges", "section 5, shifted grids", "section 5, medians",
        "section 5, sorted points"),
    "Decay": ("loss of a row by its age", "released continuously and fades"),
}  # fmt: skip
NAMES = {
    *mechanisms.BY_NAME,
    *noised_sum.STRATEGIES,
    *noised_points.STRATEGIES,
}


def rows(page: str) -> dict[str, list[list[str]]]:
    """By section: the cells of each row."""
    found: dict[str, list[list[str]]] = {}
    for section in page.split("\n## ")[1:]:
        lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
        found[section.splitlines()[0]] = [line.strip("| ").split(" | ") for line in lines]
    return found


def problems(page: str) -> list[str]:
    found, by_section = [], rows(page)
    for section, algorithms in ALGORITHMS.items():
        names = [row[0] for row in by_section[section]]
        found += [algorithm for algorithm in algorithms if not any(algorithm in name for name in names)]
    for section, some in by_section.items():
        found += [f"{section}: {row}" for row in some if len(row) != 3 or "" in row]
    written = set(re.findall(r'"(\w+)"', page)) | set(re.findall(r"tools/registry/(\w+)\.py", page))
    return found + sorted(NAMES - written)


class Papers(unittest.TestCase):
    def test_each_algorithm_is_named(self) -> None:
        self.assertEqual(problems(PAGE), [])

    def test_a_row_that_is_left_out_is_found(self) -> None:
        lines = PAGE.splitlines(keepends=True)
        for algorithm in (name for names in ALGORITHMS.values() for name in names):
            with self.subTest(algorithm):
                left = "".join(line for line in lines if algorithm not in line.split(" | ")[0])
                self.assertIn(algorithm, problems(left))

    def test_a_row_that_nothing_shows_is_found(self) -> None:
        page = PAGE.replace(" | `tests/exhaustive/test_tighten.py` |", " | |")
        self.assertNotEqual(page, PAGE)
        self.assertEqual(len(problems(page)), 1)

    def test_a_mechanism_that_is_left_out_is_found(self) -> None:
        self.assertEqual(problems(PAGE.replace('"haar"', "")), ["haar"])


if __name__ == "__main__":
    unittest.main()
