#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Makes the chart of docs/CHOOSING.md from `sotto plan`. Errors are of a share of a category or string, against
epsilon and against the bytes of a report. It has every mechanism that the program offers for these types.

    figures.py SOTTO OUT    writes OUT/choosing.svg

The same program writes the same bytes.
"""
import json
import subprocess
import sys
from dataclasses import dataclass
from itertools import cycle
from math import log
from pathlib import Path
from typing import Any

from compare import shortest

TYPES = ("category", "string")
DEVICES = 100_000
EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0)
SIZE = 40  # where epsilon varies
SIZES = (8, 40, 200, 1000)  # where bytes do
EPSILON = 1.0
ERRORS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # percent
BYTES = (8, 16, 32, 64, 128, 256)
COLOURS = ("#1b6ca8", "#c0392b", "#2e8b57", "#8e6bb0", "#b8860b", "#444444", "#d2691e", "#008080")
Points = list[tuple[float, float]]


def ways(sotto: str, kind: str, size: int, epsilon: float) -> dict[str, dict[str, Any]]:
    """By mechanism, as compare.py takes them."""
    command = [sotto, "plan", "--type", kind, "--size", str(size), "--devices", str(DEVICES),
               "--epsilon", str(epsilon), "--format", "json"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:  # nothing fits
        return {}
    every: dict[str, list[dict[str, Any]]] = {}
    for way in json.loads(done.stdout)["alternatives"]:
        every.setdefault(f"{way['mechanism']}, {kind}", []).append(way)
    return {name: shortest(each) for name, each in every.items()}


@dataclass(frozen=True)
class Panel:
    """Both axes are logarithmic."""

    left: float
    title: str
    x_name: str
    xs: tuple[float, ...]
    width: float = 300
    top: float = 60
    height: float = 300

    def spot(self, x: float, y: float) -> tuple[float, float]:
        across = log(x / self.xs[0]) / log(self.xs[-1] / self.xs[0])
        up = log(y / ERRORS[0]) / log(ERRORS[-1] / ERRORS[0])
        return self.left + self.width * across, self.top + self.height * (1 - up)

    def frame(self) -> list[str]:
        bottom = self.top + self.height
        parts = [f'<text x="{self.left}" y="28" font-size="15">{self.title}</text>',
                 f'<text x="{self.left}" y="46" fill="#555">± (95 %), percent of devices</text>',
                 f'<text x="{self.left + self.width / 2}" y="{bottom + 40}" text-anchor="middle">{self.x_name}</text>']
        for y in ERRORS:
            at = self.spot(self.xs[0], y)[1]
            parts.append(f'<line x1="{self.left}" x2="{self.left + self.width}" y1="{at:.1f}" y2="{at:.1f}"'
                         f' stroke="#ddd"/><text x="{self.left - 6}" y="{at + 4:.1f}" text-anchor="end">{y:g}</text>')
        for x in self.xs:
            parts.append(f'<text x="{self.spot(x, 1)[0]:.1f}" y="{bottom + 20}" text-anchor="middle">{x:g}</text>')
        return parts

    def line(self, points: Points, colour: str, dash: str) -> str:
        spots = [self.spot(x, y) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in spots)
        return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>{dots}'


def chart(by_epsilon: dict[str, Points], by_bytes: dict[str, Points]) -> str:
    of_bytes = f"Against bytes: ε {EPSILON:g}; " + ", ".join(map(str, SIZES[:-1])) + f" and {SIZES[-1]:,} values"
    panels = ((Panel(50, f"Against ε: {SIZE} values", "ε", EPSILONS), by_epsilon),
              (Panel(420, of_bytes, "bytes of a report in a batch", BYTES), by_bytes))
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 420" font-family="sans-serif"'
             ' font-size="13"><!-- SPDX-License-Identifier: Apache-2.0 -->'
             '<rect width="960" height="420" fill="white"/>']  # fmt: skip
    for panel, lines in panels:
        parts += panel.frame()
        for name, colour in zip(by_epsilon, cycle(COLOURS)):
            dash = ' stroke-dasharray="5 4"' if name.endswith("string") else ""
            parts.append(panel.line(lines.get(name, []), colour, dash))
    for i, (name, colour) in enumerate(zip(by_epsilon, cycle(COLOURS))):
        parts.append(f'<text x="735" y="{75 + 22 * i}" fill="{colour}">{name.replace("_", " ")}</text>')
    return "\n".join([*parts, "</svg>", ""])


def drawn(sotto: str) -> str:
    by_epsilon: dict[str, Points] = {}
    by_bytes: dict[str, Points] = {}
    for kind in TYPES:
        for epsilon in EPSILONS:
            for name, way in ways(sotto, kind, SIZE, epsilon).items():
                by_epsilon.setdefault(name, []).append((epsilon, 100 * way["half_width"]))
        for size in SIZES:
            for name, way in ways(sotto, kind, size, EPSILON).items():
                by_bytes.setdefault(name, []).append((way["report_bytes"], 100 * way["half_width"]))
    return chart(by_epsilon, by_bytes)


def main() -> None:
    sotto, out = sys.argv[1:]
    (Path(out) / "choosing.svg").write_text(drawn(sotto), encoding="utf-8")


if __name__ == "__main__":
    main()
