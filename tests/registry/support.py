# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests: the compiler on the path, a registry to change, and a place to run it."""
import contextlib
import io
import json
import math
import sys
import tempfile
import unittest
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tools" / "sotto-registry"
INCLUDE = ROOT / "sdk" / "include"
VECTORS = ROOT / "tests" / "vectors"
OUTPUTS = ("metrics.h", "metrics.c", "metrics.json")

sys.path.insert(0, str(ROOT / "tools"))

from registry.cli import main  # noqa: E402

HEAD = '[registry]\nname = "bird-strikes"\nversion = 1\n'
DEVICE = "[device]\nwindow_epochs = 30\nepsilon = 16\n"
DAMAGE = '[[metric]]\nid = 1\nname = "damage"\ntype = "boolean"\nepsilons = [0.5, 1, 2]\n'
NIGHT = '[[metric]]\nid = 7\nname = "night"\ntype = "boolean"\nepsilons = [1e-1]\n'
BUDGET = "window_epochs = 7\nwindow_epsilon = 8\n"
GOOD = HEAD + DEVICE + DAMAGE + BUDGET + NIGHT


def exp_enclosure(x: Fraction) -> tuple[Fraction, Fraction]:
    """e^x by squaring e^(x/64), each step in plain fractions: not the compiler's way."""
    small = x / 64
    terms = [small**k / math.factorial(k) for k in range(40)]
    low = sum(terms)
    high = low + 2 * small**40 / math.factorial(40)
    digits = 10**80
    low = Fraction(math.floor(low * digits), digits)
    high = Fraction(math.ceil(high * digits), digits)
    return low**64, high**64


def metric(kind: str, own: str, epsilons: str = "[1]") -> str:
    """A registry's metric number 1, "it"."""
    ladder = f"epsilons = {epsilons}\n" if epsilons else ""
    return f'[[metric]]\nid = 1\nname = "it"\ntype = "{kind}"\n{ladder}{own}\n'


def vectors(name: str) -> dict:
    with open(VECTORS / name, encoding="utf-8") as file:
        return json.load(file)


@dataclass
class Run:
    status: int
    out: str
    err: str


class Workspace(unittest.TestCase):
    """A fresh folder for each test; `source` is metrics.toml in it and `out` the folder beside."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.source = self.folder / "metrics.toml"
        self.out = self.folder / "out"

    def write(self, text: str | bytes) -> None:
        self.source.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))

    def run_main(self, *arguments: object) -> Run:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main([str(argument) for argument in arguments])
            except SystemExit as exit_:
                status = int(exit_.code or 0)
        return Run(status, out.getvalue(), err.getvalue())

    def compile(self, text: str | bytes | None = None) -> Run:
        if text is not None:
            self.write(text)
        return self.run_main("compile", self.source, "--out", self.out)

    def check(self) -> Run:
        return self.run_main("check", self.source, "--out", self.out)

    def compiled(self, text: str) -> dict[str, str]:
        run = self.compile(text)
        self.assertEqual((run.status, run.err), (0, ""))
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), sorted(OUTPUTS))
        return {name: (self.out / name).read_text("ascii") for name in OUTPUTS}

    def assert_refused(self, run: Run, *words: str) -> None:
        self.assertEqual(run.status, 2, run)
        self.assertEqual(run.out, "")
        self.assertEqual((run.err.count("\n"), run.err[-1:]), (1, "\n"), run.err)
        self.assertTrue(run.err[:-1].isascii() and run.err[:-1].isprintable(), run.err)
        for word in words:
            self.assertIn(word, run.err)
        self.assertFalse(self.out.exists(), "nothing may be written")
