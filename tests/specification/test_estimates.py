# SPDX-License-Identifier: Apache-2.0
"""
Reports of a fleet of these clients: `sotto ingest` rejects none, and `sotto estimate` finds the truth.

An estimate may be 11 of its standard errors off, as `sotto estimate` states them. Here no report moves a sum by more
than a third of the sum's standard deviation. By Bernstein's inequality the chance of more is at most
2 exp(-60.5 / (1 + 11/9)), 3e-12. Where noise has no bound, its scale takes the place of a third of what a report moves.
Fewer than 300 numbers are compared: a false alarm has a probability below 1e-9. The seed is fixed.
"""
import json
import random
import unittest
from typing import Any

from client import Client
from fleet import PlainGenerator, Values, live
from support import KEYS, SOTTO, Scratch, public_key, run
from test_same_bytes import COUNTERS

SEED = 20261125
DEVICES, SEALED_DEVICES, WARM_DEVICES = 200, 20, 40
TOP = 1  # most ladders end here, where 200 reports are enough for the inequality
EPOCH = 8  # a block of every running total begins here
AMOUNTS = {8: 2, 9: 1}  # each device counts one such event an epoch
WARM_EPOCHS = 10  # more than a decayed sum of heat looks back
STANDARD_ERRORS = 11
STRINGS = [b"one", b"two", b"three"]


def measured(i: int) -> Values:
    """The values of device i: none is rare, and none is out of range."""
    return {
        "damage": i % 4 == 0, "lamp": i % 3 > 0, "fine_lamp": i % 5 == 0, "phase": i % 3, "aircraft": [3, 3, 37][i % 3],
        "engine": [0, 32][i % 2], "season": [1, 1, 3][i % 3],
        "room": [0, 0, 0, 5][i % 4], "grade": [0, 0, 2][i % 3],
        "fault": [0, 23, 23][i % 3], "rooms": [[0, 2], [3], []][i % 3], "app": STRINGS[i * i % 3],
        "page": STRINGS[i % 2], "model": STRINGS[i % 3], "speed": 100 + 700 * (i % 2),
        "hours": [50, 70, 30, 50 + i % 2],
        "height": [0, 4000][i % 2], "delay": [0, 60][i % 2], "each_bin": [0, 0, i % 10], "suffixes": [9, i % 4],
        "branches": [i % 16, 3], "wavelets": [7, 0, i % 8], "hybrid": [19, i % 20], "squares": [(i % 9, 8), (0, 0)],
        "middle": [33] * 40, "ordered": [10, 100, i % 3, 199, 50], "warmth": [-40, 60][i % 2],
        "alarms": [[0, 3], [1], []][i % 3], "part": [0, 0, 8][i % 3],
    }


class Estimates(Scratch):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.candidates = cls.folder / "candidates"
        cls.candidates.write_bytes(b"\n".join(STRINGS) + b"\n")

    def reports(self, devices: int, levels: int, **keys: bytes) -> bytes:
        out = b""
        for i in range(devices):
            device = Client(self.registry, PlainGenerator(random.Random(SEED + i).randbytes), **keys)
            epochs = {epoch: {name: amount for name in COUNTERS} for epoch, amount in AMOUNTS.items()}
            epochs[EPOCH] |= measured(i)
            out += live(device, epochs, levels)
        return out

    def estimated(self, name: str, reports: bytes, *options: Any) -> list[dict[str, Any]]:
        file, store = self.folder / f"{name}.bin", self.folder / name
        file.write_bytes(reports)
        run(SOTTO, "ingest", "--strict", "--registry", self.json, "--store", store, *options, file)
        return json.loads(run(SOTTO, "estimate", "--registry", self.json, "--store", store, "--candidates",
                              self.candidates, "--format", "json"))

    def test_truth(self) -> None:
        rows = self.estimated("plain", self.reports(DEVICES, TOP))
        truths = [self.truth(row) for row in rows]
        compared = [(row, truth) for row, truth in zip(rows, truths) if truth is not None]
        self.assertLess(len(compared), 300)
        self.assertEqual({row["metric"] for row, _ in compared},
                         {m.metric["name"] for m in self.registry.metrics.values()} - {"middle", "heat"})
        for row, truth in compared:
            with self.subTest(metric=row["metric"], value=row.get("value"), epoch=row["epoch"]):
                self.assertEqual(row["reports"], DEVICES)
                self.assertLessEqual(abs(row["estimate"] - truth), STANDARD_ERRORS * row["std_error"])
        # The answer is off with 3e-4 only, as ten points would have to move. 20 of 200 devices: below 1e-30.
        middle = next(row for row in rows if row["metric"] == "middle" and row["quantity"] == "mean")
        self.assertLessEqual(abs(middle["estimate"] - 33), 5 + 20 / DEVICES * 100)
        # Control: estimates of these are far from what another bit, category or number would give.
        seen = {row["metric"] for row, truth in compared
                if abs(row["estimate"] - self.other_truth(row, truth)) > STANDARD_ERRORS * row["std_error"]}
        self.assertGreaterEqual(seen, {"lamp", "phase", "aircraft", "engine", "fault", "suffixes", "ordered"})

    def test_sealed_says_the_same(self) -> None:
        plain = self.estimated("open", self.reports(SEALED_DEVICES, 0))
        sealed = self.estimated("sealed", self.reports(SEALED_DEVICES, 0, public_key=public_key("new.pub")), "--key",
                                KEYS / "new.key")
        # Sealing draws from the generator too, so that the next epoch has other noise.
        first, also = ([{key: row[key] for key in row if key != "monotone"} for row in rows if row["epoch"] == EPOCH]
                       for rows in (plain, sealed))
        self.assertEqual(first, also)
        self.assertGreater(len(plain), 200)

    def test_decayed(self) -> None:
        reports = b"".join(
            live(Client(self.registry, PlainGenerator(random.Random(SEED - i).randbytes)),
                 {epoch: {"heat": 1} for epoch in range(WARM_EPOCHS)}, 0, 0) for i in range(1, WARM_DEVICES + 1))
        rows = [row for row in self.estimated("warm", reports) if row["metric"] == "heat"]
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual(row["value"], "decayed")
            truth = 511 / 256  # halves of 256, down to 1
            self.assertLessEqual(abs(row["estimate"] - truth), STANDARD_ERRORS * row["std_error"])

    def truth(self, row: dict[str, Any]) -> float | None:
        """The number that a row estimates; None: it is none of the fleet's plain counts and means."""
        name, value = row["metric"], row.get("value")
        metric = self.registry.named(name).metric
        if metric["type"] == "counter":
            first, now = AMOUNTS[EPOCH], AMOUNTS[row["epoch"]]
            so_far = first if row["epoch"] == EPOCH else first + now
            return {"epoch": now, "prefix": so_far, "running total": so_far}[value]
        fleet = [measured(i)[name] for i in range(DEVICES)]
        names = metric.get("categories") or metric.get("members") or []
        index = names.index(value) if value in names else value
        match metric["type"]:
            case "boolean":
                return sum(fleet)
            case "category":
                return fleet.count(index)
            case "set":
                return sum(index in members for members in fleet)
            case "string":
                return fleet.count(value.encode())
            case "integer" | "mean":
                return sum(fleet) / DEVICES
            case "vector":
                return sum((sorted(v) if metric.get("sorted") else v)[value] for v in fleet) / DEVICES
            case "distribution" if row["quantity"] == "mean":
                return sum(self.middle_of_bin(metric, x) for x in fleet) / DEVICES
            case "histogram":
                return sum(points.count(value) for points in fleet) / DEVICES
            case "location":
                (x0, x1), (y0, y1) = (map(int, axis.split(":")) for axis in value.split(","))
                return sum(x0 <= x <= x1 and y0 <= y <= y1 for points in fleet for x, y in points) / DEVICES
        return None

    @staticmethod
    def other_truth(row: dict[str, Any], truth: float) -> float:
        return row["reports"] - truth if row["quantity"] == "count" else truth / 2 if truth else 1

    @staticmethod
    def middle_of_bin(metric: dict[str, Any], x: int) -> float:
        span, bins = metric["max"] - metric["min"] + 1, metric["bins"]
        bin_of = [(n * bins) // span for n in range(span)]
        inside = [n for n in range(span) if bin_of[n] == bin_of[x - metric["min"]]]
        return metric["min"] + (inside[0] + inside[-1]) / 2


if __name__ == "__main__":
    unittest.main()
