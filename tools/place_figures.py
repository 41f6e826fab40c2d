#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Prints what shifted grids gain over one grid on real places (docs/STREAMS.md). An error is that of the
number of points in a square box, at epsilon 1. Each way has its best width of squares.

    place_figures.py AIRPORTS     examples/data/airports.csv

Errors are exact mean squares: the variance of the noise, continuous as the paper's, and the square of what
evenly spread points are wrong by. Boxes lie around places.
"""
import csv
import sys
from bisect import bisect_left
from itertools import product
from math import ceil, floor
from random import Random

WEST, SOUTH, DEGREES = -125.0, 24.0, 58.5  # a square around the states, as the unit square
DELTAS = (0.004, 0.001)
SIDES = (0.01, 0.1, 0.2)
WIDTHS = (0.003, 0.005, 0.008, 0.012, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1)
BOXES = 100
GRIDS_MAX = 20
Point = tuple[float, float]
Shares = dict[int, float]


def read_points(path: str) -> list[Point]:
    with open(path, encoding="utf-8", newline="") as file:
        return sorted(
            ((float(row["longitude"]) - WEST) / DEGREES, (float(row["latitude"]) - SOUTH) / DEGREES)
            for row in csv.DictReader(file)
        )


def shares(first: float, side: float, width: float, shift: float) -> Shares:
    """The part of each row of squares that lies between first and first + side."""
    begin, end = (first - shift) / width, (first + side - shift) / width
    return {i: min(i + 1, end) - max(i, begin) for i in range(floor(begin), ceil(end))}


def within(points: list[Point], low: Point, high: Point) -> list[Point]:
    some = points[bisect_left(points, (low[0], 0)) : bisect_left(points, (high[0], 0))]
    return [point for point in some if low[1] <= point[1] < high[1]]


def error(points: list[Point], box: Point, side: float, width: float, shifts: list[float]) -> float:
    """The mean of the grids, each square taken by its share. The noise hides 2 rows, or 4."""
    x, y = box
    truth = len(within(points, box, (x + side, y + side)))
    near = within(points, (x - width, y - width), (x + side + width, y + side + width))
    guess, squares = 0.0, 0.0
    for shift in shifts:
        rows, lines = shares(x, side, width, shift), shares(y, side, width, shift)
        squares += sum(a * a for a in rows.values()) * sum(b * b for b in lines.values())
        guess += sum(
            rows.get(floor((a - shift) / width), 0) * lines.get(floor((b - shift) / width), 0)
            for a, b in near
        )
    sensitivity = 2 if len(shifts) == 1 else 4
    noise = 2 * sensitivity**2 * squares / len(shifts) ** 2
    return noise + (guess / len(shifts) - truth) ** 2


def grids(width: float, delta: float) -> list[float]:
    return [i * delta for i in range(min(GRIDS_MAX, floor(width / delta + 1e-9)))]


def best(points: list[Point], side: float, delta: float | None) -> tuple[float, float]:
    """The least mean error, and the width that has it."""
    random = Random(1)
    corner = lambda place: (place[0] - random.random() * side, place[1] - random.random() * side)  # noqa: E731
    boxes = [corner(random.choice(points)) for _ in range(BOXES)]
    found = []
    for width in WIDTHS:
        shifts = grids(width, delta) if delta else [0.0]
        if delta is None or len(shifts) > 1:
            errors = [error(points, box, side, width, shifts) for box in boxes]
            found.append((sum(errors) / BOXES, width))
    return min(found)


def main(path: str) -> None:
    points = read_points(path)
    print(f"{len(points)} places, {BOXES} boxes")
    for side, delta in product(SIDES, DELTAS):
        single, single_width = best(points, side, None)
        many, width = best(points, side, delta)
        print(
            f"box {side:<5} delta {delta:<6} one grid {single:8.1f} (width {single_width:<6}) "
            f"shifted {many:8.1f} (width {width:<6}) gain {single / many:.2f}"
        )


if __name__ == "__main__":
    main(sys.argv[1])
