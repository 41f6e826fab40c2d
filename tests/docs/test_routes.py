# SPDX-License-Identifier: Apache-2.0
"""A route's page is short, says its minutes, and names tests that there are."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "routes").glob("*.md"))


def tests() -> set[str]:
    lists = [f.read_text(encoding="utf-8") for f in (ROOT / "tests").rglob("CMakeLists.txt")]
    names = set(re.findall(r"(?:add_test\(NAME|sotto_test\() ?(\w+)", "\n".join(lists)))
    loops = re.findall(r"foreach\(route ([\w ]+)\)", "\n".join(lists))
    return names | {f"consume_{route}" for loop in loops for route in loop.split()}


def faults(text: str, known: set[str]) -> list[str]:
    found = []
    if len(text.splitlines()) > 40:
        found.append("more than 40 lines")
    if not re.search(r"^# .+: \w+ minutes", text, re.MULTILINE):
        found.append("no minutes in the title")
    named = re.findall(r"[Tt]ests? `(\w+)`", text)
    if not named:
        found.append("no test")
    return found + [f"no test {name}" for name in named if name not in known]


class Routes(unittest.TestCase):
    def test_each_page(self) -> None:
        self.assertGreater(len(PAGES), 8)
        known = tests()
        found = {page.name: faults(page.read_text(encoding="utf-8"), known) for page in PAGES}
        self.assertEqual({name: what for name, what in found.items() if what}, {})

    def test_faults_would_be_found(self) -> None:
        good = "# Sotto by post: ten minutes\nThe test `post` does it.\n"
        self.assertEqual(faults(good, {"post"}), [])
        for bad in (good.replace("ten minutes", "soon"), good + "\n" * 40, good.replace("`post`", "it")):
            self.assertEqual(len(faults(bad, {"post"})), 1, bad)
        self.assertEqual(faults(good, set()), ["no test post"])


if __name__ == "__main__":
    unittest.main()
