#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Our Mbed TLS and nanopb beside a firmware's own: every global name of ours begins with sotto_.

  private_names.py [--nm NM] ARCHIVE…           adds the names in the archives to their headers
  private_names.py [--nm NM] --check ARCHIVE…   exit 1 if an archive has a global name without it

A build has the names that its compiler leaves, so the headers only grow.
"""
import argparse
import pathlib
import re
import subprocess

root = pathlib.Path(__file__).resolve().parents[1]
PREFIX = "sotto_"
HEADERS = {
    "sotto_mbedtls": root / "sdk/src/crypto/mbedtls_names.h",
    "sotto_nanopb": root / "sdk/proto/nanopb_names.h",
}
TOP = """\
/* SPDX-License-Identifier: Apache-2.0 */
/* tools/private_names.py writes this: names that a firmware's own {name} has, too. */
#ifndef {guard}
#define {guard}

"""


def global_names(nm: str, archive: pathlib.Path) -> set[str]:
    listing = subprocess.run([nm, "-g", "--defined-only", archive], check=True,
                             capture_output=True, text=True).stdout
    return {line.split()[2] for line in listing.splitlines() if len(line.split()) == 3}


def without_prefix(nm: str, archive: pathlib.Path) -> list[str]:
    return sorted(name for name in global_names(nm, archive) if not name.startswith(PREFIX))


def add(header: pathlib.Path, names: list[str]) -> None:
    known = re.findall(r"^#define (\w+) \w+$", header.read_text(), re.M) if header.exists() else []
    guard = f"SOTTO_{header.stem.upper()}_H"
    library = "Mbed TLS" if "mbedtls" in header.stem else "nanopb"
    lines = [f"#define {name} {PREFIX}{name}\n" for name in sorted({*known, *names})]
    header.write_text(TOP.format(name=library, guard=guard) + "".join(lines) + "\n#endif\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("archives", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    for archive in given.archives:
        names = without_prefix(given.nm, archive)
        if given.check and names:
            raise SystemExit(f"{archive}: without {PREFIX}: {' '.join(names)}; "
                             "tools/private_names.py adds them")
        if not given.check:
            add(HEADERS[archive.stem.removeprefix("lib")], names)


if __name__ == "__main__":
    main()
