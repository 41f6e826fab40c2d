#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Writes shuffled.json, in exact fractions and by brute force:
  clones    delta of the two mixtures P and Q of Feldman, McMillan and Talwar (2021): a sum over
            every outcome of each clone
  reports   delta of mixed k-ary randomized responses, the worst of all values of all devices. No
            bound may be below it.
e^epsilon is a fraction: `local` that of a report, `central` that of the mix.
"""
import json
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path

Law = dict[tuple[int, ...], Fraction]


def mixed(laws: list[list[Fraction]]) -> Law:
    """How many devices say each answer; devices by their laws."""
    law: Law = {(0,) * len(laws[0]): Fraction(1)}
    for answers in laws:
        after: Counter[tuple[int, ...]] = Counter()
        for counts, chance in law.items():
            for i, p in enumerate(answers):
                after[(*counts[:i], counts[i] + 1, *counts[i + 1:])] += chance * p
        law = dict(after)
    return law


def hockey_stick(p: Law, q: Law, factor: Fraction) -> Fraction:
    return sum((max(Fraction(0), chance - factor * q.get(at, Fraction(0))) for at, chance in p.items()),
               Fraction(0))


def clones(local: Fraction, central: Fraction, devices: int) -> Fraction:
    """The first device is either, with odds; each other is the first, the second or none."""
    own = local / (local + 1)
    other = [1 / local / 2, 1 / local / 2, 1 - 1 / local]
    p, q = ([own, 1 - own, Fraction(0)], [1 - own, own, Fraction(0)])
    law = [mixed([first] + [other] * (devices - 1)) for first in (p, q)]
    return hockey_stick(law[0], law[1], central)


def reports(local: Fraction, central: Fraction, devices: int, size: int) -> Fraction:
    def answers(value: int) -> list[Fraction]:
        return [(local if i == value else 1) / (local + size - 1) for i in range(size)]

    worst = Fraction(0)
    for others in combinations_with_replacement(range(size), devices - 1):
        rest = [answers(value) for value in others]
        first, second = (mixed([answers(value), *rest]) for value in (0, 1))
        worst = max(worst, hockey_stick(first, second, central))
    return worst


def main() -> None:
    ratios = [(Fraction(3, 2), Fraction(6, 5)), (Fraction(3), Fraction(2)), (Fraction(3), Fraction(1)),
              (Fraction(8), Fraction(3))]
    rows: dict[str, list[dict[str, object]]] = {"clones": [], "reports": []}
    for (local, central), devices in product(ratios, (1, 2, 3, 7, 20)):
        base = {"local": float(local), "central": float(central), "devices": devices}
        rows["clones"].append(base | {"delta": float(clones(local, central, devices))})
        if devices < 8:
            for size in (2, 3):
                delta = reports(local, central, devices, size)
                rows["reports"].append(base | {"size": size, "delta": float(delta)})
    text = ",\n".join(f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in table) + "\n]"
                      for name, table in rows.items())
    (Path(__file__).parent / "shuffled.json").write_text("{\n" + text + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
