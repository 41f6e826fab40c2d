# SPDX-License-Identifier: Apache-2.0
"""
Values to noised words, and level to level, of every mechanism: the section Mechanisms of sdk/proto/DRAWS.md.

A value becomes true words; the words of the top level are drawn from them, those of a level below from the level
above it. Words are whole numbers: an index, 32 bits, a number, or a sum modulo 2^32.
"""
from collections.abc import Callable
from typing import Any

from draws import LANES, WORD, Given, bernoulli, geometric, laplace, mix, modular_laplace, through_channel
from draws import through_channels, uniform


class Refused(ValueError):
    """A value that the metric does not have."""


def clamp(x: int, low: int, high: int) -> int:
    return min(max(x, low), high)


def width(values: int) -> int:
    """Bits that tell so many numbers apart, 1 or more."""
    return max(1, (values - 1).bit_length())


class Mechanism:
    shows = "index"  # or bits, numbers, rows
    fresh_rounding = 0  # bytes that words() takes and nobody draws again

    def __init__(self, metric: dict[str, Any]):
        self.metric, self.table = metric, metric["table"]
        self.top_level = len(metric["levels"]) - 1
        self.steps = [level["table"] for level in metric["forward"]]

    def size(self) -> int:
        """Values that an index, or bits, can name."""
        return self.table["size"]

    def words(self, value: Any, rounding: Callable[[int], Given]) -> list[int]:
        return [value]

    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        raise NotImplementedError

    def published(self, word: int) -> int:
        return word

    def forward(self, step: int, index: int, last: int, true: int, random: Given) -> int:
        raise NotImplementedError


class Flipped(Mechanism):
    """A bit that flips: randomized response, and the bit of a mean."""

    def size(self) -> int:
        return 2

    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        return word ^ bernoulli(self.table["flip"][level], random)

    def forward(self, step: int, index: int, last: int, true: int, random: Given) -> int:
        return through_channels(self.steps[step]["given"], [true] * LANES, last, random) & 1


class RandomizedResponse(Flipped):
    def words(self, value: bool, rounding: Callable[[int], Given]) -> list[int]:
        return [int(value)]


class OneBitMean(Flipped):
    def words(self, value: int, rounding: Callable[[int], Given]) -> list[int]:
        x = clamp(value, self.metric["min"], self.metric["max"]) - self.metric["min"]
        return [int(rounding(4).number(4) < x * int(self.table["scale"]))]


class Category(Mechanism):
    def words(self, value: int, rounding: Callable[[int], Given]) -> list[int]:
        if not 0 <= value < self.table["size"]:
            raise Refused(f"{self.metric['name']}: {value} is not within 0 to {self.table['size'] - 1}")
        return [value]


class KRandomizedResponse(Category):
    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        return mix(self.table["keep"][level], word, self.table["size"], random)

    def forward(self, step: int, index: int, last: int, true: int, random: Given) -> int:
        table, u = self.steps[step], random.number(8)
        other = uniform(self.table["size"], random)
        if u < int(table["to_value"][last == true]):
            return true
        return last if last != true and u < int(table["keep_last"]) else other


class Exponential(Category):
    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        u = random.number(8)
        return sum(u >= int(end) for end in self.table["rows"][level][word])


class Design(Category):
    def size(self) -> int:
        return self.table["answers"]

    def fresh(self, keep: str, category: int, random: Given) -> int:
        keeps, other = bernoulli(keep, random), uniform(self.size(), random)
        element = self.table["design"][uniform(len(self.table["design"]), random)]
        return (element - category) % self.size() if keeps else other

    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        keep = self.table["keep"][level]
        return self.fresh(keep, word, random) if level == self.top_level else mix(keep, word, self.size(), random)

    def forward(self, step: int, index: int, last: int, true: int, random: Given) -> int:
        table, u = self.steps[step], random.number(8)
        supports = (last + true) % self.size() in self.table["design"]
        fresh = self.fresh(table["keep"], true, random)
        return last if u < int(table["keep_last"][supports]) else fresh


class WindowResponse(Mechanism):
    def size(self) -> int:
        return self.metric["bins"] + 2 * self.table["half"]

    def words(self, value: int, rounding: Callable[[int], Given]) -> list[int]:
        low, high = self.metric["min"], self.metric["max"]
        return [(clamp(value, low, high) - low) * self.metric["bins"] // (high - low + 1)]

    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        places = 2 * self.table["half"] + 1 if level == self.top_level else 0
        return self.answer(self.table["keep"][level], word, places, random)

    def answer(self, keep: str, word: int, places: int, random: Given) -> int:
        keeps, other = bernoulli(keep, random), uniform(self.size(), random)
        place = uniform(places, random) if places else 0
        return word + place if keeps else other


class WindowMean(WindowResponse):
    def words(self, value: int, rounding: Callable[[int], Given]) -> list[int]:
        low, high = self.metric["min"], self.metric["max"]
        place = (clamp(value, low, high) - low) * int(self.table["scale"])
        bin, beyond = divmod(place * (self.metric["bins"] - 1), WORD)
        return [bin + (rounding(4).number(4) < beyond)]

    def forward(self, step: int, index: int, last: int, true: int, random: Given) -> int:
        table, u = self.steps[step], random.number(8)
        supports = 0 <= last - true <= 2 * self.table["half"]
        fresh = self.answer(table["keep"], true, 2 * self.table["half"] + 1, random)
        return last if u < int(table["keep_last"][supports]) else fresh


class PadAndSample(Mechanism):
    """An answer names an element of the padded set, or a pair of them."""

    fresh_rounding = 8

    def named(self, elements: int) -> list[tuple[int, ...]]:
        """All answers that name elements below this number, in their order."""
        if self.table["named"] == 1:
            return [(b,) for b in range(elements)]
        return [(a, b) for b in range(elements) for a in range(b)]

    def size(self) -> int:
        return len(self.named(self.table["size"] + self.table["max_members"]))

    def words(self, value: Any, rounding: Callable[[int], Given]) -> list[int]:
        size, most = self.table["size"], self.table["max_members"]
        members = list(value)[:most]
        if any(not 0 <= member < size for member in members):
            raise Refused(f"{self.metric['name']}: a member is not within 0 to {size - 1}")
        padded = [member if member not in members[:i] else size + i for i, member in enumerate(members)]
        padded += range(size + len(members), size + most)
        places = self.named(most)
        drawn = places[uniform(len(places), rounding(self.fresh_rounding))]
        elements = tuple(sorted(padded[place] for place in drawn))
        return [self.named(size + most).index(elements)]

    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        return mix(self.table["keep"][level], word, self.size(), random)


class Bits(Mechanism):
    """A bit for each member, in words of 32."""

    shows = "bits"

    def members(self, index: int) -> int:
        return (1 << min(LANES, self.size() - LANES * index)) - 1

    def bits(self, members: list[int]) -> list[int]:
        whole = sum(1 << member for member in set(members))
        return [whole >> LANES * i & WORD - 1 for i in range(self.metric["value_words"])]

    def forward(self, step: int, index: int, last: int, true: int, random: Given) -> int:
        chosen = [true >> lane & 1 for lane in range(LANES)]
        return through_channels(self.steps[step]["given"], chosen, last, random) & self.members(index)


class Unary(Bits):
    def words(self, value: Any, rounding: Callable[[int], Given]) -> list[int]:
        members = list(value)[:self.table["max_members"]] if self.metric["type"] == "set" else [value]
        if any(not 0 <= member < self.size() for member in members):
            raise Refused(f"{self.metric['name']}: a member is not within 0 to {self.size() - 1}")
        return self.bits(members)

    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        return through_channel(self.table["channel"][level], word, random) & self.members(index)


class Lattice(Mechanism):
    """Numbers with discrete Laplace noise, clamped to what is published."""

    lattice: dict[str, Any]

    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        table = self.lattice
        low, high = table["publish_min"], table["publish_max"]
        noise = laplace(table["noise"][level], random)
        if level < self.top_level:
            tail = geometric(table["noise"][level + 1], random)[0]
            word += (tail if word == high else 0) - (tail if word == low else 0)
        return clamp(word + noise, low, high)


class DiscreteLaplace(Lattice):
    shows = "numbers"

    def __init__(self, metric: dict[str, Any]):
        super().__init__(metric)
        self.lattice = self.table

    def words(self, value: Any, rounding: Callable[[int], Given]) -> list[int]:
        low, high = self.table["min"], self.table["max"]
        if self.metric["type"] == "integer":
            return [clamp(value, low, high)]
        if len(value) != self.table["length"]:
            raise Refused(f"{self.metric['name']}: {len(value)} numbers, not {self.table['length']}")
        centre, left, words = (low + high) // 2, self.table["l1_half"], []
        for number in value:
            way = clamp(clamp(number, low, high) - centre, -left, left)
            left -= abs(way)
            words.append(centre + way)
        return words

    def forward(self, step: int, index: int, last: int, true: int, random: Given) -> int:
        table, low, high = self.steps[step], self.table["publish_min"], self.table["publish_max"]
        opposite, stay = bernoulli(table["opposite"], random), bernoulli(table["stay"], random)
        (within, is_more), (beyond, _), (tail, _) = (
            geometric(table[name], random) for name in ("within", "beyond", "tail"))
        noise = last + (tail if last == high else 0) - (tail if last == low else 0) - true
        sign, size = (-1 if noise < 0 else 1), abs(noise)
        if opposite:
            noise = -sign * (1 + beyond)
        elif within <= size and not is_more:
            noise = sign * within
        elif not stay:
            noise = sign * (size + 1 + beyond)
        return clamp(true + noise, low, high)


class LaplaceThreshold(Lattice):
    def __init__(self, metric: dict[str, Any]):
        super().__init__(metric)
        self.lattice = self.table["lattice"]

    def size(self) -> int:
        return 2

    def words(self, value: bool, rounding: Callable[[int], Given]) -> list[int]:
        return [self.table["grid"] if value else 0]

    def published(self, word: int) -> int:
        return int(word >= self.table["threshold"])


class ModularNoise(Mechanism):
    """Sums modulo 2^32, each with noise of its own."""

    shows = "numbers"

    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        return (word + modular_laplace(self.table["noise"][0], random)) % WORD


class SortedPoints(ModularNoise):
    def words(self, value: list[int], rounding: Callable[[int], Given]) -> list[int]:
        if len(value) != self.metric["length"]:
            raise Refused(f"{self.metric['name']}: {len(value)} points, not {self.metric['length']}")
        return sorted(clamp(point, self.metric["min"], self.metric["max"]) for point in value)


class NoisedPoints(ModularNoise):
    def words(self, value: list, rounding: Callable[[int], Given]) -> list[int]:
        axes, last = self.table["axes"], self.table["places"] - 1
        rows = [0] * self.metric["value_words"]
        for point in value:
            at = 0
            x, y = (clamp(n, 0, last) for n in (point if axes == 2 else (point, 0)))
            for kind in self.table["classes"]:
                for line in range(kind["lines"]):
                    across = y + kind["shift"] - line * kind["step"]
                    in_line = axes == 1 or 0 <= across < kind["length"]
                    for row in range(kind["rows"]):
                        along = x + kind["shift"] - row * kind["step"]
                        if in_line and 0 <= along < kind["length"]:
                            rows[at] += kind["weight"] if along < kind["half"] else -kind["weight"]
                        at += 1
        return [row % WORD for row in rows]


class InverseSensitivity(Mechanism):
    """Its one true word is a list: for each bin the moves, by delta bins at most, that make it the quantile's."""

    def size(self) -> int:
        return self.metric["bins"]

    def words(self, value: list[int], rounding: Callable[[int], Given]) -> list[Any]:
        low, high, bins = (self.metric[key] for key in ("min", "max", "bins"))
        delta = self.table["delta"]
        points = sorted((clamp(point, low, high) - low) * bins // (high - low + 1) for point in value)
        rank = -(-len(points) * self.table["rank"] // 1000)  # from 1 on
        return [[sum(-(-(point - bin) // delta) for point in points[:rank] if point > bin)
                 + sum(-(-(bin - point) // delta) for point in points[rank - 1:] if point < bin)
                 for bin in range(bins)]]

    def draw(self, level: int, index: int, word: Any, random: Given) -> int:
        weights = [int(weight) for weight in self.table["weights"]]
        each = [weights[min(moves, len(weights) - 1)] for moves in word or []]
        part = random.number(12) * sum(each) >> 96
        return sum(part >= sum(each[:bin + 1]) for bin in range(len(each)))
