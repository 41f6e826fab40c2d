#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Builds the API reference of sdk/include/sotto; whatever has no documentation is an error. Then takes
away one comment at a time, in a copy, and expects that each is missed.

    api_reference.py DOXYGEN SOURCE_FOLDER OUT
"""
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# (what, where, the comment that goes)
CONTROLS = (
    ("an enum value", "status.h", r"(?<=SOTTO_ERR_BUSY = -23,) */\*\*<.*?\*/"),
    ("a member of a struct", "port.h", r"(?<=uint8_t sample_bits;) */\*\*<.*?\*/"),
    ("a type", "registry.h", r"/\*\* One metric\. \*/"),
    ("a function", "sotto.h", r"/\*\* How many reports wait.*?\*/"),
    ("a method", "sotto.hpp", r"/// sotto_flush\(\)"),
    ("a macro", "status.h", r"/\*\* Before a declaration.*?\*/"),
)


def problems(doxygen: str, source: Path, out: Path) -> list[str]:
    out.mkdir(parents=True, exist_ok=True)
    template = (source / "docs" / "Doxyfile.in").read_text(encoding="utf-8")
    doxyfile = out / "Doxyfile"
    doxyfile.write_text(
        template.replace("@PROJECT_SOURCE_DIR@", str(source)).replace("@SOTTO_API_FOLDER@", str(out)),
        encoding="utf-8")
    done = subprocess.run([doxygen, str(doxyfile)], capture_output=True, text=True, check=False)
    lines = done.stderr.splitlines()
    if done.returncode and not lines:
        lines = [f"doxygen ended with {done.returncode}"]
    return lines + undocumented(out / "xml")


def undocumented(xml: Path) -> list[str]:
    """Enum values and macros: Doxygen 1.9.4 warns of the former never, of the latter not always."""
    parts = (
        part
        for page in sorted(xml.glob("*_8h*.xml"))
        for part in ElementTree.parse(page).iter()
        if part.tag == "enumvalue" or (part.tag == "memberdef" and part.get("kind") == "define")
    )
    return [f"{part.findtext('name')} is not documented." for part in parts if not has_description(part)]


def has_description(part: ElementTree.Element) -> bool:
    return any("".join(text.itertext()).strip() for text in part if text.tag.endswith("description"))


def copy_without(source: Path, copy: Path, header: str, comment: str) -> None:
    shutil.rmtree(copy, ignore_errors=True)
    for part in ("docs", "sdk/include/sotto"):
        shutil.copytree(source / part, copy / part)
    path = copy / "sdk/include/sotto" / header
    text, count = re.subn(comment, "", path.read_text(encoding="utf-8"), count=1, flags=re.DOTALL)
    assert count == 1, f"{header} has nothing like {comment}"
    path.write_text(text, encoding="utf-8")


def main() -> int:
    doxygen, source, out = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    found = problems(doxygen, source, out)
    for what, header, comment in CONTROLS:
        copy = out / "control"
        copy_without(source, copy, header, comment)
        if not any("not documented" in line for line in problems(doxygen, copy, out / "control_api")):
            found.append(f"{what} of {header} without documentation was let through")
    for line in found:
        print(line, file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
