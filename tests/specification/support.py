# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests: the programs, a compiled registry, and a place to run."""
import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import fleet
from registry import Registry

HERE = Path(__file__).resolve().parent
KEYS = HERE.parent / "keys"
COMPILER = HERE.parents[1] / "tools" / "sotto-registry"
SOTTO = os.environ["SOTTO"]


def run(*command: Any) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise AssertionError(f"{command[:2]} exits with {done.returncode}: {done.stderr}")
    return done.stdout


def public_key(name: str) -> bytes:
    """The public half in a file of tests/keys: the second line has it."""
    return bytes.fromhex((KEYS / name).read_text(encoding="utf-8").splitlines()[1].split()[1])


class Scratch(unittest.TestCase):
    """A folder with a compiled registry, `metrics.json`."""

    toml = HERE / "metrics.toml"
    definitions: dict[str, bytes] | None = None

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        run(sys.executable, "-B", COMPILER, "compile", cls.toml, "--out", cls.folder)
        cls.json = cls.folder / "metrics.json"
        cls.registry = Registry(cls.json)

    def table(self, rows: list[dict[str, str]]) -> Path:
        """A CSV file; a cell that a row lacks is empty."""
        path = self.folder / "table.csv"
        columns = list(dict.fromkeys(name for row in rows for name in row))
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, restval="")
            writer.writeheader()
            writer.writerows(rows)
        return path

    def cells(self, values: fleet.Values) -> dict[str, str]:
        return {name: fleet.cell(self.registry, name, value) for name, value in values.items()}
