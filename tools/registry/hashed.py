# SPDX-License-Identifier: Apache-2.0
"""
Hashed response (MECHANISMS.md, L): local hashing with memory (LOLOHA: Arcolezi, Pinzón, Palamidessi,
Gambs 2023) by MIX (mix.py). A string becomes one of g hash values in its cohort; a category does, as
four bytes. MIX makes a permanent answer of it, kept with probability P, the same for a hash value
whenever it comes again. A second MIX, fresh in every report, makes the top level of that. Each level
below is made of the one above it. Let kappa_i be the product of the second stage's chances down to
level i. One report is then MIX of P kappa_i, and is certified as such. So the best g is that of
optimized local hashing (Wang, Blocki, Li, Jha 2017). With E = e^epsilon of `best_level`, it makes

    (E + g - 1)^2 / (g - 1)

least. Without roundings that is E + 1.

Let n reports of one hash value be at a level, from the same permanent answer. Let u = floor(2^64 / g)
/ 2^64 be the least chance of an answer of any, and X = (1 + kappa_i / ((1 - kappa_i) u))^n. They lose

    e(n) = ln[(P X + (1 - P) M) / (P + (1 - P) M)],    M = u X + 1 - u.

All reports then say the hash value of the chance u. For a report multiplies the chance of the
permanent answer that it says by at most 1 + kappa_i / ((1 - kappa_i) u), beside all others. The ratio
of two hash values rises with the chance of the one and falls with those of all others. Whatever n,
they lose what the permanent answer does: MIX of P.

e is not concave where n is small, unlike RAPPOR's. So C(n), what n reports of a device lose, is the
most over all ways to split n among g hash values: e(n_1) + ... + e(n_g). C(infinity) is g times
e(infinity). C is of two lives whose hash values are equal at the same times. A release that is
published at several levels is a function of its highest.
"""
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any

from .c_style import comment, threshold
from .errors import RegistryError
from .exact import plain
from .fields import EPSILON_MAX, Fields
from .levels import Loss, certify, cost, exact_probability, exp_near, level_document, loss_of
from .levels import lossless_pairs, realised
from .k_randomized_response import size_of as categories_of
from .limits import BITS_MAX, COHORTS_MAX, STRING_BYTES_MAX
from .mechanism import Ladder, Own
from .mix import BITS, ONE, Level, c_keeps, certified_levels, loss_ratio, nominal_kappa, rarest
from .model import COST_UNIT, Compiled, Metric
from .rappor_lifetime import COST_FAR, COST_MAX, NEAR, REPORTS_MAX

COUNTS = (1, 2, 10, 100)
INDEX_BYTES = 4  # a category's, which are hashed
RANDOM_BYTES = 16  # whether to keep, what else
SPLIT_BITS = 96  # below the point of a loss, where splits are compared


def size_of(epsilon: Fraction) -> int:
    """The g that makes (E + g - 1)^2 / (g - 1) least."""
    factor = exp_near(epsilon)
    least = max(2, min(BITS_MAX, floor(factor + 1)))
    sizes = (least, min(BITS_MAX, least + 1))
    return min(sizes, key=lambda size: (factor + size - 1) ** 2 / (size - 1))


class Noise:
    """Both stages, from the integers."""

    def __init__(self, metric: Metric):
        self.size = size_of(metric.epsilons[metric.own["best_level"]])
        self.least = rarest(self.size)
        forever = Fraction(metric.own["permanent_epsilon"])
        self.permanent = floor(nominal_kappa(forever, self.least) * ONE)
        self.kept = Fraction(self.permanent, ONE)
        certify(forever, self.forever())
        self.levels = certified_levels(metric.epsilons, self.least, self.kept)

    def forever(self) -> Loss:
        """Any number of reports of one hash value lose it."""
        return loss_of((loss_ratio(self.kept, self.least), 1))

    def after(self, level: Level, count: int) -> Loss:
        """So many lose it."""
        each = loss_ratio(level.kappa / self.kept, self.least)
        power = each**count
        any_answer = (1 - self.kept) * (self.least * power + 1 - self.least)
        return loss_of(((self.kept * power + any_answer) / (self.kept + any_answer), 1))


def costs(noise: Noise) -> tuple[tuple[int, ...], int]:
    """By level and number of releases, as in sotto_metric; and how many numbers a level has."""
    forever = _times(noise.forever(), noise.size)
    last = cost(forever)
    by_level = [_by_count(noise, level) for level in noise.levels]
    counts = 0
    while counts < REPORTS_MAX - 1 and any(c[counts] < last * NEAR for c in by_level):
        counts += 1
    everything = [c for level in by_level for c in (*level[:counts], last)]
    return tuple(c if c < COST_FAR else COST_MAX for c in everything), counts + 1


def _by_count(noise: Noise, level: Level) -> list[int]:
    """cost(C(n)), n from 1 on. Upper bounds of e(n), so of C(n); none falls, as none of e does."""
    high = [0] + [
        ceil(noise.after(level, n)(SPLIT_BITS + 8)[1] * (1 << SPLIT_BITS))
        for n in range(1, REPORTS_MAX)
    ]
    most = ceil(noise.forever()(SPLIT_BITS + 8)[1] * (1 << SPLIT_BITS)) * noise.size
    totals = [min(total, most) for total in best_splits(high, noise.size)[1:]]
    return [ceil(Fraction(total * COST_UNIT, 1 << SPLIT_BITS)) for total in totals]


def best_splits(losses: Sequence[int], values: int) -> list[int]:
    """By n: the most that losses[n_1] + ... + losses[n_values] can be, the n_i adding up to n."""
    best = [0] * len(losses)
    for _ in range(values):
        more = [max(best[n - k] + losses[k] for k in range(n + 1)) for n in range(len(losses))]
        if more == best:
            break
        best = more
    return best


def _times(loss: Loss, count: int) -> Loss:
    return lambda bits: tuple(count * bound for bound in loss(bits))


def _repeated(noise: Noise, level: Level) -> dict[str, Any]:
    return {
        "n": {str(count): realised(noise.after(level, count)) for count in COUNTS},
        "infinity": realised(noise.forever()),
    }


def compile_metric(metric: Metric) -> Compiled:
    noise, own = Noise(metric), metric.own
    count = len(noise.levels)
    documents = [
        level_document(
            level.nominal,
            level.loss,
            {"keep": exact_probability(level.kappa, BITS * (count - i + 1)),
             "permanent_keep": exact_probability(noise.kept, BITS)},
            **_repeated(noise, level),
        )
        for i, level in enumerate(noise.levels)
    ]
    all_costs, cost_reports = costs(noise)
    shape = {
        "size": noise.size,
        "cohorts": own["cohorts"],
        "max_bytes": own.get("max_bytes", INDEX_BYTES),
        "categories": categories_of(metric) if metric.type == "category" else 0,
    }
    lines = c_keeps(metric.name, noise.levels, documents, "the permanent answer")
    lines += _c_table(metric.name, noise, shape)
    return Compiled(
        levels=documents,
        pairs=lossless_pairs(documents),
        joint=documents[-1]["realised"],
        joint_cost=documents[-1]["cost"],
        random_bytes=RANDOM_BYTES,
        table={"bits": BITS, "keep": [str(level.keep) for level in noise.levels],
               "permanent": str(noise.permanent), **shape},
        mechanism=MECHANISM.name,
        member="hashed",
        c_definitions="\n".join(lines),
        indices=shape["size"],
        cohorts=shape["cohorts"],
        client="kept_hashes",
        has_definition=True,
        ladder=_repeated(noise, noise.levels[-1]),
        costs=all_costs,
        cost_reports=cost_reports,
        kept=realised(noise.forever()),  # the permanent answer, which every report is drawn from
    )


def _c_table(name: str, noise: Noise, shape: dict[str, int]) -> list[str]:
    text = f"The permanent answer: realised {realised(noise.forever())}, however many reports."
    members = {
        "keep": f"{name}_keep",
        "permanent": threshold(noise.permanent),
        **shape,
        "definition": f"{name}_definition",
    }
    lines = [comment(text), f"static const sotto_hashed {name}_table = {{"]
    return [*lines, *(f"    .{member} = {value}," for member, value in members.items()), "};"]


class Hashed(Ladder):
    name = "hashed"
    types = ("string", "category")
    keys = ("permanent_epsilon", "best_level", "cohorts", "max_bytes")

    def read(self, fields: Fields, own: Own) -> Own:
        epsilons = self.epsilons(fields)
        forever = fields.epsilon("permanent_epsilon", EPSILON_MAX)
        if forever <= epsilons[-1]:
            raise RegistryError(
                f"permanent_epsilon: {plain(forever)} is not above {plain(epsilons[-1])}, which the"
                " top level loses by its first report"
            )
        values = {
            "permanent_epsilon": plain(forever),
            "best_level": self.best_level(fields),
            "cohorts": fields.integer("cohorts", 1, COHORTS_MAX),
        }
        if not own:  # strings
            return values | {"max_bytes": fields.integer("max_bytes", 1, STRING_BYTES_MAX, default=64)}
        if "max_bytes" in fields:
            raise RegistryError("max_bytes: only strings have it")
        return values

    def read_forward(self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own) -> tuple[Any, ...]:
        raise RegistryError("forward: not with hashed; put the level into epsilons")

    def check_per_epoch(self, own: Own, per_epoch: int) -> None:
        if per_epoch > 1:
            # An estimate takes the reports of an epoch for independent.
            raise RegistryError(
                f"per_epoch: {per_epoch} reports of a value would share its permanent noise; 1, in"
                " shorter epochs"
            )

    def level_words(self, metric: Metric, document: dict[str, Any]) -> list[str]:
        words = super().level_words(metric, document)
        return [*words, f"{metric.own['permanent_epsilon']} for one hash value"]

    def shape_words(self, own: Own) -> list[str]:
        return [*super().shape_words(own), f"{own['cohorts']} cohorts"]

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


MECHANISM = Hashed()
