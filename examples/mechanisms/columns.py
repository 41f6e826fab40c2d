#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds to the bird-strike data the columns that a set and a vector need. The set has real facts;
the vector's second number is made up (examples/data/README.md).

    columns.py DATA.csv OUT.csv
"""
import csv
import sys


def circumstances(row: dict[str, str]) -> list[str]:
    """At most two of them, as the metric allows."""
    facts = {
        "damaged": row["damage"] != "None",
        "night": row["time_of_day"] == "Night",
        "large": row["size"] == "Large",
        "climbing": row["phase"] == "Climb",
    }
    return [name for name, is_so in facts.items() if is_so][:2]


def widened(row: dict[str, str]) -> dict[str, str]:
    speed = row["speed_knots"]
    made_up = {"Climb": 250, "Descent": 250, "Approach": 140}.get(row["phase"], 60)
    return row | {
        "circumstances": "|".join(circumstances(row)) or "|",
        "speeds": f"{speed}|{made_up}" if speed else "",
    }


def main() -> int:
    with open(sys.argv[1], newline="", encoding="utf-8") as source:
        rows = [widened(row) for row in csv.DictReader(source)]
    with open(sys.argv[2], "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
