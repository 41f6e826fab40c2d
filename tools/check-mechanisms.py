#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
No file of the device or of the registry compiler names a mechanism but the mechanism's own.
Every mechanism is on the device, in the compiler and at the host.

check-mechanisms.py [ROOT]   exit 0, or 1 with one line for each name elsewhere, missing part and
                             question for a type that is not listed

The names are those of the SOTTO_MECHANISM_* in sotto/registry.h, in code and in comments. A file
is a mechanism's own if its name contains that of one. tools/mechanisms.txt lists who may besides,
tools/types.txt who may ask for a metric's type.
"""
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HEADER = "sdk/include/sotto/registry.h"
PLACES = (("sdk/include", {".h", ".hpp"}), ("sdk/src", {".cpp", ".hpp"}), ("tools/registry", {".py"}))
FILES_MIN = 120  # a tree with fewer is not ours
# Each part of a mechanism: what it is, the lists that have them all, and how they name one.
PARTS = (
    ("row of sotto_code", "sdk/src/mechanism/every_code.cpp", r"&sotto_code_(\w+)"),
    ("class of the compiler", "tools/registry/*.py", r'^    name = "(\w+)"'),
    ("class at the host", "aggregator/mechanism/all.cpp", r"\bSOTTO_MECHANISM_(\w+)"),
)
TYPE = re.compile(r"\bSOTTO_TYPE_\w+")
COMMENT = re.compile(r"//[^\n]*")


def mechanisms(root: Path) -> list[str]:
    text = (root / HEADER).read_text(encoding="utf-8")
    return [name.lower() for name in re.findall(r"\bSOTTO_MECHANISM_(\w+) = ", text)]


def pattern(names: list[str]) -> re.Pattern[str]:
    """Each name as C, Python and people write it."""
    return re.compile("|".join("[_ -]?".join(name.split("_")) for name in names), re.IGNORECASE)


def allowed(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(":") for line in lines if line and not line.startswith("#"))
    return {file: reason.strip() for file, _, reason in pairs}


def sources(root: Path) -> Iterator[Path]:
    for place, suffixes in PLACES:
        yield from (p for p in sorted((root / place).rglob("*")) if p.suffix in suffixes)


def findings(root: Path, names: re.Pattern[str], exceptions: dict[str, str]) -> Iterator[str]:
    unused = set(exceptions)
    for path in sources(root):
        file = str(path.relative_to(root))
        if names.search(path.stem):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            found = names.search(line)
            if found is not None and file not in exceptions:
                yield f"{file}:{number}: names {found[0]}; that belongs into the mechanism's own file"
            elif found is not None:
                unused.discard(file)
    for file in sorted(unused):
        yield f"tools/mechanisms.txt: {file} names no mechanism any more; remove it"


def missing(root: Path, names: list[str]) -> Iterator[str]:
    for part, place, named in PARTS:
        found = set()
        for path in root.glob(place):
            found |= {n.lower() for n in re.findall(named, path.read_text(encoding="utf-8"), re.M)}
        for name in names:
            if name not in found:
                yield f"{place}: {name} has no {part}"


def type_findings(root: Path, names: re.Pattern[str], exceptions: dict[str, str]) -> Iterator[str]:
    """Questions for a type on the device, but in a mechanism's own file."""
    unused = {file for file in exceptions if file.startswith("sdk/")}
    for path in sorted((root / "sdk/src").rglob("*.[ch]pp")):
        file = str(path.relative_to(root))
        if names.search(path.stem):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            asked = TYPE.search(COMMENT.sub("", line))
            if asked is not None and file not in exceptions:
                yield f"{file}:{number}: asks for {asked[0]}; ask the metric's code"
            elif asked is not None:
                unused.discard(file)
    for file in sorted(unused):
        yield f"tools/types.txt: {file} asks for no type any more; remove it"


def main(arguments: list[str]) -> int:
    here = Path(__file__).resolve().parent
    root = Path(arguments[0]) if arguments else here.parent
    names = mechanisms(root)
    count = sum(1 for _ in sources(root))
    if not names or count < FILES_MIN:
        print(f"check-mechanisms.py: found only {count} files in {root}", file=sys.stderr)
        return 1
    elsewhere = list(findings(root, pattern(names), allowed(here / "mechanisms.txt")))
    parts = list(missing(root, names))
    types = list(type_findings(root, pattern(names), allowed(here / "types.txt")))
    wrong = elsewhere + parts + types
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    print(
        f"{len(names)} mechanisms, {count} files, {len(elsewhere)} names elsewhere,"
        f" {len(parts)} parts missing, {len(types)} questions for a type that are not listed"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
