# SPDX-License-Identifier: Apache-2.0
"""A route's page is short, says its minutes, and names tests that there are."""

import pathlib
import re
import unittest

ROUTES = "docs/routes/"
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "routes").glob("*.md"))


def tests() -> set[str]:
    lists = [f.read_text(encoding="utf-8") for f in (ROOT / "tests").rglob("CMakeLists.txt")]
    names = set(re.findall(r"(?:add_test\(NAME|sotto_test\() ?(\w+)", "\n".join(lists)))
    loops = re.findall(r"foreach\(route ([\w ]+)\)", "\n".join(lists))
    return names | {f"consume_{route}" for loop in loops for route in loop.split()}


def scripts() -> str:
    """The scripts and lists of tests: they may take a page's code blocks."""
    return "\n".join(f.read_text(encoding="utf-8") for f in (ROOT / "tests").rglob("*.sh"))


def blocks_not_run(name: str, text: str, run: str) -> list[str]:
    """The pages' extractor is called with the page, and with each kind of its blocks."""
    kinds = set(re.findall(r"^```(\w+)$", text, re.MULTILINE))
    files = [part for part in run.split("#!/") if ROUTES + name in part and "page.sh" in part]
    return [f"no test runs its {kind}" for kind in sorted(kinds)
            if not any(re.search(rf"(page|block|\.md\"|\$1\") {kind}\b", part) for part in files)]


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
    def test_blocks_are_run(self) -> None:
        run = scripts()
        found = {page.name: blocks_not_run(page.name, page.read_text(encoding="utf-8"), run) for page in PAGES}
        self.assertEqual({name: what for name, what in found.items() if what}, {})

    def test_a_block_that_nothing_runs_would_be_found(self) -> None:
        text = "```sh\nls\n```\n"
        run = "\n".join(("#!/bin/sh", f"page.sh {ROUTES}post", "page sh"))
        self.assertEqual(blocks_not_run("post", text, run), [])
        self.assertEqual(blocks_not_run("post", text + "```c\n;\n```\n", run), ["no test runs its c"])
        self.assertEqual(blocks_not_run("mail", text, run), ["no test runs its sh"])

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
