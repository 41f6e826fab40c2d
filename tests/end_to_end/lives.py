#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The devices of tests/qemu/lives.cpp sent these reports. They are ingested and estimated as any other,
and held against the numbers that were counted and measured. Each board sends these bytes: the tests `life_…` compare.

    lives.py SOTTO METRICS.json LIFE.txt
"""
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

EVENTS, POINTS, STEP = 40, 60, 80
NEAR = 4  # times a mean square: the noise repeats: a run that passes always does

Metric, Row = dict, dict
Truth = Callable[[Row], float]


def number(epoch: int, metric: int, at: int) -> int:
    return (5 * epoch + 3 * metric + at * at) % 13 - 2


def is_measured(epoch: int) -> bool:
    return epoch * epoch // 3 % 5 < 3


def places(m: Metric, epoch: int, count: int) -> list[int]:
    return [max(0, min(m["table"]["places"] - 1, number(epoch, m["id"], at))) for at in range(count)]


def counted(m: Metric, epoch: int) -> int:
    amounts = ((epoch + 3 * m["id"] + at) % 7 - 1 for at in range(EVENTS))
    return sum(max(0, min(m["table"]["event"], amount)) for amount in amounts)


def counter_truth(m: Metric, rows: Iterable[Row]) -> Truth:
    known = sorted({row["epoch"] for row in rows})

    def truth(row: Row) -> float:
        epoch, what = row["epoch"], row["value"]
        if what == "decayed":
            weights = m["table"]["classes"][0]["weights"]
            return sum(w * counted(m, epoch - age) for age, w in enumerate(weights)) / weights[0]
        first = {"epoch": epoch, "prefix": 0, "running total": epoch + 1 - row["epochs"]}[what]
        return sum(counted(m, e) for e in known if first <= e <= epoch)

    return truth


def box_truth(m: Metric) -> Truth:
    def truth(row: Row) -> float:
        (x0, x1), (y0, y1) = (map(int, side.split(":")) for side in row["value"].split(","))
        cells = places(m, row["epoch"], 2 * POINTS)
        return sum(x0 <= x <= x1 and y0 <= y <= y1 for x, y in zip(cells[::2], cells[1::2]))

    return truth


def bin_truth(m: Metric) -> Truth:
    def truth(row: Row) -> float:
        return places(m, row["epoch"], POINTS).count(int(row["value"]))

    return truth


def place_truth(m: Metric) -> Truth:
    def truth(row: Row) -> float:
        points = (STEP * number(row["epoch"], m["id"], at) for at in range(m["length"]))
        return sorted(max(m["min"], min(m["max"], point)) for point in points)[int(row["value"])]

    return truth


def starts(policy: list[int], levels: int, history: list[int]) -> int:
    """The level of the table, by the digits of the last epochs: 0 is none, the newest comes last."""
    state = 0
    for digit in history:
        state = state * (levels + 1) + digit
    return policy[state % len(policy)]


def mean_square(errors: list[float]) -> float:
    return sum(error**2 for error in errors) / len(errors)


class Life:
    def __init__(self, sotto: str, registry: str, lines: list[str], folder: Path) -> None:
        self.sotto, self.registry, self.folder = sotto, registry, folder
        self.metrics = {m["name"]: m for m in json.loads(Path(registry).read_text(encoding="utf-8"))["metrics"]}
        self.reports = folder / "reports.bin"
        self.reports.write_bytes(b"".join(bytes.fromhex(line.split()[2]) for line in lines))
        self.call("ingest", "--strict", "--store", folder / "store", self.reports)

    def call(self, command: str, *rest: object) -> str:
        words = [self.sotto, command, "--registry", self.registry, *map(str, rest)]
        return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout

    def rows(self, m: Metric) -> list[Row]:
        return json.loads(self.call("estimate", "--store", self.folder / "store", "--metric", m["name"],
                                    "--format", "json"))  # fmt: skip

    def truth(self, m: Metric, rows: list[Row]) -> Truth | None:
        if m["type"] == "counter":
            return counter_truth(m, rows)
        if m["type"] == "vector":
            return place_truth(m)
        return {"location": box_truth, "histogram": bin_truth}.get(m["type"], lambda _: None)(m)

    def errors(self, m: Metric, control: bool = False) -> list[float]:
        """In standard errors. In the control half of all is lost."""
        rows = self.rows(m)
        assert rows, m["name"]
        truth = self.truth(m, rows)
        if truth is None:  # an answer, or an answer by chance: laws are held elsewhere
            return []
        return [(row["estimate"] - truth(row) * (2 if control else 1)) / row["std_error"] for row in rows]

    def check(self) -> dict[str, int]:
        checked, lost = {}, []
        for name, m in self.metrics.items():
            errors = self.errors(m)
            assert not errors or 1 / NEAR < mean_square(errors) < NEAR, (name, mean_square(errors))
            checked[name] = len(errors)
            lost += self.errors(m, control=True)
        assert not lost or mean_square(lost) > NEAR, mean_square(lost)
        return checked

    def check_levels(self) -> int:
        """Measurements start where the policy says."""
        seen = [json.loads(line) for line in self.call("inspect", self.reports).splitlines()]
        checked = 0
        for m in (m for m in self.metrics.values() if "policy" in m):
            levels = {report["epoch"]: report["level"] for report in seen if report["metric"] == m["id"]}
            history = [0] * (m["window"]["epochs"] - 1)
            for epoch in range(max(levels) + 1):
                assert (epoch in levels) == is_measured(epoch), epoch
                if epoch in levels:
                    said = starts(m["policy"], len(m["levels"]), history)
                    assert levels[epoch] == said, (epoch, history, levels[epoch], said)
                history = [*history[1:], levels[epoch] + 1 if epoch in levels else 0]
                checked += 1
            assert len(set(levels.values())) > 1, "the control: one level"
        return checked


def main() -> int:
    sotto, registry, file = sys.argv[1:]
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        life = Life(sotto, registry, lines, Path(folder))
        checked = life.check()
        levels = life.check_levels()
    kinds = Counter(f"{m['type']} {m.get('strategy', '')}".strip() for m in life.metrics.values() if checked[m["name"]])
    print(f"{Path(file).name}: {sum(checked.values())} sums of {dict(kinds)}, {levels} epochs of a policy")
    return 0


if __name__ == "__main__":
    sys.exit(main())
