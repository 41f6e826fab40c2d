# SPDX-License-Identifier: Apache-2.0
"""Each word of docs/ARCHITECTURE.md has one definition."""
import re
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")


def words(page: str) -> list[str]:
    """The first cells of the table; a cell may define several words."""
    section = page.split("\n## Words\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (.+?) \|", section, re.MULTILINE)[2:]
    return [word for cell in cells for word in cell.split(", ")]


def twice(page: str) -> list[str]:
    return [word for word, count in Counter(words(page)).items() if count > 1]


class Words(unittest.TestCase):
    def test_each_is_defined_once(self) -> None:
        self.assertGreater(len(words(PAGE)), 15)
        self.assertEqual(twice(PAGE), [])

    def test_a_second_definition_would_be_found(self) -> None:
        page = PAGE.replace("\n| tally |", "\n| level | another |\n| tally |")
        self.assertEqual(twice(page), ["level"])


if __name__ == "__main__":
    unittest.main()
