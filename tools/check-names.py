#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names are nouns or verbs: none is "of", "one", "all" or "to", with or without a last underscore.

C and C++ by their words: a bare use is reported as its declaration is. Python by its syntax.

check-names.py [ROOT]   exit 0, or 1 with one line for each such name
"""
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("aggregator", "examples", "ports", "python", "sdk", "tests", "tools", "zephyr")
C_SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".in"}
WORDS = "of|one|all|to"
SKIPPED = re.compile(
    r"""//[^\n]*|/\*.*?\*/"""
    r"""|R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])*'"""
    r"""|^[ \t]*\#[ \t]*(?:include|error)[^\n]*""",
    re.DOTALL | re.MULTILINE,
)
# Members of others, such as std::views::all, are not ours to name.
BARE = re.compile(rf"(?<![\w.])(?<!->)(?<!::)(?:{WORDS})_?\b")
WORD = re.compile(rf"(?:{WORDS})_?")


def lines_alone(match: re.Match) -> str:
    return "\n" * match[0].count("\n")


def c_names(source: str) -> Iterator[tuple[int, str]]:
    code = SKIPPED.sub(lines_alone, source)
    for found in BARE.finditer(code):
        yield code.count("\n", 0, found.start()) + 1, found[0]


def declared(node: ast.AST) -> str | None:
    """The name that a node of Python's syntax declares."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return name
        case ast.arg(arg=name) | ast.alias(asname=name) | ast.ExceptHandler(name=name):
            return name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
    return None


def python_names(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        name = declared(node)
        if name and WORD.fullmatch(name):
            yield node.lineno, name


def names(path: Path) -> Iterator[tuple[int, str]]:
    if path.suffix in C_SUFFIXES:
        yield from c_names(path.read_text(encoding="utf-8"))
    elif path.suffix == ".py" or path.name == "sotto-registry":
        yield from python_names(path.read_text(encoding="utf-8"))


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    found = [
        f"{path.relative_to(root)}:{line}: {name}"
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*"))
        if path.is_file()
        for line, name in names(path)
    ]
    print("\n".join(found), end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
