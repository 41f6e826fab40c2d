#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Every file, page and section that a comment, a message or a page names must exist. Read are

    links of pages          [text](path#heading)
    paths                   sdk/src/mechanism, tests/statistics/*_test.cpp; from a folder of the root, or
                            of the file
    names of files          rappor_lifetime.py
    lettered sections       MECHANISMS.md, C and D
    man pages               sotto-estimate(1)
    tests                   `Counter.ShowsARollback`

A word in capitals stands for a name: NAME.py. A page introduces a file that it makes so:
**`try.sh`**. Tests make files, too: of their code only the comments are read.

    citations.py FOLDER     one line for each that leads nowhere; exit 1 if there is any
"""
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SKIPPED = {".git", ".ruff_cache", "__pycache__", "test_citations.py"}  # the last has faults on purpose
READ = {
    ".c", ".cmake", ".cpp", ".css", ".h", ".hpp", ".in", ".js", ".json", ".md", ".proto", ".py",
    ".roff", ".S", ".sh", ".toml", ".yml",
}
ALIKE = {"CMakeLists.txt": ".cmake", "pre-commit": ".sh", "sotto-registry": ".py"}
COMMENT = {
    ".py": r'""".*?"""|#[^\n]*', ".sh": r"#[^\n]*", ".toml": r"#[^\n]*",
    ".cmake": r"#[^\n]*", ".in": r"//[^\n]*|/\*.*?\*/",
    ".cpp": r"//[^\n]*|/\*.*?\*/", ".hpp": r"//[^\n]*|/\*.*?\*/", ".c": r"/\*.*?\*/", ".h": r"/\*.*?\*/",
}
FOLDERS = "aggregator|cmake|docs|examples|ports|sdk|tests|toolchains|tools"
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
PATH = re.compile(rf"(?<![\w./$}}{{>*-])((?:{FOLDERS})/[\w.*/-]*[\w*])")
NAME = re.compile(r"(?<![\w./*$}{<-])([A-Za-z]\w*\.(?:md|py|cpp|hpp|sh|roff))\b(?!\()")
SECTION = re.compile(r"([A-Z]+\.md),?\s+(?:[#*/]+\s+)?((?:[A-Z](?:,\s+|\s+and\s+))*[A-Z])\b")
PLACEHOLDER = re.compile(r"(^|[/_])[A-Z]+([/_.]|$)")
MADE = re.compile(r"^\*\*`([\w.]+)`\*\*", re.MULTILINE)
CITED_TEST = re.compile(r"`([A-Z]\w+)\.([A-Z]\w+)`")
TEST = re.compile(r"\bTEST(?:_F|_P)?\((\w+),\s*(\w+)\)")
MAN = re.compile(r"\bsotto-([a-z]+(?:-[a-z]+)*)\(1\)")


def kind(path: Path) -> str:
    """The suffix of files that are written alike."""
    return ALIKE.get(path.name, path.suffix)


def every_file(root: Path) -> list[Path]:
    found = []
    for folder, folders, names in os.walk(root):
        built = {"build"} if Path(folder) == root else set()
        folders[:] = sorted(set(folders) - SKIPPED - built)
        found += [Path(folder, name) for name in names]
    return found


def comments(text: str, pattern: str) -> str:
    """Each in its line, the code between them gone."""
    kept, end = "", 0
    for match in re.finditer(pattern, text, re.DOTALL):
        kept += "\n" * text.count("\n", end, match.start()) + match[0]
        end = match.end()
    return kept


@cache
def headings(page: Path) -> tuple[str, ...]:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return tuple(re.findall(r"^#+ (.+)$", text, re.MULTILINE))


def anchor(heading: str) -> str:
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class Tree:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = every_file(root)
        self.named = {path.name: path for path in self.files}
        pages = (path.read_text(encoding="utf-8") for path in self.files if path.suffix == ".md")
        tests = (path.read_text(encoding="utf-8") for path in self.files if path.name.endswith("_test.cpp"))
        self.tests = {test for text in tests for test in TEST.findall(text)}
        self.made = {name for page in pages for name in MADE.findall(page)}

    def problems(self) -> list[str]:
        found = []
        for path in sorted(self.files):
            if kind(path) in READ and path.name not in SKIPPED:
                text = self.read(path)
                for at, problem in sorted(self.problems_in(path, text)):
                    line = text.count("\n", 0, at) + 1
                    found.append(f"{path.relative_to(self.root)}:{line}: {problem}")
        return found

    def read(self, path: Path) -> str:
        text = path.read_text(encoding="utf-8")
        by_comments = path.is_relative_to(self.root / "tests") or path.name in ALIKE
        return comments(text, COMMENT[kind(path)]) if by_comments and kind(path) in COMMENT else text

    def problems_in(self, path: Path, text: str) -> Iterator[tuple[int, str]]:
        checks = [(PATH, self.path_problem), (NAME, self.name_problem),
                  (SECTION, self.section_problem), (MAN, self.man_problem),
                  (CITED_TEST, self.test_problem)]
        for pattern, problem_of in checks:
            for match in pattern.finditer(text):
                problem = problem_of(*match.groups())
                beside = pattern is PATH and (path.parent / match[1]).exists()
                if problem and not beside:
                    yield match.start(), problem
        if path.suffix == ".md":
            for match in LINK.finditer(text):
                problem = self.link_problem(path, match[1])
                if problem:
                    yield match.start(), problem

    def link_problem(self, path: Path, target: str) -> str:
        if re.match(r"[a-z]+:", target):
            return ""
        name, _, fragment = target.partition("#")
        page = (path.parent / name).resolve() if name else path
        if not page.exists():
            return f"link to {target}: there is no such file"
        if fragment and fragment not in map(anchor, headings(page)):
            return f"link to {target}: {page.name} has no such heading"
        return ""

    def path_problem(self, path: str) -> str:
        if PLACEHOLDER.search(path) and not path.endswith(".md"):
            return ""
        there = any(self.root.glob(path)) or any(self.root.glob(path + ".*"))
        return "" if there else f"{path}: there is no such file or folder"

    def name_problem(self, name: str) -> str:
        if name in self.named or name in self.made or (PLACEHOLDER.search(name) and not name.endswith(".md")):
            return ""
        return f"{name}: no file has this name"

    def section_problem(self, page: str, letters: str) -> str:
        if page not in self.named:
            return ""  # name_problem says so
        there = {heading.split(".")[0] for heading in headings(self.named[page])}
        missing = sorted(set(re.findall(r"\b[A-Z]\b", letters)) - there)
        return f"{page} has no section {', '.join(missing)}" if missing else ""

    def test_problem(self, suite: str, name: str) -> str:
        return "" if (suite, name) in self.tests else f"{suite}.{name}: there is no such test"

    def man_problem(self, page: str) -> str:
        return "" if f"{page}.roff" in self.named else f"sotto-{page}(1): there is no such man page"


def main() -> int:
    found = Tree(Path(sys.argv[1]).resolve()).problems()
    for line in found:
        print(line, file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
