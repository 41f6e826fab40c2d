# SPDX-License-Identifier: Apache-2.0
"""
Nobody asks which mechanism it is, and who asks for a type is listed. Each way to ask is caught
when it is planted.
"""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "check-host-mechanisms.py"
PLANTED = (
    "bool odd = std::holds_alternative<rappor_table>(m.table);",
    "auto *t = std::get_if<forward_laplace_table>(&step);",
    "bool odd = m.mechanism == SOTTO_MECHANISM_RAPPOR;",
    'bool odd = m.mechanism_name == "rappor";',
    "bool odd = m.mechanism_name == other;",
    "bool odd = other == m.mechanism_name;",
    "bool odd = m.mechanism_name.starts_with(prefix);",
    'constexpr std::string_view odd = "rappor";',
    "bool odd = m.table.index() == 4;",
    "bool odd = unit_epsilon_of(m.law(0)) > 0;",
    "bool odd = permanent_flip_of(law) > 0;",
    "bool odd = keep_of(m.law(0)) > 0;",
    "auto bits = in_flash.table.rappor->bits;",
    "bool odd = is_rappor(in_flash);",
    "bool odd = &mechanism_of(m) == &rappor();",
    "bool odd = mechanism_of(m).over_time(m) != nullptr;",
    "bool odd = how.over_places(m) != nullptr;",
    "bool odd = how.bins(m) != nullptr;",
    "bool odd = mechanism_of(m).strings(m) != nullptr;",
    "bool odd = m.type == SOTTO_TYPE_STRING;",
    "case SOTTO_TYPE_COUNTER:",
    'bool odd = request.type == "string";',
    'bool odd = m.type_name != "set";',
)


def check(root: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, CHECK, root], text=True, capture_output=True, check=False)


class Mechanisms(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copytree(ROOT / "aggregator", self.root / "aggregator")

    def test_ours(self) -> None:
        run = check(ROOT)
        print(run.stdout.strip())
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue(run.stdout.startswith("0 questions "))

    def test_planted(self) -> None:
        path = self.root / "aggregator/estimate/joint.cpp"
        text = path.read_text(encoding="utf-8")
        for line in PLANTED:
            with self.subTest(line=line):
                path.write_text(f"{text}{line}\n", encoding="utf-8")
                run = check(self.root)
                self.assertEqual(run.returncode, 1)
                self.assertIn("aggregator/estimate/joint.cpp", run.stderr)

    def test_a_comment_asks_nothing(self) -> None:
        path = self.root / "aggregator/estimate/joint.cpp"
        path.write_text(path.read_text(encoding="utf-8") + "// rappor_table\n", encoding="utf-8")
        self.assertEqual(check(self.root).returncode, 0)

    def test_a_listed_question_without_use_goes(self) -> None:
        path = self.root / "aggregator/program/inspect.cpp"
        path.write_text(path.read_text(encoding="utf-8").replace("SOTTO_TYPE_BOOLEAN", "1"))
        self.assertIn("inspect.cpp asks for nothing of a type any more", check(self.root).stderr)

    def test_without_tables_it_fails(self) -> None:
        (self.root / "aggregator/mechanism/tables.hpp").write_text("", encoding="utf-8")
        self.assertNotEqual(check(self.root).returncode, 0)


if __name__ == "__main__":
    unittest.main()
