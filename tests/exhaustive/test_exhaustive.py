# SPDX-License-Identifier: Apache-2.0
"""
Enumerates every outcome of every mechanism of metrics.toml, at every level and over every subset of
levels, by running the compiled core, and holds the exact probability ratios against e^epsilon as
certified: a rational upper bound of the ratio against a rational lower bound of the power.

    test_exhaustive.py LIBRARY METRICS.json TOOLS_FOLDER [unittest arguments]
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

from law import Law, channel_lane, geometric, laplace, law_of, threshold, uniform

LIBRARY, DOCUMENT, TOOLS = sys.argv[1:4]
sys.path.insert(0, TOOLS)
from registry.exact import exp_bounds  # noqa: E402

core = ctypes.CDLL(LIBRARY)
core.draw_bytes.restype = ctypes.c_size_t
core.forward_draw_bytes.restype = ctypes.c_size_t
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
                one = lanes[lane][bits >> lane & 1]
                law = {
                    word | bit << lane: weight * (one if bit else 1 - one)
                    for word, weight in law.items()
                    for bit in (0, 1)
                    if (one if bit else 1 - one) > 0
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


class Exhaustive(unittest.TestCase):
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

    def test_bits(self) -> None:
        for name in ("flag", "flag_unit_grid", "temperature"):
            table = metrics[index_of[name]]["table"]
            kernels = scalar_kernels(name, lambda level: [threshold(table["flip"][level])])
            self.lossless(name, kernels, (0, 1))

    def test_categories(self) -> None:
        table = metrics[index_of["phase"]]["table"]
        kernels = scalar_kernels(
            "phase", lambda level: [threshold(table["keep"][level]), uniform(table["size"])]
        )
        self.lossless("phase", kernels, range(3))

    def unary(self, name: str, size: int, values: Iterable[int]) -> None:
        index = index_of[name]
        channels = metrics[index]["table"]["channel"]
        kernels = bit_kernels(channels, size, lambda level, word, random: draw(index, level, word, random))
        self.lossless(name, kernels, values)

    def test_unary(self) -> None:
        self.unary("phase_optimized", 3, (1, 2, 4))
        self.unary("phase_unary", 3, (1, 2, 4))

    def test_sets(self) -> None:
        for name, size, most in (("faults", 5, 2), ("many_faults", 4, 3)):
            # Two levels of five bits: the joint law over both has 1,024 outcomes a value.
            values = [bits for bits in range(1 << size) if bits.bit_count() <= most]
            self.unary(name, size, values)

    def test_integers(self) -> None:
        for name in ("level", "level_with_margin"):
            metric = metrics[index_of[name]]
            noise = metric["table"]["noise"]
            kernels = scalar_kernels(name, lattice_decisions(noise), signed_words=True)
            self.lossless(name, kernels, range(metric["min"], metric["max"] + 1))

    def test_vectors(self) -> None:
        # Coordinates are independent and alike: the loss of a pair adds up over them.
        metric = metrics[index_of["pair"]]
        kernels = scalar_kernels("pair", lattice_decisions(metric["table"]["noise"]), signed_words=True)
        one = [joint_law(kernels, value) for value in (-1, 0, 1)]
        admissible = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]
        values = (ctypes.c_uint32 * 2)()
        for x, y in itertools.product((-1, 0, 1), repeat=2):
            values[0], values[1] = x & 0xFFFFFFFF, y & 0xFFFFFFFF
            core.clip(index_of["pair"], values)
            self.assertIn((signed(values[0]), signed(values[1])), admissible, "clipped to L1 norm 1")
        for level, stated in enumerate(metric["levels"]):
            laws = [marginal(law, tuple(range(level + 1)), int) for law in one]
            ratio: dict[tuple[int, int], Fraction] = {}
            for a, b in itertools.product((-1, 0, 1), repeat=2):
                ratio[a, b] = max(laws[a + 1][o] / laws[b + 1][o] for o in laws[0])
            worst = max(
                ratio[a[0], b[0]] * ratio[a[1], b[1]]
                for a, b in itertools.product(admissible, repeat=2)
            )
            self.holds(worst, stated["realised"])

    def test_fine_grid(self) -> None:
        """Not lossless: every level alone is, and the stated joint loss is the exact one."""
        for name in ("flag_fine_grid", "flag_off_the_middle"):
            with self.subTest(metric=name):
                self.fine_grid(name)

    def fine_grid(self, name: str) -> None:
        metric = metrics[index_of[name]]
        index = index_of[name]
        lattice = metric["table"]["lattice"]
        kernels = scalar_kernels(name, lattice_decisions(lattice["noise"]), signed_words=True)
        publish = lambda word: core.published(index, word & 0xFFFFFFFF)  # noqa: E731
        laws = [joint_law(kernels, value) for value in (0, 1)]
        for level, stated in enumerate(metric["levels"]):
            self.holds(worst_ratio([marginal(law, (level,), publish) for law in laws]), stated["realised"])
        both = worst_ratio([marginal(law, (0, 1), publish) for law in laws])
        self.holds(both, metric["joint"])
        self.holds(both, metric["pairs"][0]["joint"])
        # From 1 on the lower end stands for itself, and the bits of two levels are a chain.
        if name == "flag_fine_grid":
            self.assertGreater(both, power(metric["levels"][1]["realised"])[1], "more than the highest")

    def test_rappor(self) -> None:
        for name, size, values in (("word", 8, [0b11, 0b1100]), ("phase_rappor", 3, [1, 2, 4])):
            self.rappor(name, size, values)

    def rappor(self, name: str, size: int, values: list[int]) -> None:
        metric = metrics[index_of[name]]
        index, table = index_of[name], metric["table"]
        count = len(metric["levels"])
        permanent = [
            channel_lane(c, 1, lambda word, r, level=level: draw(index, level, word, r))
            for level, c in enumerate(table["permanent"])
        ]
        instant = [
            channel_lane(c, 1, lambda word, r, level=level: core.instantaneous(index, level, word, r))
            for level, c in enumerate(table["instantaneous"])
        ]
        bit_laws = [reports_of_a_bit(permanent, instant, int(table["chained"]), bit) for bit in (0, 1)]
        differing = self.differing_bits(size, values)
        pairs = {tuple(pair["levels"]): pair["joint"] for pair in metric["pairs"]}
        for chosen in range(1, count + 1):
            for subset in itertools.combinations(range(count), chosen):
                laws = [marginal(law, subset, int) for law in bit_laws]
                one = max(laws[1][o] / laws[0][o] for o in laws[0])
                zero = max(laws[0][o] / laws[1][o] for o in laws[0])
                ratio = (one * zero) ** (differing // 2)
                with self.subTest(metric=name, levels=subset):
                    if len(subset) == 1:
                        self.holds(ratio, metric["levels"][subset[0]]["realised"])
                    elif len(subset) == 2:
                        self.holds(ratio, pairs[subset])
                    if len(subset) == count:
                        self.holds(ratio, metric["joint"])
                    self.assertLessEqual(ratio, power(metric["joint"])[0])
        # Several reports of one permanent bit at one level.
        for level, stated in enumerate(metric["levels"]):
            for n in (1, 2):
                laws = [several_reports(permanent, instant, int(table["chained"]), bit, level, n) for bit in (0, 1)]
                one = max(laws[1][o] / laws[0][o] for o in laws[0])
                zero = max(laws[0][o] / laws[1][o] for o in laws[0])
                self.holds((one * zero) ** (differing // 2), stated["n"][str(n)])

        # Two releases of one value, each published at every level.
        laws = [two_releases(permanent, instant, int(table["chained"]), bit) for bit in (0, 1)]
        one = max(laws[1][o] / laws[0][o] for o in laws[0])
        zero = max(laws[0][o] / laws[1][o] for o in laws[0])
        self.holds((one * zero) ** (differing // 2), metric["ladder"]["n"]["2"])
        self.assertEqual(metric["ladder"]["n"]["1"], metric["joint"])

    def differing_bits(self, size: int, values: list[int]) -> int:
        return max((a ^ b).bit_count() for a in values for b in values)


def int_or_same(word: Any) -> Any:
    return word


def lattice_decisions(noise: list[dict]) -> Callable[[int], list]:
    def decisions(level: int) -> list:
        tail = geometric(noise[level + 1]) if level + 1 < len(noise) else []
        return laplace(noise[level]) + tail

    return decisions


def permanent_chain(permanent: list, bit: int) -> Law:
    """The law of the permanent bits (level 0, ..., top) of one true bit."""
    law: Law = {(): Fraction(1)}
    for level in reversed(range(len(permanent))):
        below: Law = defaultdict(Fraction)
        for path, weight in law.items():
            one = permanent[level][path[0] if path else bit]
            for z in (0, 1):
                if (one if z else 1 - one) > 0:
                    below[(z, *path)] += weight * (one if z else 1 - one)
        law = dict(below)
    return law


def one_release(instant: list, chained: int, z: tuple[int, ...]) -> Law:
    """The law of what one release reports at every level, given its permanent bits."""
    law: Law = {(): Fraction(1)}
    for level in reversed(range(len(instant))):
        below: Law = defaultdict(Fraction)
        for path, weight in law.items():
            start = path[0] if chained >> level & 1 else z[level]
            one = instant[level][start]
            for y in (0, 1):
                if (one if y else 1 - one) > 0:
                    below[(y, *path)] += weight * (one if y else 1 - one)
        law = dict(below)
    return law


def reports_of_a_bit(permanent: list, instant: list, chained: int, bit: int) -> Law:
    law: Law = defaultdict(Fraction)
    for z, weight in permanent_chain(permanent, bit).items():
        for y, step in one_release(instant, chained, z).items():
            law[y] += weight * step
    return dict(law)


def several_reports(permanent: list, instant: list, chained: int, bit: int, level: int, n: int) -> Law:
    law: Law = defaultdict(Fraction)
    for z, weight in permanent_chain(permanent, bit).items():
        report = marginal(one_release(instant, chained, z), (level,), int)
        for combination in itertools.product(report.items(), repeat=n):
            product = weight
            for _, step in combination:
                product *= step
            law[tuple(y for (y,), _ in combination)] += product
    return dict(law)


def two_releases(permanent: list, instant: list, chained: int, bit: int) -> Law:
    law: Law = defaultdict(Fraction)
    for z, weight in permanent_chain(permanent, bit).items():
        release = one_release(instant, chained, z)
        for (a, p), (b, q) in itertools.product(release.items(), repeat=2):
            law[a, b] += weight * p * q
    return dict(law)


class Distance(unittest.TestCase):
    """
    Release by distance (Koufogiannis, Han, Pappas 2015, section 4.2): each recipient gets a level of
    one release. All of them together learn what the nearest may; with noise of their own, the sum.
    """

    def test_colluding_recipients(self) -> None:
        flips = metrics[index_of["flag"]]["table"]["flip"]
        noise = metrics[index_of["level"]]["table"]["noise"]
        for name, kernels, values in (
            ("flag", scalar_kernels("flag", lambda level: [threshold(flips[level])]), (0, 1)),
            ("level", scalar_kernels("level", lattice_decisions(noise), signed_words=True), range(4)),
        ):
            levels = metrics[index_of[name]]["levels"]
            laws = [joint_law(kernels, value) for value in values]
            recipients = range(len(levels))
            together = worst_ratio(laws)
            apart = Fraction(1)
            for level in recipients:
                apart *= worst_ratio([marginal(law, (level,), int_or_same) for law in laws])
            nearest = levels[-1]["nominal"]
            everyone = sum(Fraction(level["nominal"]) for level in levels)
            with self.subTest(metric=name):
                self.assertLessEqual(together, power(nearest)[0])
                self.assertGreater(apart, power(str(float(everyone) * 0.999))[1], "independent noise adds up")
                self.assertGreater(apart, together)


class Forward(unittest.TestCase):
    """Levels above the ladder, drawn from the last value and the true one: the joint loss."""

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

    def test_integers(self) -> None:
        index = index_of["level_forward"]
        metric = metrics[index]
        kernels = scalar_kernels(
            "level_forward", lattice_decisions(metric["table"]["noise"]), signed_words=True
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

        self.check("level_forward", kernels, [memo2(step)], [0, 1, 2])


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


class TheChecksBite(unittest.TestCase):
    """What a wrong mechanism would look like to the checks above."""

    def test_a_flip_below_its_threshold(self) -> None:
        p = Fraction(int(metrics[0]["table"]["flip"][2]), 1 << 64)
        wrong = p - Fraction(1, 1 << 60)
        low, _ = power(metrics[0]["levels"][2]["realised"])
        self.assertLessEqual((1 - p) / p, low)
        self.assertGreater((1 - wrong) / wrong, low)

    def test_levels_drawn_independently(self) -> None:
        flips = [Fraction(level["probabilities"]["flip"]["numerator"]) for level in metrics[0]["levels"]]
        bits = [int(level["probabilities"]["flip"]["denominator_bits"]) for level in metrics[0]["levels"]]
        marginals = [numerator / (1 << b) for numerator, b in zip(flips, bits)]
        laws = []
        for value in (0, 1):
            law: Law = {}
            for path in itertools.product((0, 1), repeat=2):
                weight = Fraction(1)
                for level, bit in enumerate(path):
                    weight *= marginals[level] if bit != value else 1 - marginals[level]
                law[path] = weight
            laws.append(law)
        self.assertGreater(worst_ratio(laws), power(metrics[0]["levels"][1]["realised"])[1])

    def test_an_outcome_that_tells(self) -> None:
        with self.assertRaises(AssertionError):
            worst_ratio([{0: Fraction(1)}, {0: Fraction(1, 2), 1: Fraction(1, 2)}])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
