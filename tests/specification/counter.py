# SPDX-License-Identifier: Apache-2.0
"""A counter's open rows: the section Rows of docs/STREAMS.md, and that of sdk/proto/DRAWS.md."""
from collections.abc import Iterator
from typing import Any, NamedTuple

from mechanisms import ModularNoise, clamp

WORD = 2**32


class Place(NamedTuple):
    """Where a row stands in an epoch."""

    age: int  # epochs since it opened
    left: int  # epochs that it stays open afterwards
    weight: int  # a unit adds this
    sign: int  # a running total takes it so often


def closing_row(kind: dict[str, Any], row: int, epoch: int) -> Place:
    span = kind["rows"] * kind["step"]
    age = (epoch - row * kind["step"]) % span
    left = span - 1 - age
    return Place(age, left, kind["weights"][left] if kind["weights"] else 1, 0)


def balanced_row(kind: dict[str, Any], row: int, epoch: int) -> Place | None:
    """Nodes before their parent's middle are added, from their own middle to the parent's; the others subtracted,
    from the parent's middle to their own. The middle node is neither."""
    step, half = kind["step"], (kind["step"] - 1) // 2
    middle = kind["rows"] * step + half
    phase = epoch % (2 * middle + 1)
    is_added = phase < middle
    start = (row if is_added else 2 * kind["rows"] - row) * step
    opens, closes = (start, middle) if is_added else (middle, start + half)
    if not opens <= phase < closes:
        return None
    sign = int(phase >= start + half) if is_added else -1
    return Place(phase - opens, closes - 1 - phase, int(start <= phase < start + step), sign)


class NoisedSum(ModularNoise):
    shows = "rows"

    def rows(self) -> Iterator[tuple[int, dict[str, Any], int]]:
        """All rows that may be open at once: class, the class's table, number in the class."""
        for number, kind in enumerate(self.table["classes"]):
            for row in range(kind["rows"]):
                yield number, kind, row

    def is_running(self) -> bool:
        return self.metric["strategy"] in ("balanced", "pan_private")

    def places(self, epoch: int) -> list[Place | None]:
        if self.metric["strategy"] == "balanced":
            return [balanced_row(kind, row, epoch % self.table["block"]) for _, kind, row in self.rows()]
        places = [closing_row(kind, row, epoch) for _, kind, row in self.rows()]
        if self.is_running():
            classes = [number for number, _, _ in self.rows()]
            places = [place._replace(weight=int(number == 0), sign=1) for number, place in zip(classes, places)]
        return places


class OpenRows:
    """`turn` to a new epoch gives what closes: rows, or one running total."""

    def __init__(self, mechanism: NoisedSum):
        self.mechanism = mechanism
        self.epoch = -2
        self.sums: list[int | None] = [None for _ in mechanism.rows()]  # None: not open

    def count(self, amount: int) -> bool:
        """Adds an event. False: nothing is open."""
        units = clamp(amount, 0, self.mechanism.table["event"])
        for row, place in enumerate(self.mechanism.places(self.epoch)):
            if self.sums[row] is not None and place is not None:
                self.sums[row] = (self.sums[row] + place.weight * units) % WORD
        return any(total is not None for total in self.sums)

    def abandon(self) -> None:
        self.sums = [None] * len(self.sums)

    def closing(self) -> list[int]:
        pairs = [(total, place) for total, place in zip(self.sums, self.mechanism.places(self.epoch))
                 if total is not None]
        if self.mechanism.is_running():
            return [sum(place.sign * total for total, place in pairs) % WORD] if pairs else []
        return [total for total, place in pairs if place.left == 0]

    def may_go_on(self, now: int) -> bool:
        """May rows be open in this epoch? A running total that missed one waits for its block."""
        begins = not self.mechanism.is_running() or now % self.mechanism.table["block"] == 0
        return begins or now - self.epoch == 1 and any(total is not None for total in self.sums)

    def opening(self, now: int) -> list[int]:
        return [row for row, place in enumerate(self.mechanism.places(now)) if place is not None and place.age == 0]

    def turn(self, now: int, noise: dict[int, int] | None) -> None:
        """`noise`: of the rows that open; None: the epoch is not counted."""
        places, before = self.mechanism.places(now), self.sums
        self.abandon()
        for row, place in enumerate(places):
            if noise is not None and place is not None:
                goes_on = place.age > 0 and now - self.epoch == 1
                self.sums[row] = noise[row] if place.age == 0 else before[row] if goes_on else None
        self.epoch = now
