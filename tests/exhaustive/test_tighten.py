# SPDX-License-Identifier: Apache-2.0
"""
A released value tightened without the data, over any number of levels. It has exactly the law of
the ladder's lower level, and both together lose what the higher level is certified for.
"""
import itertools
import sys
import unittest
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from compiled import Certified, Kernel, bit_kernels, core, draw, index_of, int_or_same, joint_law
from compiled import lattice_decisions, marginal, metrics, scalar_kernels, signed, tighten
from compiled import worst_ratio
from law import Choice, Law, channel_lane, law_of, threshold, uniform


def ways_down(level_count: int) -> list[tuple[int, int]]:
    """(from, to)"""
    return [(above, below) for above in range(level_count) for below in range(above)]


def outcomes(decisions: list[list[Choice]], run: Callable[[bytes], int]) -> list[Choice]:
    """Some random bytes for each outcome, with the weight of them all."""
    example: dict[int, bytes] = {}

    def remember(random: bytes) -> int:
        word = run(random)
        example.setdefault(word, random)
        return word

    return [(example[word], weight) for word, weight in law_of(decisions, remember).items()]


def tightened(index: int, above: int, below: int, start: int, decisions: Callable[[int], list]) -> Law:
    """The law of one call over all its steps. Random bytes that lead to the same
    word are taken as one in every step but the last."""
    heads: list[Choice] = [(b"", Fraction(1))]
    for level in range(above - 1, below, -1):
        heads = [
            (head + random, weight * step)
            for head, weight in heads
            for word in [tighten(index, above, level + 1, start, head) if head else start]
            for random, step in outcomes(
                decisions(level), lambda r, word=word, level=level: tighten(index, level + 1, level, word, r)
            )
        ]
    law: Law = defaultdict(Fraction)
    for head, weight in heads:
        last = law_of(decisions(below), lambda r: tighten(index, above, below, start, head + r))
        for word, step in last.items():
            law[word] += weight * step
    return law


class Tighten(Certified):
    def compare(self, name: str, kernels: list[Kernel], values: Iterable[Any], down: Callable) -> None:
        """down(from, to, word): the law of the tightened word."""
        levels = metrics[index_of[name]]["levels"]
        laws = [joint_law(kernels, value) for value in values]
        for above, below in ways_down(len(levels)):
            pairs = []
            for law in laws:
                pair: Law = defaultdict(Fraction)
                for (word,), weight in marginal(law, (above,), int_or_same).items():
                    for lower, step in down(above, below, word).items():
                        pair[lower, word] += weight * step
                pairs.append(pair)
            with self.subTest(metric=name, above=above, below=below):
                for law, pair in zip(laws, pairs, strict=True):
                    self.assertEqual(pair, marginal(law, (below, above), int_or_same))
                self.holds(worst_ratio(pairs), levels[above]["realised"])

    def words(self, name: str, values: Iterable[int], decisions: Callable, kind: Callable = int) -> None:
        index = index_of[name]
        kernels = scalar_kernels(name, decisions, signed_words=kind is signed)

        def down(above: int, below: int, word: int) -> Law:
            law = tightened(index, above, below, word, decisions)
            return {kind(lower): weight for lower, weight in law.items()}

        self.compare(name, kernels, values, down)

    def test_bits(self) -> None:
        for name in ("flag", "flag_unit_grid", "temperature"):
            flips = metrics[index_of[name]]["table"]["flip"]
            self.words(name, (0, 1), lambda level: [threshold(flips[level])])

    def test_categories(self) -> None:
        table = metrics[index_of["phase"]]["table"]
        self.words("phase", range(3), lambda level: [threshold(table["keep"][level]), uniform(3)])

    def test_integers(self) -> None:
        noise = metrics[index_of["level"]]["table"]["noise"]
        self.words("level", range(4), lattice_decisions(noise), signed)

    def test_numbers_of_a_vector(self) -> None:
        # Any one of them: they are independent. The loss of all is that of the ladder, enumerated
        # in test_ladder.py; of one that differs by 1 of 2, half of it.
        index = index_of["pair"]
        decisions = lattice_decisions(metrics[index]["table"]["noise"])
        kernels = scalar_kernels("pair", decisions, signed_words=True)
        for value in (-1, 0, 1):
            law = joint_law(kernels, value)
            pair: Law = defaultdict(Fraction)
            for (word,), weight in marginal(law, (1,), int_or_same).items():
                for lower, step in tightened(index, 1, 0, word, decisions).items():
                    pair[signed(lower), word] += weight * step
            self.assertEqual(pair, marginal(law, (0, 1), int_or_same))

    def test_unary(self) -> None:
        """The lanes are independent: each as its channels say, one after the other."""
        for name, size, values in (("phase_optimized", 3, (1, 2, 4)), ("phase_unary", 3, (1, 2, 4))):
            index = index_of[name]
            channels = metrics[index]["table"]["channel"]
            kernels = bit_kernels(channels, size, lambda level, w, r: draw(index, level, w, r))
            steps = bit_kernels(
                channels[:-1], size, lambda level, w, r: tighten(index, level + 1, level, w, r)
            )

            def down(above: int, below: int, word: int) -> Law:
                law: Law = {word: Fraction(1)}
                for level in range(above - 1, below - 1, -1):
                    lower: Law = defaultdict(Fraction)
                    for now, weight in law.items():
                        for following, step in steps[level](now).items():
                            lower[following] += weight * step
                    law = lower
                return law

            self.compare(name, kernels, values, down)
            # Over two levels at once: the same words, from the bytes of both.
            for word, seed in itertools.product(range(1 << size), (0x00, 0x33, 0xA5, 0xFF)):
                first = bytes([seed ^ i % 251 for i in range(core.tightening_bytes(index, 2, 1))])
                second = bytes([seed ^ i % 241 for i in range(core.tightening_bytes(index, 1, 0))])
                middle = tighten(index, 2, 1, word, first)
                self.assertEqual(
                    tighten(index, 2, 0, word, first + second), tighten(index, 1, 0, middle, second)
                )

    def test_rappor(self) -> None:
        """A chained level is drawn from the report above; another one never is."""
        index = index_of["word"]
        table = metrics[index]["table"]
        self.assertEqual(table["chained"], 0b010)
        channel = table["instantaneous"][1]
        lane = channel_lane(channel, 1, lambda w, r: tighten(index, 2, 1, w, r))
        self.assertEqual(lane, channel_lane(channel, 1, lambda w, r: core.instantaneous(index, 1, w, r)))
        for above, below in ((1, 0), (2, 0)):
            self.assertEqual(core.tightening_bytes(index, above, below), 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
