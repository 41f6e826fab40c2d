# SPDX-License-Identifier: Apache-2.0
"""All counts of the code's shape in one place, each from the check that holds it, printed."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASKED = re.compile(r"\b(?:get_if|holds_alternative)<(?:const )?([\w:]+)")
HOME = "aggregator/mechanism"
# Alternatives that no mechanism owns: answers, values of rows, and remarks that are warnings.
ALLOWED = {
    "envelope", "reason",
    "std::string", "std::monostate", "bool", "number_bin", "quantile",
    "impossible_counts", "impossible_sum", "longer_texts", "other_texts", "offline_schedule",
}
README_LINES_MAX, SOURCE_LINES_MAX = 130, 560
QUESTIONS_MAX, NAMING_MAX = 32, 17  # each reader of envelopes has two questions
SOURCES = {".c", ".cpp", ".h", ".hpp", ".mk", ".py", ".txt"}


def lines_of(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def check(name: str) -> tuple[int, str]:
    command = [sys.executable, ROOT / "tools" / name, ROOT]
    run = subprocess.run(command, text=True, capture_output=True, check=False)
    return run.returncode, run.stdout.strip() or f"{run.stderr.count(chr(10))} found"


def asked_elsewhere(root: Path) -> list[tuple[str, str]]:
    """(file, alternative) of each question to a variant outside the mechanisms' home."""
    return [
        (str(path), alternative)
        for path in sorted((root / "aggregator").rglob("*.[ch]pp"))
        if HOME not in str(path)
        for alternative in ASKED.findall(path.read_text(encoding="utf-8"))
    ]


def of_a_mechanism(found: list[tuple[str, str]], kind: str) -> list[tuple[str, str]]:
    return [question for question in found if question[1].endswith(f"_{kind}")]


def files_of_a_type(root: Path) -> set[str]:
    """The first table of the page's section."""
    page = (root / "docs" / "ADDING.md").read_text(encoding="utf-8")
    section = page.split("\n## A type\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))


def files_that_name_types(root: Path) -> set[str]:
    header = (root / "sdk/include/sotto/registry.h").read_text(encoding="utf-8")
    names = re.findall(r"\bSOTTO_TYPE_(\w+) = ", header)
    ways = [re.compile(rf'\bSOTTO_TYPE_{name}\b|["`]{name}["`]|\b{name}_metric\b', re.IGNORECASE) for name in names]
    found = set()
    for place in ("sdk/include", "sdk/src", "tools/registry", "aggregator", "tests/registry/every_type.toml"):
        for path in [root / place, *(root / place).rglob("*.*")]:
            if path.is_file() and path.suffix != ".pyc":
                text = path.read_text(encoding="utf-8")
                if all(way.search(text) for way in ways):
                    found.add(str(path.relative_to(root)))
    return found


class Counts(unittest.TestCase):
    def holds(self, what: str, name: str) -> None:
        code, found = check(name)
        print(f"{what}: {found}")
        self.assertEqual(code, 0, found)

    def test_names_on_the_device(self) -> None:
        self.holds("device and compiler", "check-mechanisms.py")

    def test_questions_at_the_host(self) -> None:
        self.holds("host", "check-host-mechanisms.py")

    def test_arrows_that_run_back(self) -> None:
        self.holds("includes against the layers", "check-layers.py")

    def test_names(self) -> None:
        self.holds("names that are of, one, all or to", "check-names.py")

    def test_sentences(self) -> None:
        self.holds("sentences that begin with Of, What, Which, That, Those, Whoever", "check-prose.py")

    def test_variants(self) -> None:
        found = asked_elsewhere(ROOT)
        files = len({file for file, _ in found})
        print(f"get_if and holds_alternative outside {HOME}: {len(found)} in {files} files")
        for kind in ("table", "law"):
            questions = of_a_mechanism(found, kind)
            print(f"of them of a mechanism's {kind}: {len(questions)}")
            self.assertEqual(questions, [])
        self.assertEqual({alternative for _, alternative in found}, ALLOWED)
        self.assertLessEqual(len(found), QUESTIONS_MAX)

    def test_files_that_name_a_mechanism(self) -> None:
        sources = [path for top in ("sdk", "aggregator", "tools/registry")
                   for path in (ROOT / top).rglob("*") if path.suffix in SOURCES]
        naming = [path for path in sources if "one_bit_mean" in path.read_text(encoding="utf-8")]
        print(f"sources that name one_bit_mean: {len(naming)}")
        self.assertLessEqual(len(naming), NAMING_MAX)

    def test_a_planted_question_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name, "aggregator", "text")
            folder.mkdir(parents=True)
            for kind in ("table", "law"):
                asks = f"if (std::get_if<const flip_{kind}>(&x)) {{}}\n"
                (folder / "asks.cpp").write_text(asks, encoding="utf-8")
                found = asked_elsewhere(Path(name))
                self.assertEqual([asked for _, asked in of_a_mechanism(found, kind)], [f"flip_{kind}"])

    def test_files_of_a_type(self) -> None:
        told, found = files_of_a_type(ROOT), files_that_name_types(ROOT)
        print(f"a new type touches {len(told)} files that name all types")
        self.assertEqual(told, found)

    def test_a_type_that_a_file_lacks_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            for file in files_of_a_type(ROOT):
                Path(name, file).parent.mkdir(parents=True, exist_ok=True)
                Path(name, file).write_text((ROOT / file).read_text(encoding="utf-8"), encoding="utf-8")
            self.assertEqual(files_that_name_types(Path(name)), files_of_a_type(ROOT))
            header = Path(name, "sdk/include/sotto/registry.h")
            text = header.read_text(encoding="utf-8")
            header.write_text(f"{text}enum {{ SOTTO_TYPE_SHADE = 99 }};\n", encoding="utf-8")
            self.assertEqual(files_that_name_types(Path(name)), {"sdk/include/sotto/registry.h"})

    def test_lengths(self) -> None:
        readme = lines_of(ROOT / "README.md")
        print(f"lines of README.md: {readme}")
        self.assertLessEqual(readme, README_LINES_MAX)
        folders = ("sdk", "ports", "aggregator", "python", "tools", "tests", "examples")
        paths = (path for folder in folders for path in (ROOT / folder).rglob("*"))
        long = {
            str(path.relative_to(ROOT)): lines_of(path)
            for path in paths
            if path.suffix in (".c", ".h", ".cpp", ".hpp", ".py") and lines_of(path) > 500
        }
        print(f"sources of more than 500 lines: {len(long)}: {long}")
        self.assertLessEqual(max(long.values(), default=0), SOURCE_LINES_MAX)

    def test_files_of_a_new_mechanism(self) -> None:
        page = (ROOT / "docs" / "ADDING.md").read_text(encoding="utf-8")
        told = re.search(r"It touches (\d+ files: .*?page)\.", page)
        assert told is not None, "docs/ADDING.md says no count"
        print(f"a new mechanism (the test `adding` counts): {told[1]}")


if __name__ == "__main__":
    unittest.main()
