# SPDX-License-Identifier: Apache-2.0
"""
The exponential mechanism over a small public table of scores (Koufogiannis, Han, Pappas 2015,
Proposition 7; MECHANISMS.md, J). P(published y | value x) is proportional to e^(t * score[x][y]).
t is the greatest that loses epsilon; the paper's, epsilon / 2 sensitivity, never loses more.

A level below is drawn from the one above it by the kernel K with P_low = P_high K. P_high is square,
so there is one candidate: its inverse times P_low. Where that has an entry below 0 these scores have
no ladder. Rows are integers out of 2^64, and what they lose is computed from them exactly.
"""
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from operator import mul
from typing import Any

from .c_style import array, comment, threshold
from .errors import RegistryError
from .exact import exp_bounds, plain
from .fields import Fields, is_integer, show
from .levels import Loss, exp_near, is_certified, level_document, loss_of, lossless_pairs
from .levels import probability
from .limits import SCORED_MAX
from .mechanism import Ladder, Own
from .model import Compiled, Metric

BITS = 64
ONE = 1 << BITS
RANDOM_BYTES = 8
SCORE_MAX = 1000
LEAST = 1 << 16  # out of 2^64: what is rarer at the top is no longer known to a part in 65,536
FINE = 1 << 256  # nominal laws, before they are rounded
CLOSE = 1 << 128  # out of FINE: an entry that is not below 0 but for rounding
STEPS = 80  # halvings of the interval that t lies in

Matrix = list[list[int]]
Scores = list[list[int]]


@dataclass(frozen=True)
class Level:
    nominal: Fraction
    rows: list[list[int]]  # by what it is drawn from: P(published <= y) out of 2^64, all but the last
    law: Matrix  # given the value; rows have the same sum, a power of 2^64
    loss: Loss


def read_scores(fields: Fields, size: int) -> Scores:
    what = f"an array of {size} rows, one a category, of {size} integers each"
    rows = fields.array("scores", what)
    if len(rows) != size:
        raise RegistryError(f"scores: {len(rows)} rows; {size} are needed, one a category")
    for row in rows:
        if not isinstance(row, list) or len(row) != size:
            raise RegistryError(f"scores: {show(row)} is not a row of {size} integers")
        for score in row:
            if not is_integer(score, -SCORE_MAX, SCORE_MAX):
                raise RegistryError(
                    f"scores: {show(score)} is not an integer from {-SCORE_MAX} to {SCORE_MAX}"
                )
    return rows


def spread(scores: Scores) -> int:
    """The widest difference of two rows: at most twice the sensitivity."""
    gaps = [[a - b for a, b in zip(x, y)] for x in scores for y in scores]
    return max(max(gap) - min(gap) for gap in gaps)


def fine_law(scores: Scores, t: Fraction) -> Matrix:
    """Out of FINE, all but exactly."""
    deepest = max(max(row) - min(row) for row in scores)
    once = FINE * FINE // int(exp_near(t) * FINE)
    powers = list(accumulate(range(deepest), lambda power, _: power * once // FINE, initial=FINE))
    weights = [[powers[max(row) - score] for score in row] for row in scores]
    return [[weight * FINE // sum(row) for weight in row] for row in weights]


def loses_at_most(law: Matrix, factor: Fraction) -> bool:
    return all(
        max(column) * factor.denominator <= min(column) * factor.numerator for column in zip(*law)
    )


def strength(scores: Scores, epsilon: Fraction) -> Fraction:
    """The t that loses epsilon. All ratios are within e^(t spread), and one beyond half of t."""
    factor = exp_bounds(epsilon, 192)[0]
    low, high = epsilon / spread(scores), 2 * epsilon / spread(scores)
    for _ in range(STEPS):
        middle = (low + high) / 2
        if loses_at_most(fine_law(scores, middle), factor):
            low = middle
        else:
            high = middle
    return low


def inverse(rows: Matrix) -> tuple[Matrix, int] | None:
    """By Gauss and Jordan without fractions (Bareiss 1968): over the second; None: there is none."""
    size, last = len(rows), 1
    table = [row + [int(i == j) for j in range(size)] for i, row in enumerate(rows)]
    for k in range(size):
        place = next((i for i in range(k, size) if table[i][k]), None)
        if place is None:
            return None
        table[k], table[place] = table[place], table[k]
        pivot = table[k]
        for i in range(size):
            if i != k:
                head = table[i][k]
                table[i] = [(pivot[k] * a - head * b) // last for a, b in zip(table[i], pivot)]
        last = pivot[k]
    return [row[size:] for row in table], last


def product(left: Matrix, right: Matrix) -> Matrix:
    columns = list(zip(*right))
    return [[sum(map(mul, row, column)) for column in columns] for row in left]


def step_down(high: tuple[Matrix, int], low: Matrix) -> Matrix:
    """K, out of FINE: the only one that makes the low law of the high one."""
    above, below = high
    return [[FINE * value // below for value in row] for row in product(above, low)]


def cumulated(row: list[int]) -> list[int]:
    """Out of 2^64, rising, and below 2^64 as thresholds are."""
    sums = accumulate(max(0, value) * ONE // FINE for value in row[:-1])
    return [min(total, ONE - 1) for total in sums]


def cells(row: list[int]) -> list[int]:
    ends = [0, *row, ONE]
    return [high - low for low, high in zip(ends, ends[1:])]


def rounded(step: Matrix, above: Level | None, epsilon: Fraction) -> Level:
    rows = [cumulated(row) for row in step]
    drawn = [cells(row) for row in rows]
    law = drawn if above is None else product(above.law, drawn)
    columns = list(zip(*law))
    if min(map(min, columns)) * ONE < LEAST * sum(law[0]):
        raise RegistryError(f"epsilons: {plain(epsilon)} makes a category too rare for {BITS} bits")
    ratio = max(Fraction(max(column), min(column)) for column in columns)
    return Level(epsilon, rows, law, loss_of((ratio, 1)))


def certified(
    scores: Scores, epsilon: Fraction, above: Level | None, high: tuple[Matrix, int] | None
) -> tuple[Level, Matrix]:
    """Rounding may lose a little more than epsilon: t gives way."""
    aim = strength(scores, epsilon)
    for bits in range(BITS, 16, -4):
        law = fine_law(scores, aim - aim / (1 << bits))
        step = step_down(high, law) if high else law
        if above and min(map(min, step)) < -CLOSE:
            raise RegistryError(
                f"epsilons: these scores have no ladder from {plain(above.nominal)} down to"
                f" {plain(epsilon)}: no draw from the one has the law of the other; give one level"
            )
        level = rounded(step, above, epsilon)
        if is_certified(epsilon, level.loss):
            return level, law
    raise RegistryError(f"epsilons: {plain(epsilon)} can't be certified at {BITS} bits")


def compile_levels(metric: Metric) -> list[Level]:
    levels: list[Level] = []
    high = None
    for epsilon in reversed(metric.epsilons):
        above = levels[-1] if levels else None
        level, law = certified(metric.own["scores"], epsilon, above, high)
        high = inverse(law if len(levels) + 1 < len(metric.epsilons) else level.law)
        if high is None:
            raise RegistryError("scores: two rows say the same; then values can't be told apart")
        levels.append(level)
    return levels[::-1]


def kept(law: Matrix, levels: int) -> dict[str, Any]:
    """P(a category is published as it is), of the category that least and most often is."""
    diagonal = [row[i] for i, row in enumerate(law)]
    return {
        "least_kept": probability(min(diagonal), BITS * levels),
        "most_kept": probability(max(diagonal), BITS * levels),
    }


def c_definitions(name: str, size: int, levels: list[Level], documents: list[dict[str, Any]]) -> str:
    flat = [threshold(value) for level in levels for row in level.rows for value in row]
    words = [
        comment(f"Level {i}, epsilon {document['nominal']}: realised {document['realised']}.")
        for i, document in enumerate(documents)
    ]
    return "\n".join(
        [
            *words,
            array(f"static const sotto_threshold {name}_rows[{len(flat)}]", flat),
            f"static const sotto_exponential {name}_table = {{{name}_rows, {size}}};",
        ]
    )


class Exponential(Ladder):
    name = "exponential"
    types = ("category",)
    keys = ("scores",)

    def read(self, fields: Fields, own: Own) -> Own:
        size = own["size"] if "size" in own else len(own["categories"])
        if size > SCORED_MAX:
            raise RegistryError(f"categories: {size} of them; 2 to {SCORED_MAX} can have scores")
        scores = read_scores(fields, size)
        if spread(scores) == 0:
            raise RegistryError("scores: no row differs from another by more than a constant")
        return {"scores": scores}

    def read_forward(self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own) -> tuple:
        raise RegistryError("forward: not with exponential; put the level into epsilons")

    def compile(self, metric: Metric) -> Compiled:
        levels = compile_levels(metric)
        documents = [
            level_document(level.nominal, level.loss, kept(level.law, len(levels) - i))
            for i, level in enumerate(levels)
        ]
        size = len(metric.own["scores"])
        rows = [[[str(value) for value in row] for row in level.rows] for level in levels]
        return Compiled(
            levels=documents,
            pairs=lossless_pairs(documents),
            joint=documents[-1]["realised"],
            joint_cost=documents[-1]["cost"],
            random_bytes=RANDOM_BYTES,
            table={"bits": BITS, "rows": rows, "size": size},
            mechanism=self.name,
            member="exponential",
            indices=size,
            c_definitions=c_definitions(metric.name, size, levels, documents),
        )


MECHANISM = Exponential()
