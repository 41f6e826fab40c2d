#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Estimates of strikes beside the truth: windows of a year, and how many intervals hold it.

    compare.py EVENTS.csv ESTIMATE.json     exit 1 if too few intervals do
"""
import csv
import json
import sys
from collections import Counter
from datetime import date
from itertools import accumulate

YEAR = 365
HELD = 0.85  # share of 95 % intervals: neighbouring days share their noise, and windows overlap


def truth_by_day(path: str) -> Counter[int]:
    with open(path, encoding="utf-8") as rows:
        days = (date.fromisoformat(row["date"]) - date(1970, 1, 1) for row in csv.DictReader(rows))
        return Counter(day.days for day in days)


def main(events: str, estimates: str) -> int:
    strikes = truth_by_day(events)
    with open(estimates, encoding="utf-8") as found:
        rows = json.load(found)
    first, last = min(strikes), max(strikes)
    sums = dict(zip(range(first, last + 1), accumulate(strikes[day] for day in range(first, last + 1))))
    held, counts = Counter(), Counter()
    print(f"{'days up to':>10} {'strikes':>8} {'estimate':>9} {'± 95 %':>7}")
    for row in rows:
        day, value, reach = row["epoch"], row["value"], 1.96 * row["total_std_error"]
        begins = {"epoch": day - 1, f"window {YEAR}": day - YEAR, "prefix": first - 1}[value]
        true = sums[day] - sums.get(max(begins, first - 1), 0)
        counts[value] += 1
        held[value] += abs(row["total"] - true) <= reach
        if value == f"window {YEAR}" and (day - first + 1) % (2 * YEAR) == 0:
            print(f"{date.fromordinal(day + 719163)} {true:8} {row['total']:9.0f} {reach:7.0f}")
    for value, count in counts.items():
        print(f"{100 * held[value] / count:.1f} % of {count} intervals ({value}) hold the truth")
    return int(any(held[value] < HELD * count for value, count in counts.items()))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
