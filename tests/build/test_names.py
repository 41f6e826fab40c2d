# SPDX-License-Identifier: Apache-2.0
"""Names of ours are nouns or verbs, and planted ones that are neither are caught."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "check-names.py"
PLANTED = (
    ("sdk/a.cpp", "int f(int of);", ["1: of"]),
    ("sdk/a.h", "/* of all */ int f(const char *to);", ["1: to"]),
    ("aggregator/a.cpp", "void f(const rows &xs) {\n    for (const row &one : xs) {\n    }\n}", ["2: one"]),
    ("aggregator/a.cpp", "const auto &[all, rest] = x;", ["1: all"]),
    ("aggregator/a.cpp", "const auto f = [&](const row &to) { return 1'000; };", ["1: to"]),
    ("aggregator/a.cpp", "const auto f = [all = 1] {};", ["1: all"]),
    ("aggregator/a.hpp", "struct a {\n    int of;\n    int of_ = 0;\n};", ["2: of", "3: of_"]),
    ("aggregator/a.hpp", "std::string to(const row &r);", ["1: to"]),
    ("aggregator/a.cpp", "const row *of = nullptr;\nf(*of);", ["1: of", "2: of"]),
    ("ports/a.c", "#define OF(x) int to = (x)", ["1: to"]),
    ("tests/a.py", "one = 1", ["1: one"]),
    ("tests/a.py", "def all(x):\n    return x", ["1: all"]),
    ("tools/a.py", "def f(x, of=1):\n    return [x for to in of]", ["1: of", "2: to"]),
    ("tools/a.py", "class A:\n    def f(self):\n        self.of = 1", ["3: of"]),
)
GOOD = (
    ("aggregator/a.cpp", '// of all\nconst char *x = "to one"; /* all\n of */ char c = \'"\';'),
    ("aggregator/a.cpp", 'const char *x = R"(one of)";\n#error not all\nx.of(a->to, std::views::all);'),
    ("aggregator/a.cpp", "int all_of, one_bit = 10'000, offer, _to;"),
    ("tools/a.py", "def f(x):\n    return all(x.of(to=1))  # one"),
)


def check(root: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, CHECK, root], text=True, capture_output=True, check=False)


class Names(unittest.TestCase):
    def run_on(self, file: str, text: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, file)
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            return check(Path(folder))

    def test_ours_are_nouns_and_verbs(self) -> None:
        run = check(ROOT)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_planted_names_are_found(self) -> None:
        for file, text, found in PLANTED:
            with self.subTest(text=text):
                run = self.run_on(file, text)
                self.assertEqual(run.returncode, 1)
                self.assertEqual(run.stderr.splitlines(), [f"{file}:{place}" for place in found])

    def test_words_and_names_of_others_pass(self) -> None:
        for file, text in GOOD:
            with self.subTest(text=text):
                run = self.run_on(file, text)
                self.assertEqual((run.returncode, run.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
