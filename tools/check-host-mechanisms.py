#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nobody outside aggregator/mechanism asks which mechanism a metric has.

check-host-mechanisms.py [ROOT]   prints the number of questions and each of them; exit 0 when it is 0
"""
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HOME = Path("aggregator/mechanism")
COMMENT = re.compile(r"//[^\n]*")
TABLE = re.compile(r"struct (\w+_table)\b")
# Its number, its name, the device's table of it, the device's own question.
OTHERS = (r"SOTTO_MECHANISM_\w+", r'\bmechanism(?:_name)?\s*[!=]=\s*"', r"\btable\.[a-z_]*\w->",
          r"\bis_rappor\(")


def question(root: Path) -> re.Pattern:
    tables = TABLE.findall((root / HOME / "tables.hpp").read_text(encoding="utf-8"))
    if not tables:
        sys.exit(f"{HOME / 'tables.hpp'}: no table found")
    return re.compile("|".join((rf"\b(?:{'|'.join(tables)})\b", *OTHERS)))


def questions(root: Path) -> Iterator[str]:
    asks = question(root)
    for path in sorted((root / "aggregator").rglob("*.[ch]pp")):
        file = path.relative_to(root)
        if HOME in file.parents:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for found in asks.findall(COMMENT.sub("", line)):
                yield f"{file}:{number}: asks {found}: aggregator/mechanism/mechanism.hpp answers"


def main() -> int:
    found = list(questions(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    for question_line in found:
        print(question_line, file=sys.stderr)
    print(f"{len(found)} questions which mechanism it is, outside {HOME}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
