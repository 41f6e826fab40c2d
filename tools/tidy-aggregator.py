#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over the aggregator, remembering what was clean.

tidy-aggregator.py BUILD_FOLDER [TARGET…]

Goes by the compile commands of a folder that is built, so that files compiled together are read
together: a third of the time. A cache, ~/.cache/sotto/tidy unless SOTTO_TIDY_CACHE names another,
keeps an empty file for each unit that was clean. Its name is a hash of the tool, .clang-tidy, the
command and all that the unit reads, wherever the checkout lies. It is not looked at again. Without
a target: sotto_aggregator, which reads what strangers send.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIDY = "clang-tidy-14"
CACHE = Path(os.environ.get("SOTTO_TIDY_CACHE", Path.home() / ".cache" / "sotto" / "tidy"))
# A file of files that are compiled together includes sources, and is compiled by another compiler.
OPTIONS = (
    "--quiet",
    "--checks=-bugprone-suspicious-include",
    "--extra-arg=-Wno-unknown-warning-option",
)


@cache
def file_hash(path: Path) -> str:
    """A file of files that are compiled together names them from the root of the machine."""
    return hashlib.sha256(path.read_bytes().replace(os.fsencode(ROOT), b".")).hexdigest()


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


def target_of(unit: dict[str, str]) -> str:
    return unit["command"].split(" -o ")[1].split()[0]


def key(unit: dict[str, str], build: Path, files: dict[str, list[Path]]) -> str:
    """Nothing that is the same is looked at twice, and nothing that changed is passed over."""
    if target_of(unit) not in files:
        sys.exit(f"tidy-aggregator.py: {target_of(unit)} is not built; run: cmake --build {build}")
    parts = [output(TIDY, "--version"), *OPTIONS, file_hash(ROOT / ".clang-tidy"), unit["command"]]
    parts += [f"{path} {file_hash(path)}" for path in files[target_of(unit)]]
    return hashlib.sha256("\n".join(parts).replace(str(ROOT), ".").encode()).hexdigest()


def check(unit: dict[str, str], build: Path, stamp: Path) -> bool:
    command = [TIDY, *OPTIONS, "-p", build, unit["file"]]
    run = subprocess.run(command, text=True, capture_output=True, check=False)
    if run.returncode == 0:
        stamp.touch()
    else:
        print(run.stdout or run.stderr, end="", flush=True)
    return run.returncode == 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("targets", nargs="*")
    options = parser.parse_intermixed_args(arguments)
    targets = options.targets or ["sotto_aggregator"]
    build = options.build.resolve()
    CACHE.mkdir(parents=True, exist_ok=True)
    files = read_files(build)
    chosen = units(build, targets)
    if not chosen:
        sys.exit(f"tidy-aggregator.py: {build} compiles nothing of {' '.join(targets)}")
    wanted = [(unit, CACHE / key(unit, build, files)) for unit in chosen]
    new = [(unit, stamp) for unit, stamp in wanted if not stamp.exists()]
    with ThreadPoolExecutor(2) as pool:
        clean = list(pool.map(lambda pair: check(pair[0], build, pair[1]), new))
    print(f"{len(chosen) - len(new)} clean before, {sum(clean)} clean now, {clean.count(False)} not")
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
