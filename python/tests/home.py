# SPDX-License-Identifier: Apache-2.0
"""
A folder to work in: a registry of a few metrics, compiled, and a table of a thousand homes.
"""
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOMES = 1000
ROOMS = ("kitchen", "bath", "hall")
METRICS = """
[registry]
name = "home"
version = 1

[[metric]]
id = 1
name = "window_open"
title = "A window is open"
type = "boolean"
epsilons = [0.5]
"""
MORE = """
[[metric]]
id = 2
name = "room"
type = "category"
categories = ["kitchen", "bath", "hall"]
epsilons = [0.5, 2]

[[metric]]
id = 3
name = "degrees"
type = "integer"
min = 0
max = 40
epsilons = [1]

[[metric]]
id = 4
name = "rooms"
type = "set"
members = ["kitchen", "bath", "hall"]
max_members = 2
epsilons = [2]

[[metric]]
id = 5
name = "place"
type = "vector"
length = 2
min = 0
max = 10
l1_sensitivity = 20
epsilons = [2]
"""
CALENDAR = "epoch_days = 7\nepoch_start = 2024-01-01\n"


def compile_registry(toml: str, out: Path) -> Path:
    out.mkdir(exist_ok=True)
    (out / "metrics.toml").write_text(toml)
    subprocess.run([sys.executable, ROOT / "tools/sotto-registry", "compile", out / "metrics.toml", "--out", out],
                   check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return out / "metrics.json"


def rows() -> str:
    lines = ["open,room,degrees,rooms,place"]
    for i in range(HOMES):
        room, other = ROOMS[i % 10 // 4], ROOMS[i % 10 // 4 - 1]
        lines.append(f"{'true' if i % 10 < 3 else 'false'},{room},{15 + i % 10},{room}|{other},{i % 10} 5")
    return "\n".join(lines) + "\n"


@contextmanager
def home(toml: str = METRICS) -> Iterator[Path]:
    """Makes the folder, and works in it."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        compile_registry(toml, work)
        (work / "rows.csv").write_text(rows())
        os.chdir(work)
        try:
            yield work
        finally:
            os.chdir(before)
