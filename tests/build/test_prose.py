# SPDX-License-Identifier: Apache-2.0
"""
Sentences of ours have at most 25 words, and none begins with Of, What, Which, That, Those or
Whoever. Planted ones are caught.
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "check-prose.py"
WORD = "What"
BAD = f"{WORD} is late is lost."
PLANTED = (
    ("aggregator/a.cpp", f"int x; // {BAD}", 1),
    ("aggregator/a.cpp", f"// Rows come late.\n// {BAD}", 2),
    ("aggregator/a.cpp", f'say("Rows come late. "\n    "{BAD}");', 2),
    ("sdk/include/a.h", f"/**\n * Rows come late.\n *\n * {BAD}\n */", 4),
    ("cmake/a.cmake", f"# SPDX-License-Identifier: Apache-2.0\n# {BAD}", 2),
    ("tools/a.sh", f"true # {BAD}", 1),
    ("tools/a.py", f'"""{BAD}"""', 1),
    ("tools/a.py", f'print("Late. {BAD}")', 1),
    ("docs/a.md", f"- Rows come late. **{BAD}**", 1),
    ("docs/a.md", f"| rows | {BAD} |", 1),
    ("a.md", f"## {BAD}", 1),
    ("aggregator/a.roff", f".TP\n{BAD}", 2),
)
LOWER = "what is late is lost and is not counted"
FRAGMENT = "what is late"
PLANTED_LOWER = (
    ("aggregator/a.cpp", f'say("{LOWER}");', 1),
    ("aggregator/a.cpp", f'say("Late. {FRAGMENT}");', 1),
    ("tools/a.py", f'print("{LOWER}")', 1),
    ("aggregator/a.cpp", f"int x; // {FRAGMENT}", 1),
    ("aggregator/a.cpp", f"// Rows come late.\n// {FRAGMENT}.", 2),
    ("sdk/include/a.h", f"int x; /**< {FRAGMENT} */", 1),
    ("tests/a.cpp", f"int x; // {FRAGMENT}", 1),
    ("cmake/a.cmake", f"set(x) # {FRAGMENT}", 1),
    ("tools/a.py", f"x = 1  # {FRAGMENT}", 1),
    ("tools/a.py", f'"""Late.\n\n{FRAGMENT}"""', 3),
    ("docs/a.md", f"Rows: late.\n\n- {FRAGMENT}", 3),
    ("docs/a.md", f"| rows | {FRAGMENT} |", 1),
    ("aggregator/a.roff", f".TP\n{FRAGMENT}", 2),
)
OWNER = "Whose"
PLANTED_WITHOUT_NOUN = (
    ("aggregator/a.hpp", "// The same of rows.\nint x;", 1),
    ("aggregator/a.hpp", "int y;\n// And one of a row.\nint x;", 2),
    ("sdk/include/a.h", "/** The same, but late. */", 1),
    ("tools/a.py", f"x = 1  # {OWNER} row it is.", 1),
)
LIMIT = " ".join(["the", *["word"] * 24])
LONG = f"{LIMIT} more."
HEAD = "the " + "word " * 11 + "end"
PLANTED_LONG = (
    ("aggregator/a.cpp", f"int x; // {LONG}", 1),
    ("aggregator/a.cpp", "int x;\n// Late.\n" + LONG.replace("the ", "// the\n// "), 3),
    ("aggregator/a.cpp", f'say("Late.\\n"\n    "{LIMIT} "\n    "more");', 2),
    ("sdk/include/a.h", "/**\n * Late. " + LONG.replace("the ", "the\n * ") + "\n */", 2),
    ("tools/a.py", f'"""\n{LONG}\n"""', 2),
    ("tools/a.sh", f"true # {LONG}", 1),
    ("docs/a.md", f"Late.\n\n- Late:\n- {LIMIT}\n  more", 4),
    ("docs/a.md", f"| rows | {LONG} |", 1),
    ("docs/a.md", f"Late.\n\n{LIMIT}: more.", 3),
    ("aggregator/a.cpp", f"// {LIMIT}: more.", 1),
    ("sdk/include/a.h", f"/** {LIMIT}; more. */", 1),
    ("cmake/a.cmake", f"# {LIMIT}; more.", 1),
    ("tools/a.py", f'"""\n{LIMIT}; more."""', 2),
    ("tools/a.py", f'def late():\n    """Late.\n\n    {LIMIT}:\n    more."""', 4),
    ("aggregator/a.roff", f".TP\n{LIMIT}; more.", 2),
    ("aggregator/a.roff", f".TP\nLate.\n\\fB{LONG}\\fR", 3),
    ("aggregator/a.cpp", f"// {LONG.replace('word', '7')}", 1),
    ("aggregator/a.cpp", f"// {LONG.replace('word', 'x <=')}", 1),
    ("aggregator/a.cpp", f'say("{LONG.replace("word", "{}")}");', 1),
    ("aggregator/a.cpp", f'say("{LIMIT}: more");', 1),
    ("aggregator/a.cpp", f'say("{HEAD}: {" ".join(["word"] * 13)}");', 1),
    ("aggregator/a.cpp", f'say("word: {HEAD}: {" ".join(["word"] * 13)}");', 1),
    ("tools/a.py", f'print("late: {LONG}")', 1),
)
GOOD = (
    ("docs/a.md", f"## {LIMIT}\n{LIMIT}\n- {LIMIT}\n- {LIMIT}\n\n{LIMIT}. {LIMIT}"),
    ("aggregator/a.cpp", f'say("{HEAD[4:]}: {LIMIT}; {LIMIT}");'),
    ("tools/a.py", f'print("{HEAD[4:]}: {LIMIT}")'),
    ("aggregator/a.cpp", f"// {LIMIT}:\n//   the program OPTION\n// {LIMIT}"),
    ("tests/a.cpp", f'EXPECT(late, "{LOWER}");'),
    ("aggregator/a.cpp", f'say("{{}} reports" " {LOWER}"); // lost: {LOWER}'),
    ("aggregator/a.cpp", f'say("{FRAGMENT}");'),
    ("aggregator/a.h", f"int x; // {LIMIT}\nint y; // {LIMIT}"),
    ("aggregator/a.roff", f"{LIMIT}\n.TP\n{LIMIT}"),
    ("tools/a.py", f'"""{LIMIT}   {LIMIT}"""\nNAMES = "{LONG.replace("the", "abs")}".split()'),
    ("aggregator/a.cpp", '// Rows that are late: what is lost.\nconst char *all = "What";'),
    ("aggregator/a.cpp", "int x = 10'000, What = 2; // Late rows."),
    ("docs/a.md", f"```\n{BAD}\n```"),
    ("docs/a.md", f"    {BAD}"),
)


def check(root: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, CHECK, root], text=True, capture_output=True, check=False)


class Prose(unittest.TestCase):
    def run_on(self, file: str, text: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
            return check(Path(folder))

    def test_ours(self) -> None:
        run = check(ROOT)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_planted(self) -> None:
        for file, text, line in PLANTED:
            with self.subTest(file=file, text=text):
                run = self.run_on(file, text)
                self.assertEqual(run.stderr, f'{file}:{line}: sentence begins with "{WORD}"\n')
                self.assertEqual(run.returncode, 1)

    def test_planted_in_lower_case(self) -> None:
        for file, text, line in PLANTED_LOWER:
            with self.subTest(file=file, text=text):
                run = self.run_on(file, text)
                self.assertEqual(run.stderr, f'{file}:{line}: sentence begins with "what"\n')

    def test_a_noun_left_out(self) -> None:
        for file, text, line in PLANTED_WITHOUT_NOUN:
            with self.subTest(file=file, text=text):
                run = self.run_on(file, text)
                self.assertRegex(run.stderr, f'^{file}:{line}: "[^"]+" names no noun\n$')
                self.assertEqual(run.returncode, 1)

    def test_long_sentences(self) -> None:
        for file, text, line in PLANTED_LONG:
            with self.subTest(file=file, text=text):
                run = self.run_on(file, text)
                self.assertEqual(run.stderr, f"{file}:{line}: sentence of 26 words\n")
                self.assertEqual(run.returncode, 1)

    def test_other_words_pass(self) -> None:
        for file, text in GOOD:
            with self.subTest(file=file, text=text):
                self.assertEqual(self.run_on(file, text).stderr, "")


if __name__ == "__main__":
    unittest.main()
