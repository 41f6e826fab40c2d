#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Wrong events, points and registries, through the program. Each has a line that names it, and what is not
counted is told: the estimates are what is left. Noise of epsilon 32 is 0 but once in thousands of rows, and
the seed is fixed. tests/unit/bad_events_test.cpp has the same of the device's core.

    bad_events.py SOTTO SOTTO_REGISTRY
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEAD = '[registry]\nname = "wrong"\nversion = 1\n'
DOORS = '[[metric]]\nid = 1\nname = "doors"\ntype = "counter"\nepsilons = [32]\nevent = 3\n'
TOTAL = (
    '[[metric]]\nid = 2\nname = "total"\ntype = "counter"\nepsilons = [32]\nevent = 3\n'
    'strategy = "balanced"\nfanout = 3\ntree_levels = 2\n'
)
PLACES = '[[metric]]\nid = 3\nname = "places"\ntype = "histogram"\nepsilons = [32]\nbins = 8\ndelta = 1\n'
SPOTS = (
    '[[metric]]\nid = 4\nname = "spots"\ntype = "location"\nepsilons = [32]\ncells = 6\ndelta = 1\n'
    "width = 3\nshift = 3\n"
)
CLAMPED = "clamped to the range"
# Amounts of one device by epoch; what is told; what the epochs count.
EVENTS = {
    "the most an event adds": ([(5, 3)], None, {5: 3}),
    "an amount above event": ([(5, 9), (5, 1)], f"1 value adapted: 1 {CLAMPED}", {5: 4}),
    "the largest amount": ([(5, 1 << 40)], f"1 value adapted: 1 {CLAMPED}", {5: 3}),
    "a negative amount": ([(5, -4), (5, 2)], f"1 value adapted: 1 {CLAMPED}", {5: 2}),
    "skipped epochs": ([(5, 1), (8, 2)], None, {5: 1, 6: 0, 7: 0, 8: 2}),
    "a clock that went back": ([(7, 1), (5, 2), (6, 3)], None, {5: 2, 6: 3, 7: 1}),
    "the epoch of the start": ([(0, 1), (1, 2)], "1 event not counted: of epoch 0", {1: 2}),
}
# A cell of one row, and the line that refuses it.
REFUSED = {
    "doors": {
        "x": '"x" is not a whole number', "1.5": '"1.5" is not a whole number',
    },
    "places": {
        "x": "is not bins", "1|x": "is not bins", "1:2": "is not bins",
    },
    "spots": {"1": "is not points X:Y", "1:x": "is not points X:Y", "1:2:3": "is not points X:Y"},
}  # fmt: skip
EPOCHS = ("-1", "4294967294", "4294967295", "x", "1.5", "1990-02-30")
# A key of a metric, and the line that refuses it.
MISTAKES = (
    (DOORS + "event = 0\n", "event = 3\n", "event: 0 is not an integer from 1 to 65536"),
    (DOORS + "event = 65537\n", "event = 3\n", "event: 65537 is not an integer from 1 to 65536"),
    (DOORS + 'strategy = "haar"\n', "", 'strategy: "haar"'),
    (DOORS + "per_epoch = 2\n", "", "per_epoch: 2; a counter is published once an epoch"),
    (DOORS + "fanout = 4\n", "", "fanout"),
    (TOTAL + "fanout = 4\n", "fanout = 3\n", "fanout: 4 has no balanced digits; an odd one has"),
    (DOORS + 'strategy = "weights"\ndecay = 1\n', "", "decay: 1 is not between 0 and 1"),
    (DOORS + 'strategy = "tree"\nfanout = 1024\ntree_levels = 3\n', "", "1048576 at most are allowed"),
    (PLACES + "delta = 0\n", "delta = 1\n", "delta: 0 is not an integer from 1 to"),
    (PLACES + "delta = 8\n", "delta = 1\n", "delta: 8 is not an integer from 1 to 7"),
    (PLACES + "block = 2\n", "", "block"),
    (SPOTS + "shift = 0\n", "shift = 3\n", "shift"),
)


class Wrong(unittest.TestCase):
    sotto = compiler = registry = ""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)
        if not Wrong.registry:
            self.assertEqual(self.compile(DOORS + TOTAL + PLACES + SPOTS).returncode, 0)
            Wrong.registry = (self.at / "metrics.json").read_text(encoding="utf-8")
        (self.at / "metrics.json").write_text(Wrong.registry, encoding="utf-8")

    def run_in(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self.at, capture_output=True, text=True)

    def compile(self, metrics: str) -> subprocess.CompletedProcess[str]:
        (self.at / "metrics.toml").write_text(HEAD + metrics, encoding="utf-8")
        return self.run_in(sys.executable, self.compiler, "compile", "metrics.toml", "--out", ".")

    def simulate(self, rows: str, *options: str) -> subprocess.CompletedProcess[str]:
        (self.at / "in.csv").write_text(rows, encoding="utf-8")
        command = (self.sotto, "simulate", "--registry", "metrics.json", "--input", "in.csv", *options)
        return self.run_in(*command, "--seed", "00", "--out", "r.bin")

    def long(self, rows: str, metric: str = "doors") -> subprocess.CompletedProcess[str]:
        options = ("--device", "device", "--epoch-column", "epoch", "--map", f"{metric}=amount")
        return self.simulate("device,epoch,amount\n" + rows, *options)

    def estimates(self, metric: str, *options: str) -> list[dict]:
        self.run_in(self.sotto, "ingest", "--registry", "metrics.json", "--store", "store", "r.bin")
        command = (self.sotto, "estimate", "--registry", "metrics.json", "--store", "store", "--metric")
        return json.loads(self.run_in(*command, metric, "--format", "json", *options).stdout)

    def assert_refused(self, done: subprocess.CompletedProcess[str], line: str) -> None:
        said = [text for text in done.stderr.splitlines() if "--seed" not in text]
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(said), 1, done.stderr)
        self.assertIn(line, said[0])
        self.assertFalse((self.at / "r.bin").exists())


class Events(Wrong):
    def test_are_counted_or_told(self) -> None:
        for what, (events, told, expected) in EVENTS.items():
            with self.subTest(what):
                self.setUp()
                done = self.long("".join(f"a,{epoch},{amount}\n" for epoch, amount in events))
                self.assertEqual(done.returncode, 0, done.stderr)
                said = [line for line in done.stdout.splitlines() if " adapted: " in line or " not counted: " in line]
                self.assertEqual(len(said), 0 if told is None else 1, done.stdout)
                self.assertIn(told or "", done.stdout)
                rows = [row for row in self.estimates("doors") if row["value"] == "epoch"]
                self.assertEqual({row["epoch"]: row["estimate"] for row in rows}, expected)

    def test_after_a_block_are_of_the_next(self) -> None:
        """A balanced total of 9 epochs' tree begins anew every 4: no horizon runs out."""
        done = self.long("".join(f"a,{epoch},2\n" for epoch in range(8, 18)), "total")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row for row in self.estimates("total") if row["value"] == "running total"]
        self.assertEqual({row["epoch"]: row["estimate"] for row in rows}, {e: 2 * (e % 4 + 1) for e in range(8, 18)})

    def test_of_a_block_that_had_begun_are_told(self) -> None:
        done = self.long("a,9,1\na,12,1\n", "total")
        self.assertIn("1 event not counted: of epoch 0", done.stdout)
        rows = [row for row in self.estimates("total") if row["value"] == "running total"]
        self.assertEqual({row["epoch"]: row["estimate"] for row in rows}, {12: 1})

    def test_without_an_epoch_are_refused(self) -> None:
        for epoch in EPOCHS:
            with self.subTest(epoch):
                self.assert_refused(self.long(f"a,1,1\na,{epoch},1\n"), f'row 2 (line 3): column "epoch": "{epoch}"')


class Cells(Wrong):
    def test_that_are_no_value_are_refused(self) -> None:
        for metric, cells in REFUSED.items():
            for cell, line in cells.items():
                with self.subTest(f"{metric}: {cell}"):
                    if metric == "doors":
                        done = self.long(f"a,1,{cell}\n")
                    else:
                        done = self.simulate(f"gateway,points\na,{cell}\n", "--map", f"{metric}=points")
                    self.assert_refused(done, f'row 1 (line 2): column "{"amount" if metric == "doors" else "points"}"')
                    self.assertIn(line, done.stderr)

    def test_with_points_outside_are_clamped_and_told(self) -> None:
        done = self.simulate("gateway,bins,cells\na,-1|7|8|3,0:0|6:5|-2:9\n", "--map", "places=bins",
                             "--map", "spots=cells")  # fmt: skip
        self.assertIn(f"2 values adapted: 2 {CLAMPED}", done.stdout)  # a value is all points of a row
        bins = {row["value"]: row["estimate"] for row in self.estimates("places")}
        self.assertEqual({bin: count for bin, count in bins.items() if count}, {0: 1, 3: 1, 7: 2})
        squares = [row["estimate"] for row in self.estimates("spots")]
        self.assertEqual(sorted(squares), [0, 1, 1, 1])


class Registries(Wrong):
    def test_mistakes_have_one_line(self) -> None:
        for metric, replaced, line in MISTAKES:
            with self.subTest(line):
                (self.at / "metrics.json").unlink(missing_ok=True)
                done = self.compile(metric.replace(replaced, "", 1) if replaced else metric)
                self.assert_refused(done, line)
                self.assertFalse((self.at / "metrics.json").exists())


if __name__ == "__main__":
    Wrong.sotto, Wrong.compiler = (str(Path(argument).resolve()) for argument in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
