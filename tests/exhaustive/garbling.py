# SPDX-License-Identifier: Apache-2.0
"""
Is one law a garbling of another: is there a kernel K with law_2 K = law_1? Then what law_1 says can
be drawn from what law_2 says, and both together lose what law_2 loses. Exactly, as a linear
program.
"""
from fractions import Fraction

Law = list[list[Fraction]]  # a row of probabilities for each value


def exponential(scores: list[list[int]], ratio: Fraction) -> Law:
    """P(y | x) proportional to ratio^score, ratio = e^(epsilon / (2 sensitivity))."""
    weights = [[ratio**score for score in row] for row in scores]
    return [[weight / sum(row) for weight in row] for row in weights]


def is_garbling(low: Law, high: Law) -> bool:
    """Is `low` one of `high`? The entries of K, by row, are the unknowns."""
    size = len(high[0])
    rows, right = [], []
    for of_low, of_high in zip(low, high):
        for said in range(size):
            row = [Fraction(0)] * size**2
            row[said::size] = of_high
            rows.append(row)
            right.append(of_low[said])
    for start in range(0, size**2, size):
        rows.append([Fraction(start <= i < start + size) for i in range(size**2)])
        right.append(Fraction(1))
    return is_feasible(rows, right)


def is_feasible(rows: Law, right: list[Fraction]) -> bool:
    """Is there an x >= 0 with rows x = right, all of which are at least 0? The simplex method's
    first phase, with Bland's rule: it always ends."""
    count = len(rows[0])
    table = [row + [value] for row, value in zip(rows, right)]
    basis = list(range(count, count + len(rows)))
    excess = [sum(column) for column in zip(*table)]
    while any(gain > 0 for gain in excess[:-1]):
        enters = next(i for i in range(count) if excess[i] > 0)
        steps = [(row[-1] / row[enters], basis[i], i) for i, row in enumerate(table) if row[enters] > 0]
        leaves = min(steps)[2]
        pivot = [value / table[leaves][enters] for value in table[leaves]]
        table = [pivot if i == leaves else without(row, pivot, enters) for i, row in enumerate(table)]
        excess = without(excess, pivot, enters)
        basis[leaves] = enters
    return excess[-1] == 0


def without(row: list[Fraction], pivot: list[Fraction], enters: int) -> list[Fraction]:
    factor = row[enters]
    return [value - factor * other for value, other in zip(row, pivot)] if factor else row
