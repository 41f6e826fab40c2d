# SPDX-License-Identifier: Apache-2.0
"""
Sums of events over rows of time, y = Ax + V modulo 2^32: each row begins as its noise. An event of
`event` units at most lies in rows whose weights add up to W. It loses event * W units of what a row
is certified for (modular_laplace.py).

    identity   a row an epoch
    tree       rows of 1, fanout, fanout^2 ... epochs, tree_levels of them: the root is left out, so
               that blocks of fanout^tree_levels epochs begin anew, and an event lies in one block
    weights    a row that ends in each epoch, over the last K. An event of k epochs before its end
               counts floor(2^weight_bits * decay^k), until that is 0

Two strategies publish a running total instead, one number an epoch, since their block began:

    pan_private  a row over the block of 2^tree_levels epochs, and beside it noise of each node of
               the binary tree but its root. The total is the row and the noises of the nodes that
               the epoch lies in (Dwork, Naor, Pitassi, Rothblum 2010). An event is charged for the
               row, and for the nodes that cover the epochs before it: as many as there are levels
    balanced   rows of a tree of odd fanout, without its root. The total is the sum of the rows that
               the epoch's balanced digits name. For a digit below 0 nodes to come are subtracted
               (Andersson, Pagh and others 2025). A block is what the digits reach

plausible_max is the aggregator's: the units that a device counts in an epoch at most. Sums beyond
it are dropped, as one forged report could move a sum by 2^31.
"""
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from .c_style import array, braced
from .errors import RegistryError, within
from .exact import plain
from .fields import Fields
from .geometric import nearest
from .laplace import c_noises, top_nonzero, unit_decimal
from .levels import level_document, loss_of, probability
from .limits import SUM_ROWS_MAX, SUM_SPAN_MAX
from .mechanism import Ladder, Own
from .model import Compiled, Metric
from .modular_laplace import ETA, MODULUS, ModularLaplace, certified, greatest_ratio

PLAUSIBLE_MAX = (1 << 31) - 1  # units
STRATEGIES = {
    "identity": (),
    "tree": ("fanout", "tree_levels"),
    "weights": ("decay", "weight_bits"),
    "pan_private": ("tree_levels",),
    "balanced": ("fanout", "tree_levels"),
}
OF_STRATEGIES = ("fanout", "tree_levels", "decay", "weight_bits")
SHOWS = {"pan_private": 1, "balanced": 2}  # SOTTO_SHOWS_...; else 0
HEAD_WORDS, ROW_WORDS = 4, 4  # as in sdk/src/client/noised_sum_rows.cpp


@dataclass(frozen=True)
class RowClass:
    """Rows that open every `step` epochs and close `rows * step` later; see balanced, too."""

    step: int
    rows: int = 1
    weights: tuple[int, ...] = ()  # by the epochs left; none: 1

    def document(self) -> dict[str, Any]:
        return {"step": self.step, "rows": self.rows, "weights": list(self.weights)}


def classes_of(own: Own) -> list[RowClass]:
    if own["strategy"] == "tree":
        return [RowClass(own["fanout"] ** level) for level in range(own["tree_levels"])]
    if own["strategy"] == "weights":
        weights = weights_of(Fraction(own["decay"]), own["weight_bits"])
        return [RowClass(1, len(weights), weights)]
    if own["strategy"] == "pan_private":
        nodes = [RowClass(1 << level) for level in range(own["tree_levels"])]
        return [RowClass(block_of(own)), *nodes]
    if own["strategy"] == "balanced":
        digit = own["fanout"] // 2  # the greatest
        return [RowClass(own["fanout"] ** level, digit) for level in range(own["tree_levels"])]
    return [RowClass(1)]


def block_of(own: Own) -> int:
    """The epochs after which a running total begins anew; 0: it is none."""
    if own["strategy"] == "pan_private":
        return int(1 << own["tree_levels"])
    if own["strategy"] == "balanced":
        return int(own["fanout"] ** own["tree_levels"] // 2)
    return 0


def weight_of_unit(own: Own, classes: list[RowClass]) -> int:
    """The noise of so many units hides a unit of an event."""
    return sum(sum(row_class.weights) for row_class in classes) or len(classes)


def weights_of(decay: Fraction, bits: int) -> tuple[int, ...]:
    """No recurrence: rounded at each step it would never forget."""
    weights: list[int] = []
    weight = Fraction(1 << bits)
    while weight >= 1:
        weights.append(floor(weight))
        weight *= decay
        if len(weights) > SUM_ROWS_MAX:
            raise RegistryError(
                f"decay: {plain(decay)} takes more than {SUM_ROWS_MAX} epochs to fall below"
                f" 2^-{bits}; a smaller one, or fewer weight_bits, would do"
            )
    return tuple(weights)


def compile_metric(metric: Metric) -> Compiled:
    own, name = metric.own, metric.name
    classes = classes_of(own)
    units = own["event"] * weight_of_unit(own, classes)
    unit = metric.epsilons[0] / units
    with within("epsilons"):
        noise = certified(unit)
    level = level_of(metric.epsilons[0], units, noise)
    text = f"Level 0, epsilon {level['nominal']} of an event: realised {level['realised']}."
    rows, block = sum(row_class.rows for row_class in classes), block_of(own)
    return Compiled(
        levels=[level],
        pairs=[],
        joint=level["realised"],
        joint_cost=level["cost"],
        random_bytes=noise.random_bytes,
        table={
            "noise": [{"nonzero": str(noise.nonzero), **noise.size.document()}],
            "classes": [row_class.document() for row_class in classes],
            "event": own["event"],
        }
        | ({"block": block} if block else {}),
        mechanism=MECHANISM.name,
        member="noised_sum",
        c_definitions=c_definitions(name, own, classes, noise, text),
        value_words=1 if block else len(classes),
        value_bytes=4 if block else 4 * len(classes),
        has_rows=True,
        row_words=HEAD_WORDS + ROW_WORDS * rows,
        client="open_rows",
    )


def level_of(epsilon: Fraction, units: int, noise: ModularLaplace) -> dict[str, Any]:
    ratio = greatest_ratio(noise.nonzero_probability, noise.digit_probabilities, ETA, MODULUS)
    probabilities = {"nonzero": probability(nearest(top_nonzero(noise.size.x), 64), 64)}
    loss = loss_of((ratio, units))
    return level_document(epsilon, loss, probabilities, unit_epsilon=plain(unit_decimal(noise.size.x)))


def c_definitions(
    name: str, own: Own, classes: list[RowClass], noise: ModularLaplace, text: str
) -> str:
    parts = [c_noises(name, [noise], [text])]
    rows = []
    for i, row_class in enumerate(classes):
        weight = "0"
        if row_class.weights:
            weight = f"{name}_weight_{i}"
            head = f"static const uint16_t {weight}[{len(row_class.weights)}]"
            parts.append(array(head, [f"0x{number:04x}u" for number in row_class.weights]))
        rows.append(f"    {{{row_class.step}u, {row_class.rows}, {weight}}},")
    head = f"static const sotto_row_class {name}_classes[{len(classes)}] = {{"
    parts.append("\n".join([head, *rows, "};"]))
    numbers = f"{own['event']}u, {block_of(own)}u, {len(classes)}, {SHOWS.get(own['strategy'], 0)}"
    values = f"{name}_noise, {name}_classes, {numbers}"
    parts.append(braced(f"static const sotto_noised_sum {name}_table = ", values, ";"))
    return "\n".join(parts)


class NoisedSum(Ladder):
    name = "noised_sum"
    types = ("counter",)
    keys = ("strategy", *OF_STRATEGIES, "plausible_max")
    host_keys = ("plausible_max",)

    def epsilons(self, fields: Fields) -> tuple[Fraction, ...]:
        epsilons = super().epsilons(fields)
        if len(epsilons) > 1:
            raise RegistryError(
                f"epsilons: {len(epsilons)} levels; a counter has one, as its noise is drawn before"
                " the events"
            )
        return epsilons

    def read(self, fields: Fields, own: Own) -> Own:
        strategy = fields.choice("strategy", STRATEGIES, default="identity")
        for other, keys in STRATEGIES.items():
            for key in keys:
                if key in fields and key not in STRATEGIES[strategy]:
                    raise RegistryError(f'{key}: strategy "{strategy}" has none; "{other}" has')
        shape = READ[strategy](fields) if strategy in READ else {}
        return {"strategy": strategy} | shape | read_plausible(fields)

    def read_forward(
        self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own
    ) -> tuple[Any, ...]:
        raise RegistryError("forward: a counter has no levels above: its events are not kept")

    def check_per_epoch(self, own: Own, per_epoch: int) -> None:
        if per_epoch != 1:
            raise RegistryError(f"per_epoch: {per_epoch}; a counter is published once an epoch")

    def shape_words(self, own: Own) -> list[str]:
        words = [f"event {own['event']}", own["strategy"]]
        return words + [f"{key} {own[key]}" for key in OF_STRATEGIES if key in own]

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


def read_tree(fields: Fields) -> Own:
    fanout = fields.integer("fanout", 2, SUM_ROWS_MAX, default=16)
    levels = fields.integer("tree_levels", 1, 8, default=2)
    if fanout**levels > SUM_SPAN_MAX:
        raise RegistryError(
            f"tree_levels: {fanout}^{levels} epochs a block; {SUM_SPAN_MAX} at most are allowed"
        )
    return {"fanout": fanout, "tree_levels": levels}


def read_pan_private(fields: Fields) -> Own:
    return {"tree_levels": fields.integer("tree_levels", 1, 20, default=10)}


def read_balanced(fields: Fields) -> Own:
    fanout = fields.integer("fanout", 3, 1023, default=13)
    levels = fields.integer("tree_levels", 1, 8, default=3)
    if fanout % 2 == 0:
        raise RegistryError(f"fanout: {fanout} has no balanced digits; an odd one has")
    if fanout**levels > SUM_SPAN_MAX:
        raise RegistryError(
            f"tree_levels: {fanout}^{levels} epochs a tree; {SUM_SPAN_MAX} at most are allowed"
        )
    return {"fanout": fanout, "tree_levels": levels}


def read_plausible(fields: Fields) -> Own:
    """No default: nothing bounds the events of an epoch."""
    if "plausible_max" not in fields:
        return {}
    return {"plausible_max": fields.integer("plausible_max", 1, PLAUSIBLE_MAX)}


def read_weights(fields: Fields) -> Own:
    decay = fields.probabilities("decay", [fields.value("decay", "a number between 0 and 1")])[0]
    if not 0 < decay < 1:
        raise RegistryError(f"decay: {plain(decay)} is not between 0 and 1")
    bits = fields.integer("weight_bits", 1, 15, default=8)
    weights_of(decay, bits)
    return {"decay": plain(decay), "weight_bits": bits}


READ = {
    "tree": read_tree,
    "weights": read_weights,
    "pan_private": read_pan_private,
    "balanced": read_balanced,
}
MECHANISM = NoisedSum()
