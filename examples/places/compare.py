#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Estimates of strikes by place beside the truth, and how many intervals hold it.

    compare.py STRIKES.csv AIRPORTS.csv ESTIMATE.json…     exit 1 if too few intervals do
"""
import json
import sys
from collections import Counter

from points import cells

CELLS = 60
HELD = 0.85  # share of 95 % intervals; those of a year share their noise
NAMES = {"36:59,24:47": "the north-east", "24:35,0:23": "Texas and the Gulf", "20:35": "longitudes of the plains"}

Places = list[tuple[int, int]]


def true_count(places: Places, value: str) -> int:
    """A box, a range of longitudes, or one of them."""
    sides = [tuple(map(int, side.split(":"))) for side in value.split(",")]
    return sum(all(side[0] <= cell <= side[-1] for side, cell in zip(sides, place)) for place in places)


def main(strikes: str, airports: str, *estimates: str) -> int:
    def clamped(cell: int) -> int:
        return max(0, min(CELLS - 1, cell))

    years = {year: [(clamped(x), clamped(y)) for x, y in places] for year, places in cells(strikes, airports).items()}
    held, counts = Counter(), Counter()
    print(f"{'':26} {'year':>4} {'strikes':>8} {'estimate':>9} {'± 95 %':>7}")
    for path in estimates:
        with open(path, encoding="utf-8") as found:
            rows = json.load(found)
        for row in rows:
            value, reach = str(row["value"]), 1.96 * row["std_error"]
            true = true_count(years[row["epoch"]], value)
            counts[row["metric"]] += 1
            held[row["metric"]] += abs(row["estimate"] - true) <= reach
            if value in NAMES and row["epoch"] % 4 == 0:
                print(f"{NAMES[value]:26} {row['epoch']} {true:8} {row['estimate']:9.0f} {reach:7.0f}")
    for metric, count in counts.items():
        print(f"{100 * held[metric] / count:.1f} % of {count} intervals ({metric}) hold the truth")
    return int(not counts or any(held[metric] < HELD * count for metric, count in counts.items()))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
