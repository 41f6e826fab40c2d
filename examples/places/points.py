#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The places of strikes, a year a row: the airports of `airports.csv`, each as often as it had strikes.

    points.py STRIKES.csv AIRPORTS.csv > YEARS.csv
"""
import csv
import math
import sys

WEST, SOUTH = -126, 24


def read(path: str) -> list[dict[str, str]]:
    with open(path, encoding="utf-8") as rows:
        return list(csv.DictReader(rows))


def cells(strikes: str, airports: str) -> dict[int, list[tuple[int, int]]]:
    """By year. Hawaii lies outside, so that the device clamps its strikes."""
    at = {
        row["airport"]: (math.floor(float(row["longitude"]) - WEST),
                         math.floor(2 * (float(row["latitude"]) - SOUTH)))
        for row in read(airports)
    }  # fmt: skip
    years: dict[int, list[tuple[int, int]]] = {}
    for row in read(strikes):
        years.setdefault(int(row["date"][:4]), []).append(at[row["airport"]])
    return years


def main() -> None:
    print("gateway,year,squares,longitudes")
    for year, points in sorted(cells(*sys.argv[1:]).items()):
        squares = "|".join(f"{x}:{y}" for x, y in points)
        print(f"coast,{year},{squares},{'|'.join(str(x) for x, _ in points)}")


if __name__ == "__main__":
    main()
