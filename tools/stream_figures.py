#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Makes the tables and figures of docs/STREAMS.md from runs of one device of 1,024 epochs. They go
through `sotto simulate` and `sotto estimate`: root mean square errors beside published ones.

    stream_figures.py SOTTO SOTTO_REGISTRY OUT [RUNS]     exit 1 where a standard error is off by more
                                                          than 3 %, or the error seen 2.5 times
"""
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from budget_figures import svg

NEAR = 0.03
FAR = 2.5  # sums of one run share their noise
EPOCHS = 1 << 10
WINDOWS = {"7": 7, "30": 30, "90": 90, "365": 365}
FIRST = 1 << 16  # where all blocks begin
BLOCK = 64  # epochs of a point in the figure
DECAYS = ("0.5", "0.9", "0.99")


@dataclass(frozen=True)
class Case:
    name: str
    keys: str
    expected: dict[str, float]
    block: int = 1  # epochs after which all begins anew

    def first(self) -> int:
        return -(-FIRST // self.block) * self.block


IDENTITY = 'strategy = "identity"'
PREFIX, SMOOTHED, TOTAL, DECAYED = "prefix", "prefix, smoothed", "running total", "decayed"


def tree(fanout: int, levels: int) -> str:
    return f'strategy = "tree"\nfanout = {fanout}\ntree_levels = {levels}'


CASES = (
    Case("tree, 8 of 3", tree(8, 3), {PREFIX: 15.3}),
    Case("tree, 16 of 3", tree(16, 3), {PREFIX: 16.9, SMOOTHED: 11.0}),
    Case("identity", IDENTITY, dict(zip(WINDOWS, (3.6, 7.4, 12.9, 25.9)))),
    Case("tree, 8 of 2", tree(8, 2), dict(zip(WINDOWS, (6.4, 7.8, 10.7, 18.7)))),
    Case("tree, 16 of 2", tree(16, 2), dict(zip(WINDOWS, (7.1, 9.3, 10.8, 15.5)))),
    Case("balanced, 13 of 3", 'strategy = "balanced"\nfanout = 13\ntree_levels = 3', {TOTAL: 13.0},
         block=(13**3 - 1) // 2),
    Case("pan-private, 10 levels", 'strategy = "pan_private"\ntree_levels = 10', {TOTAL: 51.6},
         block=1 << 10),
    Case("identity", IDENTITY, {"decay 0.5": 1.57, "decay 0.99": 9.62}),
    Case("weights, decay 0.5", 'strategy = "weights"\ndecay = 0.5', {DECAYED: 2.82}),
    Case("weights, decay 0.99", 'strategy = "weights"\nweight_bits = 6\ndecay = 0.99', {DECAYED: 134.7}),
)  # fmt: skip


class Fleet:
    """One device that counts, again and again."""

    def __init__(self, sotto: str, compiler: str, at: Path) -> None:
        self.sotto, self.compiler, self.at = sotto, compiler, at
        self.runs = 0

    def registry(self, keys: str) -> Path:
        (self.at / "metrics.toml").write_text(
            '[registry]\nname = "figures"\nversion = 1\n[[metric]]\nid = 1\nname = "it"\n'
            f'type = "counter"\nepsilons = [1]\n{keys}\n', encoding="utf-8")
        command = [sys.executable, self.compiler, "compile", str(self.at / "metrics.toml"), "--out"]
        subprocess.run([*command, str(self.at)], check=True, capture_output=True)
        return self.at / "metrics.json"

    def call(self, *arguments: object) -> str:
        command = [self.sotto, *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def estimates(self, case: Case, *options: str) -> list[dict]:
        self.runs += 1
        registry, events = self.registry(case.keys), self.at / "events.csv"
        rows = "".join(f"a,{epoch}\n" for epoch in range(case.first(), case.first() + EPOCHS))
        events.write_text("device,epoch\n" + rows, encoding="utf-8")
        reports, store = self.at / "reports.bin", self.at / f"store{self.runs}"
        self.call("simulate", "--registry", registry, "--input", events, "--device", "device",
                  "--epoch-column", "epoch", "--map", "it", "--seed", f"{self.runs:04x}", "--out", reports)
        self.call("ingest", "--registry", registry, "--store", store, reports)
        return json.loads(self.call("estimate", "--registry", registry, "--store", store, "--format",
                                    "json", *options))


def root_mean_square(values: list[float]) -> float:
    return (sum(value * value for value in values) / len(values)) ** 0.5


def rows_of(found: list[dict], what: str) -> list[dict]:
    name = f"window {what}" if what in WINDOWS else what
    least = WINDOWS.get(what, 1)
    return [row for row in found if row["value"] == name and row["epochs"] >= least]


def true_sum(case: Case, row: dict) -> float:
    """An event an epoch, worth less with each one that follows where sums are decayed."""
    of_host = row["value"].startswith("decay ")
    if not of_host and row["value"] != DECAYED:
        return row["epochs"]
    rate = float((row["value"] if of_host else case.keys).split()[-1])
    return (1 - rate ** (row["epoch"] - case.first() + 1)) / (1 - rate)


def asked_by(what: str) -> tuple[str, ...]:
    if what in WINDOWS:
        return ("--window", what)
    if what.startswith("decay "):
        return ("--decay", what.split()[1])
    return ("--smoothed",) if what == SMOOTHED else ()


def compare(fleet: Fleet, case: Case, runs: int) -> bool:
    near = True
    for what, expected in case.expected.items():
        options = asked_by(what)
        found = [rows_of(fleet.estimates(case, *options), what) for _ in range(runs)]
        said = root_mean_square([row["std_error"] for row in found[0]])
        seen = root_mean_square([row["estimate"] - true_sum(case, row) for rows in found for row in rows])
        near = near and abs(said / expected - 1) <= NEAR and 1 / FAR < seen / said < FAR
        what = f"last {what}" if what in WINDOWS else what
        print(f"| {case.name} | {what} | {expected} | {said:.2f} | {seen:.2f} |", flush=True)
    return near


def over_time(fleet: Fleet, out: Path) -> None:
    lines: dict[str, list[float]] = {}
    for case in (CASES[0], CASES[1], Case("identity", IDENTITY, {})):
        errors = [row["std_error"] for row in rows_of(fleet.estimates(case), PREFIX)]
        blocks = [errors[i : i + BLOCK] for i in range(0, len(errors), BLOCK)]
        lines[case.name] = [root_mean_square(block) for block in blocks]
    xs = [float(BLOCK * (i + 1)) for i in range(len(lines["identity"]))]
    text = svg("The sum of all epochs: one device, epsilon 1", "epochs", "standard error", xs, lines)
    (out / "streams_prefix.svg").write_text(text, encoding="utf-8")


def by_age(fleet: Fleet, out: Path) -> None:
    xs, lines = [float(age) for age in range(21)], {}
    for decay in DECAYS:
        registry = fleet.registry(f'strategy = "weights"\ndecay = {decay}')
        ages = json.loads(fleet.call("epsilon", "--registry", registry, "--format", "json"))
        known = {row["age"]: row["epsilon"] for row in ages["metrics"][0]["epsilon_by_age"]}
        last, losses = 0.0, []
        for x in xs:
            last = known.get(int(x), last)
            losses.append(last)
        lines[f"decay {decay}"] = losses
    text = svg("An event by its age: epsilon lost, of 1", "epochs since", "epsilon", xs, lines)
    (out / "streams_ages.svg").write_text(text, encoding="utf-8")


def main() -> int:
    sotto, compiler, out, *rest = sys.argv[1:]
    runs = int(rest[0]) if rest else 1
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(sotto, compiler, Path(folder))
        over_time(fleet, Path(out))
        by_age(fleet, Path(out))
        print("| rows | sum of | published | standard error | error seen |\n"
              "| --- | --- | --- | --- | --- |")  # fmt: skip
        return int(not all([compare(fleet, case, runs) for case in CASES]))


if __name__ == "__main__":
    sys.exit(main())
