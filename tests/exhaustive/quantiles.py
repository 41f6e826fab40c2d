# SPDX-License-Identifier: Apache-2.0
"""
Exact laws of quantiles. Steps are counted by walking from set to set, a point at a time, apart from
the formula of the core. The core is asked at both ends of the numbers that give each answer.
"""
import ctypes
import itertools
from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

from compiled import core

NUMBERS = 1 << 96
Points = tuple[int, ...]  # bins, rising


def neighbours(points: Points, bins: int, delta: int) -> Iterator[Points]:
    for i, point in enumerate(points):
        for place in range(max(0, point - delta), min(bins, point + delta + 1)):
            yield tuple(sorted((*points[:i], place, *points[i + 1 :])))


def steps_to(answer: int, rank: int, count: int, bins: int, delta: int) -> dict[Points, int]:
    """By set of points: the least steps to one whose quantile is the answer."""
    every = itertools.combinations_with_replacement(range(bins), count)
    edge = [points for points in every if points[rank - 1] == answer]
    known = dict.fromkeys(edge, 0)
    for points in edge:  # grows while it is walked
        for other in neighbours(points, bins, delta):
            if other not in known:
                known[other] = known[points] + 1
                edge.append(other)
    return known


def lengths(metric: dict[str, Any], count: int, delta: int) -> dict[Points, list[int]]:
    """By set of points: the steps to each answer."""
    rank, bins = ceil(Fraction(metric["table"]["rank"], 1000) * count), metric["bins"]
    known = [steps_to(answer, rank, count, bins, delta) for answer in range(bins)]
    return {points: [steps[points] for steps in known] for points in known[0]}


def ends(weights: list[int]) -> list[int]:
    """The first number u of each answer: floor(u total / 2^96) reaches the sum before it."""
    total, sums = sum(weights), itertools.accumulate(weights, initial=0)
    return [ceil(Fraction(before * NUMBERS, total)) for before in sums]


def law(metric: dict[str, Any], steps: list[int]) -> list[Fraction]:
    table = metric["table"]["weights"]
    begins = ends([table[min(step, len(table) - 1)] for step in steps])
    return [Fraction(after - before, NUMBERS) for before, after in zip(begins, begins[1:])]


def worst_step(metric: dict[str, Any], laws: dict[Points, list[Fraction]], delta: int) -> Fraction:
    return max(
        mine / theirs
        for points in laws
        for other in neighbours(points, metric["bins"], delta)
        for mine, theirs in zip(laws[points], laws[other])
    )


def number_in(metric: dict[str, Any], place: int) -> int:
    """The last number of a bin."""
    span = metric["max"] - metric["min"] + 1
    return int(metric["min"] + ceil(Fraction((place + 1) * span, metric["bins"])) - 1)


def drawn(index: int, metric: dict[str, Any], delta: int, points: Points, number: int) -> int:
    """As the core draws it."""
    room = (ctypes.c_uint32 * metric["bins"])()
    values = (ctypes.c_int32 * len(points))(*(number_in(metric, place) for place in points))
    random = number.to_bytes(12, "little")
    core.answer(index, delta, values, ctypes.c_size_t(len(points)), random, room)
    return room[0]


def is_drawn_so(
    index: int, metric: dict[str, Any], delta: int, points: Points, steps: list[int]
) -> bool:
    table = metric["table"]["weights"]
    begins = ends([table[min(step, len(table) - 1)] for step in steps])
    return all(
        drawn(index, metric, delta, points, number) == answer
        for answer, (before, after) in enumerate(zip(begins, begins[1:]))
        for number in (before, after - 1)
    )
