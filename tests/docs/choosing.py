#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
docs/CHOOSING.md says of `sotto plan` what the program says. Its instructions are near measured ones.

    choosing.py SOTTO
"""
import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "compare"))
import page  # noqa: E402

MEASURED = json.loads((ROOT / "tools" / "measure" / "results.json").read_text(encoding="utf-8"))["microbit"]
NEAR = 0.2
# By the id of tests/mechanisms.toml: the same metric, at the top of its ladder.
METRICS = {
    "1": ("boolean --epsilon 2", "randomized_response"),
    "3": ("boolean --epsilon 2", "laplace_threshold"),
    "4": ("category --epsilon 4 --size 5", "k_randomized_response"),
    "5": ("category --epsilon 4 --size 40", "optimized_unary"),
    "6": ("category --epsilon 4 --size 40", "unary"),
    "8": ("set --epsilon 4 --members 6 --max-members 3", "optimized_unary"),
    "11": ("integer --epsilon 2 --min 0 --max 400", "discrete_laplace"),
    "13": ("vector --epsilon 2 --min -8 --max 8 --length 3 --l1-sensitivity 16", "discrete_laplace"),
    "14": ("mean --epsilon 2 --min -40 --max 60", "one_bit_mean"),
    "19": ("distribution --epsilon 2 --min -3 --max 16", "window_response"),
    "20": ("string --epsilon 1 --size 20", "hashed"),
    "24": ("mean --epsilon 2 --min -3 --max 16", "window_mean"),
    "25": ("set --epsilon 2 --members 6 --max-members 2", "pad_and_sample"),
    "27": ("category --epsilon 1 --size 12", "hashed"),
}


def far(measured: dict, sotto: str) -> list[str]:
    """The metrics whose planned instructions are not near the measured ones."""
    wrong = []
    for number, (question, mechanism) in METRICS.items():
        found = measured["instructions"][number][0]
        ways = page.plan(sotto, question)["alternatives"]
        said = next(way["instructions"] for way in ways if way["mechanism"] == mechanism)
        if abs(said / found - 1) > NEAR:
            wrong.append(f"{mechanism}: {said} planned, {found} measured")
    return wrong


class Planned(unittest.TestCase):
    sotto = ""

    def checked(self) -> tuple[int, str]:
        with mock.patch.object(sys, "argv", ["page.py", self.sotto, "--check"]), \
                contextlib.redirect_stderr(io.StringIO()) as said:  # fmt: skip
            return page.main(), said.getvalue()

    def test_the_page_is_what_the_program_says(self) -> None:
        self.assertEqual(self.checked(), (0, ""))

    def test_a_changed_number_and_a_changed_chart_are_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, old in (("PAGE", "| 1.19 % |"), ("CHART", 'fill="white"')):
                path = getattr(page, name)
                text = path.read_text(encoding="utf-8")
                self.assertIn(old, text)
                changed = Path(folder) / path.name
                changed.write_text(text.replace(old, "| 1.18 % |", 1), encoding="utf-8")
                with mock.patch.object(page, name, changed):
                    code, said = self.checked()
                self.assertEqual(code, 1)
                self.assertIn(path.name, said)

    def test_instructions_are_near_the_measured_ones(self) -> None:
        self.assertEqual(far(MEASURED, self.sotto), [])

    def test_instructions_that_are_others_are_found(self) -> None:
        instructions = {number: [report * 2, flush] for number, (report, flush) in MEASURED["instructions"].items()}
        self.assertEqual(len(far({"instructions": instructions}, self.sotto)), len(METRICS))


if __name__ == "__main__":
    Planned.sotto = sys.argv.pop()
    unittest.main()
