#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Prints the error of one answer of a median at epsilon 1 (docs/STREAMS.md), by the number of points and by
delta. Inverse sensitivity is worked out exactly, on 1,024 bins. Smooth sensitivity (Nissim, Raskhodnikova,
Smith 2007) has Cauchy noise of scale 6 S / epsilon; its median error is that scale. It is not drawn by any
mechanism here. Sorted points publish the median among all others: as it is, and made rising.

    quantile_figures.py [SETS]    sets of points that errors are means of; 400

Points are normal around the middle of the range, with a deviation of 0.15 of it.
"""
import sys
from itertools import accumulate
from math import exp
from random import Random

BINS, EPSILON, DEVIATION = 1024, 1.0, 0.15
COUNTS = (11, 51, 101)
DELTAS = (1023, 102, 10)  # bins


def points_of(count: int, random: Random) -> list[float]:
    return sorted(min(max(random.gauss(0.5, DEVIATION), 0.0), 1 - 1e-9) for _ in range(count))


def steps_to(points: list[float], delta: int) -> tuple[list[int], int]:
    counts = [0] * BINS
    for point in points:
        counts[int(point * BINS)] += 1
    up_to, rank = list(accumulate(counts)), (len(points) + 1) // 2
    median = next(i for i in range(BINS) if up_to[i] >= rank)
    steps = [0] * BINS
    for i in range(median - 1, -1, -1):
        steps[i] = rank - up_to[i] + (steps[i + delta] if i + delta < median else 0)
    for i in range(median + 1, BINS):
        steps[i] = up_to[i - 1] - rank + 1 + (steps[i - delta] if i - delta > median else 0)
    return steps, median


def inverse_error(points: list[float], delta: int) -> float:
    """The mean distance of an answer from the median, as a part of the range."""
    steps, median = steps_to(points, delta)
    weights = [exp(-EPSILON / 2 * step) for step in steps]
    away = sum(weight * abs(i - median) for i, weight in enumerate(weights))
    return away / sum(weights) / BINS


def smooth_error(points: list[float], delta: int) -> float:
    """Changed points lie anywhere, and the median moves by delta at most."""
    padded, middle = [0.0, *points, 1.0], (len(points) + 1) // 2
    place = lambda i: padded[min(max(i, 0), len(padded) - 1)]  # noqa: E731
    smooth = 0.0
    for k in range(len(points)):
        gap = max(place(middle + t) - place(middle + t - k - 1) for t in range(k + 2))
        smooth = max(smooth, exp(-k * EPSILON / 6) * min(gap, delta / BINS))
    return 6 * smooth / EPSILON


def rising(numbers: list[float]) -> list[float]:
    """The nearest in least squares that never fall: pools neighbours that do."""
    blocks: list[tuple[float, int]] = []
    for number in numbers:
        total, size = number, 1
        while blocks and blocks[-1][0] * size > total * blocks[-1][1]:
            total, size = total + blocks[-1][0], size + blocks[-1][1]
            blocks.pop()
        blocks.append((total, size))
    return [total / size for total, size in blocks for _ in range(size)]


def sorted_errors(points: list[float], delta: int, random: Random) -> tuple[float, float, float]:
    """The median as it is; the median made rising; the mean over all points made rising."""
    scale = delta / BINS / EPSILON
    noised = [point + scale * (random.expovariate(1) - random.expovariate(1)) for point in points]
    able = [min(max(number, 0.0), 1.0) for number in rising(noised)]
    middle = len(points) // 2
    every = sum(abs(a - b) for a, b in zip(able, points)) / len(points)
    return abs(noised[middle] - points[middle]), abs(able[middle] - points[middle]), every


def main() -> int:
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print("points  delta/1024  inverse sensitivity  smooth sensitivity  sorted  made rising  all made rising")
    for count in COUNTS:
        for delta in DELTAS:
            random = Random(count)
            every = [points_of(count, random) for _ in range(sets)]
            inverse = sum(inverse_error(points, delta) for points in every) / sets
            smooth = sum(smooth_error(points, delta) for points in every) / sets
            found = [sorted_errors(points, delta, random) for points in every]
            noisy, able, each = (sum(errors) / sets for errors in zip(*found))
            row = f"{count:6}  {delta:10}  {inverse:19.5f}  {smooth:18.5f}"
            print(f"{row}  {noisy:6.4f}  {able:11.4f}  {each:15.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
