# SPDX-License-Identifier: Apache-2.0
"""
Points counted by place (STREAMS.md): rows that are sums of points modulo 2^32, with the noise of
noised_sum.py. Two sets of points are neighbours where `sources` points each moved by at most delta
places; their number is the same. A row of all points therefore costs nothing, and strategies have it.

    identity   a row a bin: a point that moves changes 2 of them
    suffix     a row from each bin to the end: a point that moves by delta changes delta of them
    tree       rows of 1, fanout, fanout^2 ... bins, and of all: 2 change on each level
    haar       rows of 2, 4, 8 ... bins, whose second half counts -1, and of all: 2 on each level
    hybrid     a row from each multiple of `block` to the end, and within blocks a tree: of the
               first ceil(delta / block) change. Weights make those rows louder that need it: 4 within
               blocks, and for the others nearly 4 (4 / (fanout * ceil(delta / block)))^(1/3)

A location's points are two numbers, each of which moves by delta at most. Its rows are the squares of
floor(width / shift) grids, each shifted by `shift` along both numbers: borders of two grids are delta
apart at least. So a move crosses those of one grid a number at most, and changes 4 rows; with one grid
2. A grid more, ceil(width / shift) of them, has borders nearer to each other.

The noise of W units hides rows that change by W together.
"""
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import gcd
from typing import Any

from .c_style import braced
from .errors import RegistryError, within
from .exact import ceil_div
from .fields import Fields
from .laplace import c_noises
from .limits import SUM_ROWS_MAX
from .mechanism import Ladder, Own
from .model import Compiled, Metric
from .modular_laplace import certified
from .noised_sum import level_of

SOURCES_MAX = 1000
GRIDS_MAX = 20  # a location's
STRATEGIES: dict[str, tuple[str, ...]] = {
    "identity": (),
    "suffix": (),
    "tree": ("fanout",),
    "haar": (),
    "hybrid": ("block", "fanout"),
}
WITHIN_BLOCK = 4  # the weight of hybrid rows, before both are divided by what they share


@dataclass(frozen=True)
class PlaceClass:
    """As sotto_place_class of registry.h."""

    rows: int
    lines: int
    step: int
    length: int
    half: int
    shift: int
    weight: int


def along(places: int, step: int, length: int, weight: int = 1, half: int = 0) -> PlaceClass:
    return PlaceClass(ceil_div(places, step), 1, step, length, half or length, 0, weight)


def nested(own: Own, top: int, fanout: int, weight: int = 1) -> list[PlaceClass]:
    """Levels of a tree below `top`, from the bins up."""
    classes, step = [], 1
    while step < top:
        classes.append(along(own["bins"], step, step, weight))
        step *= fanout
    return classes


def grids(own: Own) -> list[PlaceClass]:
    """The first one begins at cell 0; others begin before it, and have a square more where they must."""
    width, classes = own["width"], []
    for grid in range(width // own["shift"]):
        shift = -grid * own["shift"] % width
        lines = ceil_div(own["cells"] + shift, width)
        classes.append(PlaceClass(lines, lines, width, width, width, shift, 1))
    return classes


def classes_of(own: Own) -> list[PlaceClass]:
    if "cells" in own:
        return grids(own)
    bins = own["bins"]
    if own["strategy"] == "suffix":
        return [along(bins, 1, bins)]
    if own["strategy"] == "tree":
        return [*nested(own, bins, own["fanout"]), along(bins, bins, bins)]
    if own["strategy"] == "haar":
        halves = [1 << level for level in range((bins - 1).bit_length())]
        return [*(along(bins, 2 * half, 2 * half, 1, half) for half in halves), along(bins, bins, bins)]
    if own["strategy"] == "hybrid":
        sums, cells = weights_of(own)
        return [*nested(own, own["block"], own["fanout"], cells), along(bins, own["block"], bins, sums)]
    return [along(bins, 1, 1)]


def weights_of(own: Own) -> tuple[int, int]:
    """Running sums, and rows within blocks: near the least mean variance of a range."""
    ratio = own["fanout"] * ceil_div(own["delta"], own["block"])
    sums = max(1, round((4 * WITHIN_BLOCK**3 / ratio) ** (1 / 3)))
    shared = gcd(sums, WITHIN_BLOCK)
    return sums // shared, WITHIN_BLOCK // shared


def sensitivity(own: Own, classes: list[PlaceClass]) -> int:
    """The most that rows change together where one point moves by at most delta; exact."""
    if "cells" in own:
        return 2 * min(2, len(classes))
    return sum(some.weight * changed(own, some) for some in classes)


def changed(own: Own, some: PlaceClass) -> int:
    """Classes change most together: every border of a class is one of the finer classes."""
    if some.length > some.step:
        return min(ceil_div(own["delta"], some.step), some.rows - 1)
    return 2 if some.rows > 1 or some.half < some.length else 0


def row_count(classes: list[PlaceClass]) -> int:
    return sum(some.rows * some.lines for some in classes)


def compile_metric(metric: Metric) -> Compiled:
    own, name = metric.own, metric.name
    classes = classes_of(own)
    units = own["sources"] * sensitivity(own, classes)
    with within("epsilons"):
        noise = certified(metric.epsilons[0] / units)
    level = level_of(metric.epsilons[0], units, noise)
    rows = row_count(classes)
    shape = {"places": own["cells"], "axes": 2} if "cells" in own else {"places": own["bins"], "axes": 1}
    text = f"Level 0, epsilon {level['nominal']} of a source: realised {level['realised']}."
    return Compiled(
        levels=[level],
        pairs=[],
        joint=level["realised"],
        joint_cost=level["cost"],
        random_bytes=noise.random_bytes,
        table={
            "noise": [{"nonzero": str(noise.nonzero), **noise.size.document()}],
            "classes": [asdict(some) for some in classes],
            **shape,
        },
        mechanism=MECHANISM.name,
        member="noised_points",
        c_definitions=f"{c_noises(name, [noise], [text])}\n{c_table(name, classes, shape)}",
        value_words=rows,
        value_bytes=4 * rows,
    )


def c_table(name: str, classes: list[PlaceClass], shape: dict[str, int]) -> str:
    head = f"static const sotto_place_class {name}_classes[{len(classes)}] = {{"
    rows = [f"    {{{', '.join(map(str, asdict(some).values()))}}}," for some in classes]
    values = f"{name}_noise, {name}_classes, {shape['places']}, {len(classes)}, {shape['axes']}"
    table = braced(f"static const sotto_noised_points {name}_table = ", values, ";")
    return "\n".join([head, *rows, "};", table])


class NoisedPoints(Ladder):
    name = "noised_points"
    types = ("histogram", "location")
    keys = ("strategy", "block", "fanout")

    def epsilons(self, fields: Fields) -> tuple[Fraction, ...]:
        epsilons = super().epsilons(fields)
        if len(epsilons) > 1:
            raise RegistryError(
                f"epsilons: {len(epsilons)} levels; sums of points have one, as their noise is drawn"
                " before the points are added"
            )
        return epsilons

    def read(self, fields: Fields, own: Own) -> Own:
        if "cells" in own:
            return read_grids(fields, own)
        strategy = fields.choice("strategy", STRATEGIES, default="identity")
        for other, keys in STRATEGIES.items():
            for key in keys:
                if key in fields and key not in STRATEGIES[strategy]:
                    raise RegistryError(f'{key}: strategy "{strategy}" has none; "{other}" has')
        found: Own = {"strategy": strategy}
        found |= READ[strategy](fields, own) if strategy in READ else {}
        check_rows("bins", own["bins"], row_count(classes_of(own | found)))
        return found

    def read_forward(
        self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own
    ) -> tuple[Any, ...]:
        raise RegistryError("forward: sums of points have no levels above: the points are not kept")

    def shape_words(self, own: Own) -> list[str]:
        keys = ("bins", "cells", "delta", "sources", "block", "fanout", "width", "shift")
        strategy = [own["strategy"]] if "strategy" in own else []
        return [*strategy, *(f"{key} {own[key]}" for key in keys if key in own)]

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric)


def check_rows(key: str, places: int, rows: int) -> None:
    if rows > SUM_ROWS_MAX:
        raise RegistryError(f"{key}: {places} make {rows} rows; {SUM_ROWS_MAX} at most are allowed")


def read_grids(fields: Fields, own: Own) -> Own:
    for key in NoisedPoints.keys:
        if key in fields:
            raise RegistryError(f"{key}: a location has none; its rows are squares")
    count = own["width"] // own["shift"]
    if count > GRIDS_MAX:
        raise RegistryError(
            f"shift: {own['shift']} makes {count} grids of squares of {own['width']};"
            f" {GRIDS_MAX} at most are allowed"
        )
    check_rows("cells", own["cells"], row_count(grids(own)))
    return {}


def read_tree(fields: Fields, own: Own) -> Own:
    return {"fanout": fields.integer("fanout", 2, own["bins"], default=16 if own["bins"] >= 16 else 2)}


def read_hybrid(fields: Fields, own: Own) -> Own:
    block = fields.integer("block", 2, own["bins"] - 1)
    fanout = fields.integer("fanout", 2, block, default=block)
    power = fanout
    while power < block:
        power *= fanout
    if power != block:
        raise RegistryError(f"block: {block} is no power of fanout, {fanout}; {power} is")
    return {"block": block, "fanout": fanout}


READ = {"tree": read_tree, "hybrid": read_hybrid}
MECHANISM = NoisedPoints()
