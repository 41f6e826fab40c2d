#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Nobody outside aggregator/mechanism asks which mechanism a metric has. Who asks for its type, or for
what only some mechanisms have, is listed in tools/types.txt. All else is asked of the mechanism.

check-host-mechanisms.py [ROOT]   prints the number of questions and each that may not be; exit 0
                                  when there is none
"""
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HOME = Path("aggregator/mechanism")
COMMENT = re.compile(r"//[^\n]*")
TABLE = re.compile(r"struct (\w+_table)\b")
OBJECT = re.compile(r"^const mechanism &(\w+)\(\);", re.M)
# Its number, its name, the device's table of it, the device's own question, which table or law of
# several it is.
OTHERS = (r"SOTTO_MECHANISM_\w+", r'\bmechanism(?:_name)?\s*[!=]=\s*"', r"\btable\.[a-z_]*\w->",
          r"\bis_rappor\(", r"\bmechanism_name\s*(?:[!=]=|\.\w+)", r"[!=]=\s*\w+\.mechanism_name\b",
          r"\bm\.table\.index\(", r"\b(?:flip|unit_epsilon|permanent_flip)_of\(", r"\bkeep_of\(\w+\.law")
# Its name, as all.cpp lists it by type.
NAME = re.compile(r'SOTTO_TYPE_\w+,\s*"(\w+)"')
TYPE = r'\bSOTTO_TYPE_\w+|\btype(?:_name)?\s*[!=]=\s*"'
# Questions that only some mechanisms answer: null for the others.
ONLY_SOME = re.compile(r"^ +virtual const \w+ \*(\w+)\(", re.M)
LISTED = Path(__file__).resolve().parent / "types.txt"


def question(root: Path) -> re.Pattern:
    text = (root / HOME / "tables.hpp").read_text(encoding="utf-8")
    tables, objects = TABLE.findall(text), OBJECT.findall(text)
    if not tables or not objects:
        sys.exit(f"{HOME / 'tables.hpp'}: no table or no mechanism found")
    names = NAME.findall((root / HOME / "all.cpp").read_text(encoding="utf-8"))
    if not names:
        sys.exit(f"{HOME / 'all.cpp'}: no name of a mechanism found")
    own = (rf"\b(?:{'|'.join(tables)})\b", rf"\b(?:{'|'.join(objects)})\(\)",
           rf'"(?:{"|".join(names)})"')
    return re.compile("|".join((*own, *OTHERS)))


def lines(root: Path) -> Iterator[tuple[str, int, str]]:
    """(file, number, text without comment) of each line outside the mechanisms' home."""
    for path in sorted((root / "aggregator").rglob("*.[ch]pp")):
        file = path.relative_to(root)
        if HOME not in file.parents:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                yield str(file), number, COMMENT.sub("", line)


def questions(root: Path) -> Iterator[str]:
    asks = question(root)
    for file, number, line in lines(root):
        for found in asks.findall(line):
            yield f"{file}:{number}: asks {found}: aggregator/mechanism/mechanism.hpp answers"


def listed() -> set[str]:
    names = (line.partition(":")[0] for line in LISTED.read_text(encoding="utf-8").splitlines())
    return {name for name in names if name.startswith("aggregator/")}


def type_questions(root: Path) -> list[tuple[str, int, str]]:
    names = ONLY_SOME.findall((root / HOME / "mechanism.hpp").read_text(encoding="utf-8"))
    if not names:
        sys.exit(f"{HOME / 'mechanism.hpp'}: no question found that only some answer")
    asks = re.compile(rf"{TYPE}|\.(?:{'|'.join(names)})\(")
    return [
        (file, number, found)
        for file, number, line in lines(root)
        for found in asks.findall(line)
    ]


def type_findings(asked: list[tuple[str, int, str]]) -> Iterator[str]:
    files = listed()
    for file, number, found in asked:
        if file not in files:
            yield f"{file}:{number}: asks {found}: ask its mechanism, or say in tools/types.txt why"
    for file in sorted(files - {file for file, _, _ in asked}):
        yield f"tools/types.txt: {file} asks for nothing of a type any more; remove it"


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = list(questions(root))
    asked = type_questions(root)
    wrong = found + list(type_findings(asked))
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(found)} questions which mechanism it is, outside {HOME}")
    print(f"{len(asked)} questions for a type or its rows in {len(listed())} files that tools/types.txt lists")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
