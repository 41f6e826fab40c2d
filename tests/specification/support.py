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
from client import Client
from generator import SdkGenerator, testing_samples
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


class Simulated(Scratch):
    """The SDK's devices, with entropy that the client here can have too."""

    seed = bytes.fromhex("c0ffee01")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        # simulate has no metrics.c, and takes zeros in its place.
        cls.registry.definitions = dict.fromkeys(cls.registry.definitions, bytes(32))

    def device(self, number: int, **keys: bytes) -> Client:
        samples = testing_samples(self.seed, number)
        return Client(self.registry, SdkGenerator(samples), places=len(self.registry.metrics), **keys)

    def simulated(self, rows: list[dict[str, str]], *options: object) -> bytes:
        out = self.folder / "reports.bin"
        names = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in ("who", "day")]
        maps = [word for name in names for word in ("--map", f"{name}={name}")]
        run(SOTTO, "simulate", "--registry", self.json, "--input", self.table(rows), "--seed", self.seed.hex(),
            "--out", out, *maps, *options)
        return out.read_bytes()

    def simulated_lives(self, lives: list[dict[int, fleet.Values]], levels: int) -> bytes:
        rows = [{"who": str(number), "day": str(epoch), **self.cells(values)}
                for number, life in enumerate(lives) for epoch, values in life.items()]
        return self.simulated(rows, "--device", "who", "--epoch-column", "day", "--levels", levels)
