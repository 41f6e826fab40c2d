#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Every #include of the SDK, the ports, the aggregator, the Python package and the examples against
tools/layers.txt. So is every symbol that the device's archives are linked by: a folder may need one
without an include.

check-layers.py [ROOT]              the includes
check-layers.py ROOT NM ARCHIVE…    the symbols, as the program NM lists them
                                    exit 0, or 1 with one line for each arrow that runs the wrong way
"""
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".in"}


@dataclass
class Rules:
    """The folders that each folder may include, and the exceptions among them."""

    left: dict[str, list[str]] = field(default_factory=dict)
    exceptions: dict[str, set[str]] = field(default_factory=dict)

    def order(self, root: str, names: list[str]) -> None:
        folders = [f"{root}/{name}" for name in names if name != "|"]
        for count, folder in enumerate(folders, start=1):
            self.left[folder] = folders[:count]

    def allows(self, folder: str, target: str) -> bool:
        return target in self.left[folder] or target in self.exceptions.get(folder, ())


@dataclass(frozen=True)
class Include:
    file: str
    folder: str
    header: str


def read_rules(path: Path) -> Rules:
    rules = Rules()
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        words, _, names = line.partition(":")
        kind, folder = words.split()
        if kind == "order":
            rules.order(folder, names.split())
        else:
            rules.exceptions.setdefault(folder, set()).update(names.split())
    return rules


def ours(root: Path, path: Path) -> Iterator[str]:
    """Headers that a file includes in quotes, or in angle brackets from these folders."""
    for found in INCLUDE.finditer(path.read_text(encoding="utf-8")):
        header = found[1]
        if found[0].endswith('"') or any((root / top / header).is_file() for top in ("", "sdk/src")):
            yield header


def includes(root: Path) -> Iterator[Include]:
    for top in ("sdk/src", "aggregator"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SUFFIXES:
                file = path.relative_to(root)
                folder = "/".join(file.parts[: 3 if top == "sdk/src" else 2])
                for header in ours(root, path):
                    yield Include(str(file), folder, header)


def target(header: str) -> str:
    """The folder of a header as a file names it, or the name where there is no folder."""
    folder = header.rpartition("/")[0]
    if not folder:
        return header
    return folder if folder.startswith("aggregator/") else f"sdk/src/{folder}"


def findings(rules: Rules, found: list[Include]) -> Iterator[str]:
    unused = {(folder, name) for folder, names in rules.exceptions.items() for name in names}
    for include in found:
        if include.folder not in rules.left:
            yield f"{include.file}: tools/layers.txt does not list {include.folder}"
        elif not include.header.startswith("sotto/"):
            name = target(include.header)
            unused.discard((include.folder, name))
            if not rules.allows(include.folder, name):
                yield f"{include.file}: {include.folder} may not include {include.header}"
    for folder, name in sorted(unused):
        yield f"tools/layers.txt: {folder} includes nothing of {name} any more; remove that"


def port_findings(root: Path) -> Iterator[str]:
    """A port sees the public headers, those of its folder and the registers."""
    for path in sorted((root / "ports").rglob("*.[ch]")):
        own = {file.name for file in path.parent.glob("*.h")}
        for header in ours(root, path):
            if not header.startswith("sotto/") and header not in {*own, "../registers.h"}:
                yield f"{path.relative_to(root)}: a port may not include {header}"


def extension_findings(root: Path) -> Iterator[str]:
    """The extension of Python sees the host library and its own headers; the device is behind that."""
    own = {file.name for file in (root / "python/src").glob("*.hpp")}
    for path in sorted((root / "python/src").glob("*.[ch]pp")):
        for header in ours(root, path):
            if not header.startswith("aggregator/") and header not in own:
                yield f"{path.relative_to(root)}: the extension may not include {header}"


def firmware_findings(root: Path) -> Iterator[str]:
    """An example sees what firmware sees: public headers, those of ports, and its own."""
    for path in sorted((root / "examples").rglob("*")):
        if path.suffix in SUFFIXES:
            for header in ours(root, path):
                if "/" in header and not header.startswith("sotto/"):
                    yield f"{path.relative_to(root)}: an example may not include {header}"


@dataclass(frozen=True)
class Symbol:
    folder: str
    file: str
    name: str
    is_defined: bool


def symbols(root: Path, nm: str, archives: list[str]) -> Iterator[Symbol]:
    """The archives' symbols; base names of objects are unique on the device."""
    files = {path.name: path.relative_to(root) for path in (root / "sdk/src").rglob("*.cpp")}
    listed = subprocess.run([nm, "-A", *archives], text=True, capture_output=True, check=True)
    line = re.compile(r"^.*?[:\[]([\w.]+?\.cpp)\.o(?:bj)?\]?: *[0-9a-f]* +(\w) (\S+)$", re.MULTILINE)
    for base, kind, name in line.findall(listed.stdout):
        if base in files and kind in "UTDBR":
            file = files[base]
            yield Symbol("/".join(file.parts[:3]), str(file), name, kind != "U")


def link_findings(rules: Rules, found: list[Symbol]) -> Iterator[str]:
    owners = {symbol.name: symbol.folder for symbol in found if symbol.is_defined}
    for symbol in found:
        owner = owners.get(symbol.name, symbol.folder)
        if not symbol.is_defined and not rules.allows(symbol.folder, owner):
            yield f"{symbol.file}: {symbol.folder} may not need {symbol.name} of {owner}"


def check_links(root: Path, rules: Rules, nm: str, archives: list[str]) -> list[str] | None:
    found = list(symbols(root, nm, archives))
    needed = sum(not symbol.is_defined for symbol in found)
    if needed < 200:
        print(f"check-layers.py: found only {needed} symbols in {archives}", file=sys.stderr)
        return None
    return list(link_findings(rules, found))


def check_includes(root: Path, rules: Rules) -> list[str] | None:
    found = list(includes(root))
    if len(found) < 400:
        print(f"check-layers.py: found only {len(found)} includes in {root}", file=sys.stderr)
        return None
    return [*findings(rules, found), *port_findings(root), *extension_findings(root),
            *firmware_findings(root)]


def main(arguments: list[str]) -> int:
    here = Path(__file__).resolve().parent
    root = Path(arguments[0]) if arguments else here.parent
    rules = read_rules(here / "layers.txt")
    nm_and_archives = arguments[1:]
    if nm_and_archives:
        wrong = check_links(root, rules, nm_and_archives[0], nm_and_archives[1:])
    else:
        wrong = check_includes(root, rules)
    print("\n".join(wrong or []), end="\n" if wrong else "", file=sys.stderr)
    return 0 if wrong == [] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
