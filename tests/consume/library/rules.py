#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A library's folder by the rules of the Arduino library specification, revision 2.2, and its sources by
sdk/sources.txt.

    rules.py FOLDER SOURCES_TXT    exit 0, or 1 with one line for each rule that is broken
"""
import re
import sys
from collections.abc import Iterator
from pathlib import Path

REQUIRED = ("name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures")
CATEGORIES = ("Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing",
              "Data Storage", "Data Processing", "Other")


def broken_fields(fields: dict[str, str], src: Path) -> Iterator[str]:
    for name in REQUIRED:
        if not fields.get(name):
            yield f"library.properties has no {name}"
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_ .-]{0,62}", fields.get("name", "")):
        yield "the name has other characters than letters, digits, space, '_', '.' and '-'"
    if fields.get("name", "").lower().startswith("arduino"):
        yield "the name begins with arduino"
    if not re.fullmatch(r"\d+\.\d+\.\d+", fields.get("version", "")):
        yield "the version is not of three numbers"
    if fields.get("category") not in CATEGORIES:
        yield f"the category is none of {', '.join(CATEGORIES)}"
    for header in filter(None, fields.get("includes", "").split(",")):
        if not (src / header).is_file():
            yield f"includes names {header}, which is not in src"


def broken_layout(folder: Path) -> Iterator[str]:
    if any((folder / name).exists() for name in ("utility", "arduino.h")):
        yield "a folder with src has no utility"
    for example in (folder / "examples").iterdir():
        if not (example / f"{example.name}.ino").is_file():
            yield f"{example.name} has no sketch of its name"
    for file in folder.rglob("*"):
        if file.is_symlink() or file.suffix == ".exe" or file.name == ".development":
            yield f"{file} is a link, a program or a mark of development"


def broken_sources(src: Path, sources: Path) -> Iterator[str]:
    """Each file that a device compiles is there, once, and nothing else but ports."""
    wanted = sorted(line.split("/", 1)[1] for line in sources.read_text().splitlines()
                    if re.match(r"(CORE|SDK|MBEDTLS|NANOPB)_SOURCES(_MBEDTLS)? ", line))
    private = src / "sotto_private"
    there = sorted(file.relative_to(private).as_posix().split("/", 1)[1] for file in private.rglob("*")
                   if file.suffix in (".c", ".cpp"))
    if wanted != there:
        yield f"sdk/sources.txt and src differ: {sorted(set(wanted) ^ set(there))}"


def main() -> None:
    folder, sources = map(Path, sys.argv[1:])
    lines = (folder / "library.properties").read_text().splitlines()
    fields = dict(line.split("=", 1) for line in lines)
    broken = [*broken_fields(fields, folder / "src"), *broken_layout(folder), *broken_sources(folder / "src", sources)]
    if broken:
        raise SystemExit("\n".join(broken))


main()
