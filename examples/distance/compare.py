#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The recipients' knowledge, each alone and all of them together, from one release with levels and
from independent noise.

    compare.py REPORTS.jsonl

Exit code 1 when colluding gains anything over the levels of one release.
"""
import json
import math
import sys
from collections import defaultdict

TRUTH = 50
CIRCLES = [("strangers", 1.0), ("friends", 2.0), ("family", 4.0)]
SPAN = 100


def main() -> int:
    levels: dict[str, dict[int, int]] = defaultdict(dict)
    apart: list[list[int]] = [[], [], []]
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines:
            report = json.loads(line)
            if report["metric"] == 1:
                levels[report["release"]][report["level"]] = report["value"]
            else:
                apart[report["metric"] - 2].append(report["value"])
    together = [[release[level] for release in levels.values()] for level in range(3)]

    def error(values: list[float]) -> float:
        return math.sqrt(sum((v - TRUTH) ** 2 for v in values) / len(values))

    # The best that colluders can do with unbiased numbers: weights from their covariance.
    def colluding(columns: list[list[int]]) -> float:
        n = len(columns[0])
        covariance = [
            [sum((a - TRUTH) * (b - TRUTH) for a, b in zip(x, y)) / n for y in columns] for x in columns
        ]
        weights = solve(covariance, [1.0] * len(columns))
        total = sum(weights)
        return math.sqrt(1 / total)

    print(f"{'error of':22}{'epsilon':>9}{'one release':>14}{'noise of its own':>19}")
    for i, (name, epsilon) in enumerate(CIRCLES):
        print(f"{name:22}{epsilon:>9g}{error(together[i]):>14.2f}{error(apart[i]):>19.2f}")
    joint, own = colluding(together), colluding(apart)
    print(f"{'all of them together':22}{'':>9}{joint:>14.2f}{own:>19.2f}")
    print(f"{'epsilon lost to them':22}{'':>9}{CIRCLES[-1][1]:>14g}{sum(e for _, e in CIRCLES):>19g}")
    # Within chance: 20,000 releases leave the ratio uncertain by less than a hundredth.
    gained = 1 - joint / error(together[-1])
    if gained > 0.02 or own > 0.97 * error(apart[-1]):
        print(f"colluding gains {gained:.1%} over one release", file=sys.stderr)
        return 1
    return 0


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gauss and Jordan; three by three."""
    rows = [row[:] + [b] for row, b in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = rows[i][i]
        rows[i] = [x / pivot for x in rows[i]]
        for j in range(len(rows)):
            if j != i:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i])]
    return [row[-1] for row in rows]


if __name__ == "__main__":
    sys.exit(main())
