# SPDX-License-Identifier: Apache-2.0
"""
The compiled core and what metrics.json says of it, for the test_*.py beside this file, which are run
as

    test_X.py LIBRARY METRICS.json TOOLS_FOLDER [unittest arguments]

They enumerate every outcome of every mechanism of metrics.toml by running the core. They hold the
exact probability ratios against e^epsilon as certified: a rational upper bound of the ratio against
a rational lower bound of the power.
"""
import ctypes
import itertools
import json
import sys
import unittest
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from law import Choice, Law, channel_lane, geometric, laplace, law_of, parts, threshold, uniform

LIBRARY, DOCUMENT, TOOLS = sys.argv[1:4]
sys.path.insert(0, TOOLS)
from registry.exact import exp_bounds  # noqa: E402

core = ctypes.CDLL(LIBRARY)
core.draw_bytes.restype = ctypes.c_size_t
core.forward_draw_bytes.restype = ctypes.c_size_t
core.tightening_bytes.restype = ctypes.c_size_t
core.decision_count.restype = ctypes.c_size_t
core.published.restype = ctypes.c_uint32
core.instantaneous.restype = ctypes.c_uint32
metrics: list[dict[str, Any]] = json.load(open(DOCUMENT, encoding="utf-8"))["metrics"]
index_of = {metric["name"]: i for i, metric in enumerate(metrics)}

Kernel = Callable[[Any], Law]


def signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def draw(index: int, level: int, start: int, random: bytes) -> int:
    word = ctypes.c_uint32()
    assert len(random) == core.draw_bytes(index, level), (len(random), core.draw_bytes(index, level))
    status = core.draw(index, level, start & 0xFFFFFFFF, random, len(random), ctypes.byref(word))
    assert status == 0, status
    return word.value


def forward(index: int, step: int, last: int, value: int, random: bytes) -> int:
    word = ctypes.c_uint32()
    assert len(random) == core.forward_draw_bytes(index, step)
    status = core.forward(
        index, step, last & 0xFFFFFFFF, value & 0xFFFFFFFF, random, len(random), ctypes.byref(word)
    )
    assert status == 0, status
    return word.value


def tighten(index: int, above: int, below: int, start: int, random: bytes) -> int:
    word = ctypes.c_uint32()
    assert len(random) == core.tightening_bytes(index, above, below)
    status = core.tighten(
        index, above, below, start & 0xFFFFFFFF, random, len(random), ctypes.byref(word)
    )
    assert status == 0, status
    return word.value


def decisions(index: int, level: int) -> list[list[Choice]]:
    """The entry of tests/mechanisms.hpp, for a mechanism of few words; else nothing."""
    asked: list[tuple[int, int, list[int]]] = []
    for place in range(core.decision_count(index, level)):
        told = (ctypes.c_uint64 * 3)()
        core.decide(index, level, ctypes.c_size_t(place), told)
        is_choice, size, number = told
        if size:
            asked.append((is_choice, 8 * size, [number]))
        else:
            asked[-1][2].append(number)
    return [choices(*decision) for decision in asked]


def choices(is_choice: int, bits: int, numbers: list[int]) -> list[Choice]:
    if is_choice:
        return uniform(numbers[0], bits)
    return threshold(str(numbers[0]), bits) if len(numbers) == 1 else parts(numbers, bits)


def memoized(kernel: Kernel) -> Kernel:
    known: dict[Any, Law] = {}

    def look_up(state: Any) -> Law:
        if state not in known:
            known[state] = kernel(state)
        return known[state]

    return look_up


def scalar_kernels(name: str, decisions: Callable[[int], list], signed_words: bool = False) -> list[Kernel]:
    """By level: the law of a one-word mechanism's word given the one above it, or the value."""
    index = index_of[name]

    def at(level: int) -> Kernel:
        def kernel(start: int) -> Law:
            run = lambda random: draw(index, level, start, random)  # noqa: E731
            convert = signed if signed_words else int
            return law_of(decisions(level), lambda random: convert(run(random)))

        return memoized(kernel)

    return [at(level) for level in range(len(metrics[index]["levels"]))]


def support(metric: dict[str, Any]) -> tuple[int, int]:
    """All answers of a design or of windows, and those that support a value."""
    table = metric["table"]
    if "design" in table:
        return table["answers"], len(table["design"])
    return metric["bins"] + 2 * table["half"], 2 * table["half"] + 1


def support_kernels(metric: dict[str, Any]) -> list[Kernel]:
    """The top takes the place among those besides."""
    keep, (answers, width) = metric["table"]["keep"], support(metric)

    def decided(level: int) -> list:
        choices = [threshold(keep[level]), uniform(answers)]
        return [*choices, uniform(width)] if level + 1 == len(keep) else choices

    return scalar_kernels(metric["name"], decided)


def bit_kernels(channels: Iterable[dict], size: int, run: Callable[[int, int, bytes], int]) -> list[Kernel]:
    """By level: the law of `size` bits at once, the lanes being independent."""

    def at(level: int, channel: dict) -> Kernel:
        lanes = [
            channel_lane(channel, lane, lambda word, random: run(level, word, random))
            for lane in range(size)
        ]
        assert len(set(lanes)) == 1

        def kernel(bits: int) -> Law:
            law: Law = {0: Fraction(1)}
            for lane in range(size):
                if_one = lanes[lane][bits >> lane & 1]
                law = {
                    word | bit << lane: weight * (if_one if bit else 1 - if_one)
                    for word, weight in law.items()
                    for bit in (0, 1)
                    if (if_one if bit else 1 - if_one) > 0
                }
            return law

        return memoized(kernel)

    return [at(level, channel) for level, channel in enumerate(channels)]


def joint_law(kernels: list[Kernel], value: Any) -> Law:
    """Over (level 0, ..., top), from the top down."""
    law: Law = {(word,): weight for word, weight in kernels[-1](value).items()}
    for kernel in reversed(kernels[:-1]):
        below: Law = defaultdict(Fraction)
        for path, weight in law.items():
            for word, step in kernel(path[0]).items():
                below[(word, *path)] += weight * step
        law = dict(below)
    assert sum(law.values()) == 1
    return law


def marginal(law: Law, levels: tuple[int, ...], publish: Callable[[Any], Any]) -> Law:
    result: Law = defaultdict(Fraction)
    for path, weight in law.items():
        result[tuple(publish(path[level]) for level in levels)] += weight
    return result


def worst_ratio(laws: list[Law]) -> Fraction:
    """The largest likelihood ratio between any two values; 0 probabilities make it infinite."""
    worst = Fraction(0)
    for outcome in set().union(*laws):
        weights = [law.get(outcome, Fraction(0)) for law in laws]
        if min(weights) == 0:
            raise AssertionError(f"{outcome} tells a value for certain")
        worst = max(worst, max(weights) / min(weights))
    return worst


def power(epsilon: str) -> tuple[Fraction, Fraction]:
    return exp_bounds(Fraction(epsilon), 192)

def int_or_same(word: Any) -> Any:
    return word


def lattice_decisions(noise: list[dict]) -> Callable[[int], list]:
    def decisions(level: int) -> list:
        tail = geometric(noise[level + 1]) if level + 1 < len(noise) else []
        return laplace(noise[level]) + tail

    return decisions


class Certified(unittest.TestCase):
    def holds(self, ratio: Fraction, epsilon: str, slack: Fraction = Fraction(1, 10**6)) -> None:
        low, high = power(epsilon)
        self.assertLessEqual(ratio, low, f"loses more than {epsilon}")
        self.assertGreater(ratio, high * (1 - slack), f"{epsilon} is stated, much less is lost")

    def lossless(self, name: str, kernels: list[Kernel], values: Iterable[Any], tight: bool = True) -> None:
        """Every subset of levels loses what its highest level is certified for."""
        levels = metrics[index_of[name]]["levels"]
        laws = [joint_law(kernels, value) for value in values]
        for count in range(1, len(levels) + 1):
            for subset in itertools.combinations(range(len(levels)), count):
                with self.subTest(metric=name, levels=subset):
                    ratio = worst_ratio([marginal(law, subset, int_or_same) for law in laws])
                    epsilon = levels[subset[-1]]["realised"]
                    if tight:
                        self.holds(ratio, epsilon)
                    self.assertLessEqual(ratio, power(epsilon)[0])
                    self.assertLessEqual(
                        Fraction(epsilon), Fraction(levels[subset[-1]]["nominal"]), "above nominal"
                    )
