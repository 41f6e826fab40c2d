# SPDX-License-Identifier: Apache-2.0
"""docs/CHOOSING.md names every mechanism, and its measurements are those of results.json."""
import copy
import json
import sys
import unittest
from pathlib import Path

from test_numbers import ROOT, WORDS, mechanisms, schema, table

sys.path.insert(0, str(ROOT / "tools" / "compare"))
import compare  # noqa: E402
import page  # noqa: E402

PAGE = page.PAGE.read_text(encoding="utf-8")
RESULTS = json.loads(page.RESULTS.read_text(encoding="utf-8"))
NEAR = 0.25  # as a part of the planned error: the mean square of few values varies


def missing(text: str) -> list[str]:
    """Mechanisms that the row of their type does not name."""
    rows = {row[0].strip("`"): " ".join(row[2:]) for row in table(text, "type")}
    return [f"{kind}: {name}" for kind in schema.TYPES for name in mechanisms.of_type(kind)
            if WORDS[name] not in rows.get(kind, "")]  # fmt: skip


class Choosing(unittest.TestCase):
    def test_each_mechanism_stands_beside_its_type(self) -> None:
        self.assertEqual(missing(PAGE), [])

    def test_a_mechanism_that_is_left_out_is_found(self) -> None:
        self.assertEqual(missing(PAGE.replace("window response |", "windows |")), ["distribution: window_response"])

    def test_the_tables_are_the_measurements(self) -> None:
        self.assertEqual(page.measured(PAGE, RESULTS), PAGE)

    def test_a_number_that_is_another_is_found(self) -> None:
        other = copy.deepcopy(RESULTS)
        other["runs"][0]["found"][0]["possible"] += 0.001
        self.assertNotEqual(page.measured(PAGE, other), PAGE)

    def test_our_errors_are_those_that_were_planned(self) -> None:
        ours = [(run, found) for run in RESULTS["runs"] for found in run["found"] if found["library"] == compare.OURS]
        ratios = {(run["column"], run["epsilon"], found["type"], found["mechanism"]):
                  found["unbiased"] / found["planned"] for run, found in ours}  # fmt: skip
        self.assertGreater(len(ratios), 20)
        self.assertEqual({key: ratio for key, ratio in ratios.items() if abs(ratio - 1) > NEAR}, {})

    def test_each_version_is_the_pinned_one(self) -> None:
        pinned = (Path(compare.HERE) / "requirements.txt").read_text(encoding="utf-8")
        for name, version in RESULTS["versions"].items():
            if name != compare.OURS:
                self.assertIn(f"{name}=={version} ", pinned)


if __name__ == "__main__":
    unittest.main()
