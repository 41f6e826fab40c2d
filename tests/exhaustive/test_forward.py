# SPDX-License-Identifier: Apache-2.0
"""Levels above the ladder, drawn from the last value and the true one: what any of them lose."""
import itertools
import sys
import unittest
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from compiled import Certified, Kernel, bit_kernels, draw, forward, index_of, int_or_same, joint_law
from compiled import lattice_decisions, marginal, metrics, power, scalar_kernels, signed, support, support_kernels
from compiled import worst_ratio
from law import Law, channel_lane, geometric, law_of, threshold, uniform


class Forward(Certified):
    def check(self, name: str, kernels: list[Kernel], steps: list[Callable[[Any, Any], Law]], values: list) -> None:
        metric = metrics[index_of[name]]
        laws = [joint_law(kernels, value) for value in values]
        for step, stated in zip(steps, metric["forward"], strict=True):
            laws = [longer(law, step, value) for value, law in zip(values, laws, strict=True)]
            with self.subTest(metric=name, nominal=stated["nominal"]):
                whole = worst_ratio(laws)
                self.assertLessEqual(whole, power(stated["joint"])[0])
                self.assertGreater(whole, power(stated["joint"])[1] * (1 - Fraction(1, 10**5)))
                self.assertLessEqual(Fraction(stated["joint"]), Fraction(stated["nominal"]))
                top = len(next(iter(laws[0]))) - 1
                for subset in subsets_below(top):
                    chosen = worst_ratio([marginal(law, (*subset, top), int_or_same) for law in laws])
                    self.assertLessEqual(chosen, power(stated["joint" if subset else "realised"])[0])

    def test_bits(self) -> None:
        for name in ("flag", "flag_unit_grid", "temperature"):
            index = index_of[name]
            metric = metrics[index]
            flips = metric["table"]["flip"]
            kernels = scalar_kernels(name, lambda level, flips=flips: [threshold(flips[level])])
            steps = [self.bit_step(index, s, entry) for s, entry in enumerate(metric["forward"])]
            self.check(name, kernels, steps, [0, 1])

    def test_a_level_drawn_anew_loses_more(self) -> None:
        """The control: the same law of the next value, but from the true one alone."""
        metric = metrics[index_of["flag"]]
        flips = metric["table"]["flip"]
        kernels = scalar_kernels("flag", lambda level: [threshold(flips[level])])
        step = self.bit_step(index_of["flag"], 0, metric["forward"][0])
        laws = [joint_law(kernels, value) for value in (0, 1)]
        top = len(kernels)
        alone = [marginal(longer(law, step, v), (top,), int) for v, law in enumerate(laws)]
        anew = [
            longer(law, lambda last, value: {w: p for (w,), p in alone[value].items()}, v)
            for v, law in enumerate(laws)
        ]
        self.assertGreater(worst_ratio(anew), power(metric["forward"][0]["joint"])[1] * 2)

    def bit_step(self, index: int, step: int, entry: dict) -> Callable[[int, int], Law]:
        given = entry["table"]["given"]
        most = max(int(channel["bits"]) for channel in given)
        law_of_value = {}
        for value in (0, 1):
            bits = int(given[value]["bits"])

            def run(word: int, random: bytes, value: int = value) -> int:
                padded = random + b"\0" * (4 * most - len(random))
                return forward(index, step, word & 1, value, padded)

            law_of_value[value] = channel_lane_zero(given[value], run, bits)
        return lambda last, value: {
            w: p for w, p in ((1, law_of_value[value][last]), (0, 1 - law_of_value[value][last])) if p > 0
        }

    def unary_lanes(self, name: str, size: int) -> list[list[tuple[Fraction, Fraction]]]:
        """By step and true bit: P(one | zero), P(one | one) of the next bit, the same in each lane."""
        index = index_of[name]
        made = []
        for step, entry in enumerate(metrics[index]["forward"]):
            given = entry["table"]["given"]
            most = max(int(channel["bits"]) for channel in given)
            made.append([])
            for value in (0, 1):
                def run(word: int, random: bytes, value: int = value, step: int = step) -> int:
                    padded = random + b"\0" * (4 * most - len(random))
                    return forward(index, step, word, -value, padded)

                lanes = {channel_lane(given[value], lane, run) for lane in range(size)}
                self.assertEqual(len(lanes), 1)
                made[-1].append(lanes.pop())
        return made

    def test_unary(self) -> None:
        for name in ("phase_optimized", "phase_unary"):
            index = index_of[name]
            kernels = bit_kernels(
                metrics[index]["table"]["channel"], 3,
                lambda level, word, random, index=index: draw(index, level, word, random),
            )  # fmt: skip
            steps = [of_lanes(lanes, 3) for lanes in self.unary_lanes(name, 3)]
            self.check(name, kernels, steps, [1, 2, 4])

    def test_sets(self) -> None:
        """Members are independent and alike: what one is in and one is not, adds up over them."""
        for name, size, most in (("faults", 5, 2), ("many_faults", 4, 3)):
            index = index_of[name]
            metric = metrics[index]
            sets = [bits for bits in range(1 << size) if bits.bit_count() <= most]
            differing = {((a & ~b).bit_count(), (b & ~a).bit_count()) for a in sets for b in sets}
            channels = bit_kernels(
                metric["table"]["channel"], 1,
                lambda level, word, random, index=index: draw(index, level, word, random),
            )  # fmt: skip
            laws = [joint_law(channels, bit) for bit in (0, 1)]
            for lanes, stated in zip(self.unary_lanes(name, size), metric["forward"], strict=True):
                step = of_lanes(lanes, 1)
                laws = [longer(law, step, bit) for bit, law in enumerate(laws)]
                top = len(next(iter(laws[0]))) - 1
                for subset in subsets_below(top):
                    some = [marginal(law, (*subset, top), int) for law in laws]
                    in_it = max(some[1][o] / some[0][o] for o in some[0])
                    not_in_it = max(some[0][o] / some[1][o] for o in some[0])
                    worst = max(in_it**more * not_in_it**fewer for more, fewer in differing)
                    with self.subTest(metric=name, nominal=stated["nominal"], below=subset):
                        self.assertLessEqual(worst, power(stated["joint" if subset else "realised"])[0])
                        if len(subset) == top:
                            self.holds(worst, stated["joint"], slack=Fraction(1, 10**5))
                self.assertLessEqual(Fraction(stated["joint"]), Fraction(stated["nominal"]))

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
            for low, high in zip(edges, [*edges[1:], 1 << 64], strict=True)
        ]
        step = lambda last, value: law_of(  # noqa: E731
            [places, uniform(3)], lambda random: forward(index, 0, last, value, random)
        )
        self.check("phase", kernels, [step], [0, 1, 2])

    def test_designs(self) -> None:
        metric = metrics[index_of["phase_design"]]
        self.check_support(metric, metric["table"]["size"])

    def test_windows_of_a_mean(self) -> None:
        metric = metrics[index_of["warmth"]]
        self.check_support(metric, metric["bins"])

    def check_support(self, metric: dict[str, Any], values: int) -> None:
        index = index_of[metric["name"]]

        def step_of(number: int, entry: dict[str, Any]) -> Callable[[int, int], Law]:
            edges = sorted({0, *map(int, entry["keep_last"])})
            places = [
                (low.to_bytes(8, "little"), Fraction(high - low, 1 << 64))
                for low, high in zip(edges, [*edges[1:], 1 << 64], strict=True)
            ]
            fresh = [threshold(entry["keep"]), *map(uniform, support(metric))]
            return memo2(lambda last, value: law_of(
                [places, *fresh], lambda random: forward(index, number, last, value, random)
            ))  # fmt: skip

        steps = [step_of(i, level["table"]) for i, level in enumerate(metric["forward"])]
        self.check(metric["name"], support_kernels(metric), steps, list(range(values)))

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
            laws[value] = longer(joint_law(kernels, value), step, value)
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


def longer(law: Law, step: Callable[[Any, Any], Law], value: Any) -> Law:
    """With the word drawn forward from the last one of the path."""
    result: Law = defaultdict(Fraction)
    for path, weight in law.items():
        for word, chance in step(path[-1], value).items():
            result[(*path, word)] += weight * chance
    assert sum(result.values()) == 1
    return dict(result)


def subsets_below(top: int) -> list[tuple[int, ...]]:
    """Subsets of the levels below, in the ladder and above it: none to all of them."""
    return [s for count in range(top + 1) for s in itertools.combinations(range(top), count)]


def of_lanes(lane_law: list[tuple[Fraction, Fraction]], size: int) -> Callable[[int, int], Law]:
    """The law of a word of bits, each drawn forward by its own last and true bit."""

    def step(last: int, value: int) -> Law:
        law: Law = {0: Fraction(1)}
        for lane in range(size):
            p = lane_law[value >> lane & 1][last >> lane & 1]
            law = {
                word | bit << lane: weight * (p if bit else 1 - p)
                for word, weight in law.items()
                for bit in (0, 1)
                if (p if bit else 1 - p) > 0
            }
        return law

    return memo2(step)


def memo2(step: Callable[[Any, Any], Law]) -> Callable[[Any, Any], Law]:
    known: dict[Any, Law] = {}

    def look_up(last: Any, value: Any) -> Law:
        if (last, value) not in known:
            known[last, value] = step(last, value)
        return known[last, value]

    return look_up


def channel_lane_zero(channel: dict, run: Callable[[int, bytes], int], bits: int) -> tuple[Fraction, Fraction]:
    """Lane 0 alone, for a one-bit word."""
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
