#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No file of the device or of the registry compiler names a mechanism but the mechanism's own.

check-mechanisms.py [ROOT]   exit 0, or 1 with one line for each name that stands elsewhere

The names are those of the SOTTO_MECHANISM_... of sotto/registry.h, in code and in comments. A file
is a mechanism's own if its name contains that of one. tools/mechanisms.txt lists who may besides.
"""
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HEADER = "sdk/include/sotto/registry.h"
PLACES = (("sdk/include", {".h", ".hpp"}), ("sdk/src", {".cpp", ".hpp"}), ("tools/registry", {".py"}))
FILES_MIN = 120  # a tree with fewer is not ours


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


def main(arguments: list[str]) -> int:
    here = Path(__file__).resolve().parent
    root = Path(arguments[0]) if arguments else here.parent
    names = mechanisms(root)
    count = sum(1 for _ in sources(root))
    if not names or count < FILES_MIN:
        print(f"check-mechanisms.py: found only {count} files in {root}", file=sys.stderr)
        return 1
    wrong = list(findings(root, pattern(names), allowed(here / "mechanisms.txt")))
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    print(f"{len(names)} mechanisms, {count} files, {len(wrong)} names elsewhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
