# SPDX-License-Identifier: Apache-2.0
"""citations.py finds nothing in this repository, and the faults planted in a small one."""
import tempfile
import unittest
from pathlib import Path

from citations import READ, Tree

ROOT = Path(__file__).resolve().parents[2]
NOTES = "# Notes\n## A. First part\n```sh\n# no heading\n```\n## B\n"


class Citations(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in (("docs/NOTES.md", NOTES), ("tools/run_all.py", ""), ("tools/estimate.roff", "")):
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def problems(self, name: str, text: str) -> list[str]:
        self.write(name, text)
        return Tree(self.root.resolve()).problems()

    def assert_found(self, text: str, problem: str, name: str = "tools/a.cpp") -> None:
        found = self.problems(name, "\n" + text + "\n")
        self.assertEqual(found, [f"{name}:2: {problem}"])

    def test_this_repository_has_none(self) -> None:
        self.assertEqual(Tree(ROOT).problems(), [])

    def test_what_exists_is_let_through(self) -> None:
        text = "// run_all.py, tools/run_all.py, tools/*.py, tools/run_all.{py}, NAME.py, sotto-estimate(1)\n"
        self.assertEqual(self.problems("tools/a.cpp", text + "// NOTES.md, A and\n// B; vector.size()\n"), [])
        text = "[a](docs/NOTES.md#a-first-part) [b](#c)\n# C\n**`made.sh`**\nmade.sh\n"
        self.assertEqual(self.problems("PAGE.md", text), [])

    def test_a_file_that_is_not_there(self) -> None:
        self.assert_found("// see run_none.py", "run_none.py: no file has this name")
        self.assert_found("// see tools/run_none.py", "tools/run_none.py: there is no such file or folder")
        self.assert_found("// see tests/none", "tests/none: there is no such file or folder")

    def test_every_kind_of_file_is_read(self) -> None:
        for kind in sorted(READ):
            self.assert_found("see run_none.py", "run_none.py: no file has this name", f"tools/a{kind}")
            (self.root / f"tools/a{kind}").unlink()

    def test_of_a_test_the_comments_count(self) -> None:
        self.write("tests/a.py", "\ncode = 'run_none.py'\n")
        self.assert_found("# see run_none.py", "run_none.py: no file has this name", "tests/b.py")
        self.assertEqual(self.problems("tests/b.py", '"""\nx\n"""\ny = "NONE.md"\n'), [])

    def test_a_page_that_is_not_there(self) -> None:
        self.assert_found("// THEORY.md, A", "THEORY.md: no file has this name")
        self.assert_found('"sotto-forecast(1)"', "sotto-forecast(1): there is no such man page")

    def test_a_test_that_is_not_there(self) -> None:
        self.write("tools/a_test.cpp", "TEST_F(Suite,\n       Name) {}\n")
        self.assert_found("`Suite.Name` `Suite.Other`", "Suite.Other: there is no such test")

    def test_a_section_that_is_not_there(self) -> None:
        self.assert_found("// NOTES.md, A and C", "NOTES.md has no section C")
        self.assert_found("// NOTES.md D: why", "NOTES.md has no section D")

    def test_a_link_that_leads_nowhere(self) -> None:
        for target, why in (("GONE.md", "there is no such file"), ("docs/NOTES.md#c", "NOTES.md has no such heading"),
                            ("docs/NOTES.md#no-heading", "NOTES.md has no such heading")):
            self.assertIn(f"PAGE.md:1: link to {target}: {why}", self.problems("PAGE.md", f"[a]({target})\n"))


if __name__ == "__main__":
    unittest.main()
