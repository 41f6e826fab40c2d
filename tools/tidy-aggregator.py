#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over the aggregator, remembering what was clean.

tidy-aggregator.py BUILD_FOLDER [TARGET…]

Goes by the compile commands of a folder that is built, so that files compiled together are read
together: a third of the time. BUILD_FOLDER/tidy keeps a file for each that was clean, named by a
hash of the tool, .clang-tidy, the command and all that it reads; it is not looked at again. Without
a target: sotto_aggregator, which reads what strangers send. sotto_program takes minutes more.
"""
import hashlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIDY = "clang-tidy-14"
# A file of files that are compiled together includes sources.
OPTIONS = ("--quiet", "--checks=-bugprone-suspicious-include")


@cache
def file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def output(*command: object) -> str:
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


def units(build: Path, targets: list[str]) -> list[dict[str, str]]:
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    folders = tuple(f"/{target}.dir/" for target in targets)
    return [unit for unit in commands if any(name in unit["command"] for name in folders)]


def read_files(build: Path) -> dict[str, list[Path]]:
    """The files that each object was compiled from, as Ninja remembers them."""
    files: dict[str, list[Path]] = {}
    for paragraph in output("ninja", "-C", build, "-t", "deps").split("\n\n"):
        head, *lines = paragraph.strip().splitlines() or [""]
        files[head.partition(": ")[0]] = [build / line.strip() for line in lines]
    return files


def key(unit: dict[str, str], build: Path, files: dict[str, list[Path]]) -> str:
    """Nothing that is the same is looked at twice, and nothing that changed is passed over."""
    target = unit["command"].split(" -o ")[1].split()[0]
    if target not in files:
        sys.exit(f"tidy-aggregator.py: {target} is not built; run: cmake --build {build}")
    parts = [output(TIDY, "--version"), *OPTIONS, file_hash(ROOT / ".clang-tidy"), unit["command"]]
    parts += [f"{path} {file_hash(path)}" for path in files[target]]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def check(unit: dict[str, str], build: Path, stamp: Path) -> bool:
    command = [TIDY, *OPTIONS, "-p", build, unit["file"]]
    run = subprocess.run(command, text=True, capture_output=True, check=False)
    if run.returncode == 0:
        stamp.touch()
    else:
        print(run.stdout or run.stderr, end="", flush=True)
    return run.returncode == 0


def main(arguments: list[str]) -> int:
    build = Path(arguments[0]).resolve()
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    files = read_files(build)
    chosen = units(build, arguments[1:] or ["sotto_aggregator"])
    if not chosen:
        sys.exit(f"tidy-aggregator.py: {build} compiles nothing of {' '.join(arguments[1:])}")
    wanted = [(unit, stamps / key(unit, build, files)) for unit in chosen]
    new = [(unit, stamp) for unit, stamp in wanted if not stamp.exists()]
    with ThreadPoolExecutor(2) as pool:
        clean = list(pool.map(lambda pair: check(pair[0], build, pair[1]), new))
    print(f"{len(chosen) - len(new)} clean before, {sum(clean)} clean now, {clean.count(False)} not")
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
