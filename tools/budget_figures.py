#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Makes the tables and figures of docs/BUDGETS.md from runs of `sotto schedule`. They compare equal
shares with the best, for measurements that are known in advance and for those that come by chance.

    budget_figures.py SOTTO SOTTO_REGISTRY OUT
"""
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

KNOWN = [(delta, p, n) for delta in (4, 7) for p in (0.5, 0.75) for n in (20, 50, 100)]
CHANCES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
TRIALS, SLOTS = 200, 20_000
LEVELS = "1, 2, 3, 4, 5, 6, 7, 8, 10, 12"  # shares of 24, in any 4 epochs
COLOURS = ("#1b6ca8", "#c0392b", "#2e8b57", "#8e6bb0")


def schedule(sotto: str, *options: str) -> dict:
    command = [sotto, "schedule", *options, "--format", "json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def weights(chance: random.Random, slots: int, p: float) -> list[int]:
    return [int(chance.random() < p) for _ in range(slots)]


def offline(sotto: str, at: Path, slots: list[int], delta: int) -> dict:
    path = at / "weights.csv"
    path.write_text("weight\n" + "".join(f"{slot}\n" for slot in slots), encoding="utf-8")
    return schedule(sotto, "--weights", str(path), "--window", str(delta), "--epsilon", "1")


def known_row(sotto: str, at: Path, delta: int, p: float, n: int) -> tuple[float, float, float]:
    """The mean ratio of errors, its standard error, and the ratio of means."""
    chance = random.Random(f"{delta} {p} {n}")
    equal, best = [], []
    while len(best) < TRIALS:
        found = offline(sotto, at, weights(chance, n, p), delta)
        if found["error"] > 0:
            equal.append(found["error_of_equal_shares"])
            best.append(found["error"])
    ratios = [share / other for share, other in zip(equal, best)]
    spread = statistics.stdev(ratios) / len(ratios) ** 0.5
    return statistics.mean(ratios), spread, sum(equal) / sum(best)


def compiled(registry_compiler: str, at: Path) -> Path:
    (at / "metrics.toml").write_text(
        '[registry]\nname = "figures"\nversion = 1\n[[metric]]\nid = 1\nname = "busy"\n'
        f'type = "boolean"\nepsilons = [{LEVELS}]\nwindow_epochs = 4\nwindow_epsilon = 24\n',
        encoding="utf-8")
    command = [sys.executable, registry_compiler, "compile", str(at / "metrics.toml"), "--out", str(at)]
    subprocess.run(command, check=True, capture_output=True)
    return at / "metrics.json"


def chance_row(sotto: str, at: Path, registry: Path, p: float) -> tuple[float, ...]:
    """Mean errors a slot: equal shares, the linear rule, the table, the offline optimum."""
    found = schedule(sotto, "--registry", str(registry), "--metric", "busy", "--probability", str(p))
    best = offline(sotto, at, weights(random.Random(f"{p}"), SLOTS, p), 4)["error"] / SLOTS
    return found["error_of_equal_shares"], found["error_of_linear_rule"], found["error"], best


def svg(title: str, x_name: str, y_name: str, xs: list[float], lines: dict[str, list[float]]) -> str:
    """Lines over xs, from zero up."""
    top = max(max(ys) for ys in lines.values()) * 1.1
    left, bottom, wide, high = 60, 300, 480, 250

    def spot(x: float, y: float) -> tuple[float, float]:
        return left + wide * x / max(xs), bottom - high * y / top

    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 350" font-family="sans-serif"'
             ' font-size="13"><!-- SPDX-License-Identifier: Apache-2.0 -->'
             '<rect width="740" height="350" fill="white"/>',
             f'<text x="{left}" y="30" font-size="15">{title}</text>',
             f'<text x="{left + wide / 2}" y="342" text-anchor="middle">{x_name}</text>',
             f'<text x="{left}" y="46" fill="#555">{y_name}</text>']
    for x in xs:
        parts.append(f'<text x="{spot(x, 0)[0]:.1f}" y="320" text-anchor="middle">{x:g}</text>')
    for i in range(5):
        y = top * i / 4
        parts.append(f'<line x1="{left}" x2="{left + wide}" y1="{spot(0, y)[1]:.1f}"'
                     f' y2="{spot(0, y)[1]:.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{spot(0, y)[1] + 4:.1f}" text-anchor="end">{y:.3g}</text>')
    for i, (name, ys) in enumerate(lines.items()):
        path = " ".join("{:.1f},{:.1f}".format(*spot(x, y)) for x, y in zip(xs, ys))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[i]}" stroke-width="2"/>'
                     f'<text x="{left + wide + 12}" y="{70 + 20 * i}" fill="{COLOURS[i]}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def known(sotto: str, at: Path, out: Path) -> None:
    print("| window | p | slots | mean of e_I / e_O | ratio of means |\n| --- | --- | --- | --- | --- |")
    lines: dict[str, list[float]] = {}
    for delta, p, n in KNOWN:
        mean, spread, of_means = known_row(sotto, at, delta, p, n)
        print(f"| {delta} | {p} | {n} | {mean:.2f} ± {spread:.2f} | {of_means:.2f} |", flush=True)
        lines.setdefault(f"window {delta}, p {p}", []).append(mean)
    xs = sorted({float(n) for _, _, n in KNOWN})
    text = svg("Known measurements: equal shares against the best", "slots", "e_I / e_O", xs, lines)
    (out / "budgets_known.svg").write_text(text, encoding="utf-8")


def by_chance(sotto: str, registry_compiler: str, at: Path, out: Path) -> None:
    registry = compiled(registry_compiler, at)
    print("\n| p | equal shares | linear rule | table | offline |\n| --- | --- | --- | --- | --- |")
    rows = [chance_row(sotto, at, registry, p) for p in CHANCES]
    for p, row in zip(CHANCES, rows):
        print(f"| {p} | " + " | ".join(f"{number:.2f}" for number in row) + " |")
    names = ("equal shares", "linear rule", "table", "offline optimum")
    lines = dict(zip(names, map(list, zip(*rows))))
    text = svg("Measurements by chance, any 4 slots", "p", "error a slot", CHANCES, lines)
    (out / "budgets_by_chance.svg").write_text(text, encoding="utf-8")


def main() -> None:
    sotto, registry_compiler, out = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        known(sotto, Path(folder), Path(out))
        by_chance(sotto, registry_compiler, Path(folder), Path(out))


if __name__ == "__main__":
    main()
