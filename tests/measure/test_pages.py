# SPDX-License-Identifier: Apache-2.0
"""The pages that show what a device costs: the README a few rows, docs/PERFORMANCE.md all."""
import json
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "measure"))
import measure  # noqa: E402

RESULTS = json.loads(measure.RESULTS.read_text())


def cells(tables: str) -> dict[str, str]:
    return {line.split("|")[1].strip(): line for line in tables.splitlines() if line}


class Pages(unittest.TestCase):
    def test_the_readme_has_ten_rows_as_performance_has_them(self) -> None:
        few, every = (cells(measure.tables(RESULTS, rows)) for rows in (measure.README_ROWS, ()))
        self.assertEqual(set(few) - set(measure.README_ROWS), {"bytes", "---", "thousand instructions, report + flush"})
        self.assertEqual(len(measure.README_ROWS), 10)
        self.assertGreater(len(every), 40)
        for name, line in few.items():
            self.assertEqual(line, every[name])

    def test_a_row_that_no_table_has_is_an_error(self) -> None:
        with self.assertRaisesRegex(ValueError, "no such row"):
            measure.tables(RESULTS, ("no such row",))

    def test_what_stands_around_the_tables_stays(self) -> None:
        page = f"above\n{measure.BEGIN}\nold\n{measure.END}\nbelow\n"
        self.assertEqual(
            measure.page_with(page, "new"), f"above\n{measure.BEGIN}\nnew\n{measure.END}\nbelow\n")

    def test_each_page_is_found_stale_when_a_number_changes(self) -> None:
        self.assertEqual(measure.stale_pages(RESULTS), [])
        with mock.patch.dict(RESULTS["microbit"], {"core": 1}):
            self.assertEqual(measure.stale_pages(RESULTS), ["README.md", "PERFORMANCE.md"])


if __name__ == "__main__":
    unittest.main()
