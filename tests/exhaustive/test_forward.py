# SPDX-License-Identifier: Apache-2.0
"""Levels above the ladder, drawn from the last value and the true one: the joint loss."""
import itertools
import sys
import unittest
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from compiled import Certified, Kernel, bit_kernels, draw, forward, index_of, int_or_same, joint_law
from compiled import lattice_decisions, marginal, metrics, power, scalar_kernels, signed, worst_ratio
from law import Law, channel_lane, geometric, law_of, threshold, uniform


class Forward(Certified):
    def check(self, name: str, kernels: list[Kernel], steps: list[Callable[[Any, Any], Law]], values: list) -> None:
        metric = metrics[index_of[name]]
        laws = [joint_law(kernels, value) for value in values]
        for step, stated in zip(steps, metric["forward"]):
            for i, value in enumerate(values):
                longer: Law = defaultdict(Fraction)
                for path, weight in laws[i].items():
                    for word, chance in step(path[-1], value).items():
                        longer[(*path, word)] += weight * chance
                laws[i] = dict(longer)
                assert sum(longer.values()) == 1
            with self.subTest(metric=name, nominal=stated["nominal"]):
                whole = worst_ratio(laws)
                self.assertLessEqual(whole, power(stated["joint"])[0])
                self.assertGreater(whole, power(stated["joint"])[1] * (1 - Fraction(1, 10**5)))
                self.assertLessEqual(Fraction(stated["joint"]), Fraction(stated["nominal"]))
                last = [marginal(law, (len(next(iter(law))) - 1,), int_or_same) for law in laws]
                alone = worst_ratio(last)
                self.assertLessEqual(alone, power(stated["realised"])[0])

    def test_bits(self) -> None:
        index = index_of["flag"]
        metric = metrics[index]
        kernels = scalar_kernels("flag", lambda level: [threshold(metric["table"]["flip"][level])])
        self.check("flag", kernels, [self.bit_step(index, s, entry) for s, entry in enumerate(metric["forward"])], [0, 1])

    def bit_step(self, index: int, step: int, entry: dict) -> Callable[[int, int], Law]:
        given = entry["table"]["given"]
        most = max(int(channel["bits"]) for channel in given)
        one = {}
        for value in (0, 1):
            bits = int(given[value]["bits"])

            def run(word: int, random: bytes, value: int = value) -> int:
                padded = random + b"\0" * (4 * most - len(random))
                return forward(index, step, word & 1, value, padded)

            one[value] = channel_lane_zero(given[value], run, bits)
        return lambda last, value: {
            w: p for w, p in ((1, one[value][last]), (0, 1 - one[value][last])) if p > 0
        }

    def test_unary(self) -> None:
        index = index_of["phase_optimized"]
        metric = metrics[index]
        kernels = bit_kernels(
            metric["table"]["channel"], 3, lambda level, word, random: draw(index, level, word, random)
        )
        entry = metric["forward"][0]["table"]["given"]
        most = max(int(channel["bits"]) for channel in entry)
        one = []
        for value in (0, 1):
            def run(word: int, random: bytes, value: int = value) -> int:
                padded = random + b"\0" * (4 * most - len(random))
                return forward(index, 0, word, 0b111 * value, padded)

            one.append(channel_lane(entry[value], 1, run))

        def step(last: int, bits: int) -> Law:
            law: Law = {0: Fraction(1)}
            for lane in range(3):
                p = one[bits >> lane & 1][last >> lane & 1]
                law = {
                    word | bit << lane: weight * (p if bit else 1 - p)
                    for word, weight in law.items()
                    for bit in (0, 1)
                    if (p if bit else 1 - p) > 0
                }
            return law

        self.check("phase_optimized", kernels, [step], [1, 2, 4])

    def test_categories(self) -> None:
        index = index_of["phase"]
        metric = metrics[index]
        table, entry = metric["table"], metric["forward"][0]["table"]
        kernels = scalar_kernels(
            "phase", lambda level: [threshold(table["keep"][level]), uniform(table["size"])]
        )
        # One number decides against three thresholds: all places between them.
        edges = sorted({0, int(entry["to_value"][0]), int(entry["to_value"][1]), int(entry["keep_last"])})
        places = [
            (low.to_bytes(8, "little"), Fraction(high - low, 1 << 64))
            for low, high in zip(edges, [*edges[1:], 1 << 64])
        ]
        step = lambda last, value: law_of(  # noqa: E731
            [places, uniform(3)], lambda random: forward(index, 0, last, value, random)
        )
        self.check("phase", kernels, [step], [0, 1, 2])

    def numbers(self, name: str) -> tuple[list[Kernel], Callable[[Any, Any], Law]]:
        index = index_of[name]
        metric = metrics[index]
        kernels = scalar_kernels(
            name, lattice_decisions(metric["table"]["noise"]), signed_words=True
        )
        entry = metric["forward"][0]["table"]
        head = [threshold(entry["opposite"]), threshold(entry["stay"])]
        middle = geometric(entry["within"]) + geometric(entry["beyond"])
        tail = geometric(entry["tail"])
        ends = (metric["table"]["publish_min"], metric["table"]["publish_max"])

        def step(last: int, value: int) -> Law:
            # A number between the ends is left where it is, whatever the tail's digits.
            extra = tail if last in map(int, ends) else [[digit[0]] for digit in tail]
            extra = [[(choice[0], choice[1] if len(digit) > 1 else Fraction(1)) for choice in digit] for digit in extra]
            return law_of(
                head + middle + extra, lambda random: signed(forward(index, 0, last, value, random))
            )

        return kernels, memo2(step)

    def test_integers(self) -> None:
        for name, digit_bits in (("level_forward", 64), ("level_far", 128)):
            kernels, step = self.numbers(name)
            beyond = metrics[index_of[name]]["forward"][0]["table"]["beyond"]
            self.assertEqual(int(beyond["digit_bits"]), digit_bits)
            self.check(name, kernels, [step], [0, 1, 2])

    def test_vectors(self) -> None:
        """Numbers are independent and alike: the loss of a pair adds up over them."""
        kernels, step = self.numbers("pair")
        stated = metrics[index_of["pair"]]["forward"][0]
        laws: dict[int, Law] = {}
        for value in (-1, 0, 1):
            longer: Law = defaultdict(Fraction)
            for path, weight in joint_law(kernels, value).items():
                for word, chance in step(path[-1], value).items():
                    longer[(*path, word)] += weight * chance
            laws[value] = longer
        ratio = {
            (a, b): max(laws[a][o] / laws[b][o] for o in laws[0])
            for a, b in itertools.product((-1, 0, 1), repeat=2)
        }
        admissible = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]  # clipped to L1 norm 1
        worst = max(
            ratio[a[0], b[0]] * ratio[a[1], b[1]]
            for a, b in itertools.product(admissible, repeat=2)
        )
        self.holds(worst, stated["joint"], slack=Fraction(1, 10**5))
        self.assertLessEqual(Fraction(stated["joint"]), Fraction(stated["nominal"]))


def memo2(step: Callable[[Any, Any], Law]) -> Callable[[Any, Any], Law]:
    known: dict[Any, Law] = {}

    def look_up(last: Any, value: Any) -> Law:
        if (last, value) not in known:
            known[last, value] = step(last, value)
        return known[last, value]

    return look_up


def channel_lane_zero(channel: dict, run: Callable[[int, bytes], int], bits: int) -> tuple[Fraction, Fraction]:
    """Of a one-bit word: lane 0 alone."""
    result = []
    for true_bit, key in ((0, "one_if_zero"), (1, "one_if_one")):
        t = int(channel[key])
        if t > 0:
            assert run(true_bit, lanes_of(min(t, 1 << bits) - 1, bits)) == 1
        if t < 1 << bits:
            assert run(true_bit, lanes_of(t, bits)) == 0
        result.append(Fraction(t, 1 << bits))
    return result[0], result[1]


def lanes_of(value: int, bits: int) -> bytes:
    return b"".join((value >> j & 1).to_bytes(4, "little") for j in range(bits))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
