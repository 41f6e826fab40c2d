# SPDX-License-Identifier: Apache-2.0
"""
Mechanisms are named in their own files and have all their parts. A name or a question for a type
that is planted elsewhere is caught, and so is a part that is taken away.
"""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "check-mechanisms.py"
PLANTED = (
    ("sdk/src/mechanism/ladder.cpp", "if (m.mechanism == SOTTO_MECHANISM_UNARY) {"),
    ("sdk/src/client/measure.cpp", "return m.table.k_randomized_response->size;"),
    ("sdk/src/report/encode.cpp", "// Thresholded bits, laplace-threshold, are an index."),
    ("sdk/include/sotto/port.h", "/* of RAPPOR */"),
    ("tools/registry/schema.py", 'if mechanism == "one_bit_mean":'),
    ("tools/registry/c_code.py", "class DiscreteLaplace:"),
    ("sdk/src/client/account.cpp", "return m.type == SOTTO_TYPE_STRING ? m.budget : 0;"),
    ("sdk/src/mechanism/ladder.cpp", "case SOTTO_TYPE_SET:"),
)
# A line of a list, and the mechanism that then lacks a part.
PARTS = (
    ("sdk/src/mechanism/every_code.cpp", "&sotto_code_noised_sum", "noised_sum has no row of sotto_code"),
    ("aggregator/mechanism/all.cpp", "SOTTO_MECHANISM_NOISED_SUM", "noised_sum has no class at the host"),
    ("tools/registry/noised_sum.py", '"noised_sum"', "noised_sum has no class of the compiler"),
)


def check(root: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, CHECK, root], text=True, capture_output=True, check=False)


class Names(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for part in ("sdk/src", "sdk/include", "tools/registry", "aggregator/mechanism"):
            shutil.copytree(ROOT / part, self.root / part)

    def test_ours(self) -> None:
        run = check(ROOT)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn(" 0 names elsewhere, 0 parts missing, 0 questions", run.stdout)
        print(run.stdout, end="")

    def test_planted(self) -> None:
        for file, line in PLANTED:
            with self.subTest(file=file):
                path = self.root / file
                text = path.read_text(encoding="utf-8")
                path.write_text(f"{line}\n{text}", encoding="utf-8")
                run = check(self.root)
                path.write_text(text, encoding="utf-8")
                self.assertEqual((run.returncode, run.stderr.count("\n")), (1, 1), run.stderr)
                self.assertTrue(run.stderr.startswith(f"{file}:1: "), run.stderr)

    def test_a_part_that_is_missing(self) -> None:
        for file, part, words in PARTS:
            with self.subTest(file=file):
                path = self.root / file
                text = path.read_text(encoding="utf-8")
                path.write_text(text.replace(part, "0"))
                run = check(self.root)
                path.write_text(text, encoding="utf-8")
                self.assertEqual(run.returncode, 1)
                self.assertIn(words, run.stderr)

    def test_a_new_mechanism_is_counted(self) -> None:
        header = self.root / "sdk/include/sotto/registry.h"
        text = header.read_text(encoding="utf-8")
        header.write_text(text.replace("enum {", "enum { SOTTO_MECHANISM_PUBLISH = 10,", 1))
        self.assertIn("names publish", check(self.root).stderr)

    def test_an_exception_without_use_goes(self) -> None:
        listed = self.root / "tools/registry/mechanisms.py"
        listed.write_text('"""No mechanism."""\n', encoding="utf-8")
        self.assertIn("mechanisms.py names no mechanism any more", check(self.root).stderr)

    def test_a_listed_question_without_use_goes(self) -> None:
        path = self.root / "sdk/src/client/report_quantile.cpp"
        path.write_text(path.read_text(encoding="utf-8").replace("SOTTO_TYPE_QUANTILE", "quantile"))
        self.assertIn("report_quantile.cpp asks for no type any more", check(self.root).stderr)

    def test_an_empty_tree_is_no_pass(self) -> None:
        shutil.rmtree(self.root / "sdk/src")
        self.assertEqual(check(self.root).returncode, 1)


if __name__ == "__main__":
    unittest.main()
