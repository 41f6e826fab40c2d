# SPDX-License-Identifier: Apache-2.0
"""
The exact law of everything a metric may publish, in the device's own terms
(sdk/include/sotto/registry.h). It comes from the integers of metrics.json alone: nothing of the
compiler is used here.

A word has states: what the device draws one level's word from the next by. `Word.top` is the law of
the highest level's state given the true word, `down` that of a level given the one above it. `up`
is that of a forward level given the one before it and the true word. `shown` is what is published.
"""
import itertools
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

State = Hashable
Dist = dict[Any, Fraction]


def add(law: Dist, key: Any, chance: Fraction) -> None:
    if chance:
        law[key] = law.get(key, Fraction(0)) + chance


@dataclass
class Word:
    levels: int
    forwards: int
    top: Callable[[Any], Dist]
    down: Callable[[int, Any], Dist]
    up: Callable[[int, Any, Any], Dist]
    shown: Callable[[Any], Any] = lambda state: state

    def joint(self, true: Any, published: tuple[int, ...]) -> Dist:
        """The law of what these levels show, given the true word."""
        result: Dist = {}
        lower = tuple(level for level in published if level < self.levels - 1)
        upper = tuple(level for level in published if level >= self.levels)
        for state, chance in self.top(true).items():
            middle = (self.shown(state),) if self.levels - 1 in published else ()
            for below, p in self._below(state, self.levels - 2, lower).items():
                for above, r in self._above(state, 0, upper, true).items():
                    add(result, below + middle + above, chance * p * r)
        return result

    def _below(self, state: Any, level: int, published: tuple[int, ...]) -> Dist:
        if not published or level < published[0]:
            return {(): Fraction(1)}
        result: Dist = {}
        for following, chance in self.down(level, state).items():
            own = (self.shown(following),) if level in published else ()
            for rest, p in self._below(following, level - 1, published).items():
                add(result, rest + own, chance * p)
        return result

    def _above(self, state: Any, step: int, published: tuple[int, ...], true: Any) -> Dist:
        if not published or step > published[-1] - self.levels:
            return {(): Fraction(1)}
        result: Dist = {}
        for following, chance in self.up(step, state, true).items():
            own = (self.shown(following),) if step + self.levels in published else ()
            for rest, p in self._above(following, step + 1, published, true).items():
                add(result, own + rest, chance * p)
        return result


def product_law(laws: Iterable[Dist]) -> Dist:
    """The law of words that are drawn independently."""
    result: Dist = {(): Fraction(1)}
    for law in laws:
        result = {(*key, own): p * q for key, p in result.items() for own, q in law.items()}
    return result


def greatest_ratio(laws: list[Dist]) -> Fraction | None:
    """Over all outcomes and all pairs of values; None if one shows what another can't."""
    outcomes = set().union(*laws)
    scale = max(p.denominator for law in laws for p in law.values())
    greatest = Fraction(1)
    for outcome in outcomes:
        chances = [law.get(outcome, Fraction(0)) for law in laws]
        weights = [p.numerator * (scale // p.denominator) for p in chances]
        if min(weights) == 0:
            return None
        if max(weights) * greatest.denominator > min(weights) * greatest.numerator:
            greatest = Fraction(max(weights), min(weights))
    return greatest


def coin(chance: Fraction) -> Dist:
    return {0: 1 - chance, 1: chance}


def threshold(text: str, bits: int = 64) -> Fraction:
    return Fraction(int(text), 1 << bits)


def channel(table: dict[str, Any], bit: int) -> Fraction:
    """P(one) afterwards."""
    return threshold(table["one_if_one" if bit else "one_if_zero"], table["bits"])


def bits_forward(metric: dict[str, Any]) -> Callable[[int, Any, Any], Dist]:
    def up(step: int, bit: int, true: int) -> Dist:
        return coin(channel(metric["forward"][step]["table"]["given"][true], bit))

    return up


def flips(metric: dict[str, Any]) -> Word:
    flip = [threshold(text) for text in metric["table"]["flip"]]

    def down(level: int, bit: int) -> Dist:
        return coin(1 - flip[level] if bit else flip[level])

    count = len(flip)
    return Word(
        count, len(metric["forward"]), lambda bit: down(count - 1, bit), down, bits_forward(metric)
    )


def category(metric: dict[str, Any]) -> Word:
    table = metric["table"]
    size, whole = table["size"], 1 << 64
    counts = [-(-(v + 1) * whole // size) + (v * whole // -size) for v in range(size)]
    uniform = [Fraction(count, whole) for count in counts]
    assert sum(uniform) == 1

    def down(level: int, value: int) -> Dist:
        keep = threshold(table["keep"][level])
        return {v: (1 - keep) * uniform[v] + (keep if v == value else 0) for v in range(size)}

    def up(step: int, last: int, true: int) -> Dist:
        own = metric["forward"][step]["table"]
        direct = threshold(own["to_value"][last == true])
        kept = Fraction(0) if last == true else threshold(own["keep_last"]) - direct
        law = {v: (1 - direct - kept) * uniform[v] for v in range(size)}
        add(law, true, direct)
        add(law, last, kept)
        return law

    count = len(table["keep"])
    return Word(count, len(metric["forward"]), lambda v: down(count - 1, v), down, up)


def even_parts(parts: int) -> list[Fraction]:
    """The parts of 2^64 numbers that floor(u * parts / 2^64) makes."""
    ends = [-(-v * (1 << 64) // parts) for v in range(parts + 1)]
    return [Fraction(high - low, 1 << 64) for low, high in zip(ends, ends[1:])]


def window(metric: dict[str, Any]) -> Word:
    table = metric["table"]
    width, size = 2 * table["half"] + 1, metric["bins"] + 2 * table["half"]

    def mixed(keep: Fraction, supporting: Dist) -> Dist:
        law = {v: (1 - keep) * share for v, share in enumerate(even_parts(size))}
        for v, share in supporting.items():
            add(law, v, keep * share)
        return law

    def fresh(keep: str, value: int) -> Dist:
        return mixed(threshold(keep), {value + j: p for j, p in enumerate(even_parts(width))})

    def down(level: int, answer: int) -> Dist:
        return mixed(threshold(table["keep"][level]), {answer: Fraction(1)})

    def up(step: int, last: int, true: int) -> Dist:
        own = metric["forward"][step]["table"]
        stays = threshold(own["keep_last"][last in range(true, true + width)])
        law = {v: (1 - stays) * p for v, p in fresh(own["keep"], true).items()}
        add(law, last, stays)
        return law

    count = len(table["keep"])
    return Word(
        count, len(metric["forward"]), lambda v: fresh(table["keep"][-1], v), down, up
    )


def design(metric: dict[str, Any]) -> Word:
    table = metric["table"]
    size, elements = table["answers"], table["design"]
    answers = [[(e - value) % size for e in elements] for value in range(table["size"])]

    def mixed(keep: Fraction, supporting: Dist) -> Dist:
        law = {y: (1 - keep) * share for y, share in enumerate(even_parts(size))}
        for y, share in supporting.items():
            add(law, y, keep * share)
        return law

    def fresh(keep: str, value: int) -> Dist:
        supporting = dict(zip(answers[value], even_parts(len(elements)), strict=True))
        return mixed(threshold(keep), supporting)

    def down(level: int, answer: int) -> Dist:
        return mixed(threshold(table["keep"][level]), {answer: Fraction(1)})

    def up(step: int, last: int, true: int) -> Dist:
        own = metric["forward"][step]["table"]
        stays = threshold(own["keep_last"][last in answers[true]])
        law = {y: (1 - stays) * p for y, p in fresh(own["keep"], true).items()}
        add(law, last, stays)
        return law

    count = len(table["keep"])
    return Word(
        count, len(metric["forward"]), lambda v: fresh(table["keep"][-1], v), down, up
    )


def sampled(metric: dict[str, Any]) -> Word:
    """The true word is a set of members; an answer, the elements that it names."""
    table = metric["table"]
    size, most, named = table["size"], table["max_members"], table["named"]
    pairs = itertools.combinations(range(size + most), named)
    answers = sorted(pairs, key=lambda elements: elements[::-1])

    def mixed(keep: str, supporting: Dist) -> Dist:
        kept = threshold(keep)
        law = {y: (1 - kept) * p for y, p in zip(answers, even_parts(len(answers)), strict=True)}
        for y, p in supporting.items():
            add(law, y, kept * p)
        return law

    def top(members: frozenset[int]) -> Dist:
        padded = [*sorted(members), *range(size + len(members), size + most)]
        own = sorted(itertools.combinations(range(most), named), key=lambda places: places[::-1])
        law: Dist = {}
        for places, p in zip(own, even_parts(len(own)), strict=True):
            add(law, tuple(padded[i] for i in places), p)
        return mixed(table["keep"][-1], law)

    def down(level: int, answer: tuple[int, ...]) -> Dist:
        return mixed(table["keep"][level], {answer: Fraction(1)})

    return Word(len(table["keep"]), 0, top, down, lambda *_: {})


def hashed(metric: dict[str, Any]) -> Word:
    """A state is the permanent answer and the report of a level."""
    table, count = metric["table"], len(metric["levels"])

    def mixed(keep: str, value: int) -> Dist:
        kept = threshold(keep)
        law = {v: (1 - kept) * share for v, share in enumerate(even_parts(table["size"]))}
        add(law, value, kept)
        return law

    def down(level: int, state: tuple[int, int]) -> Dist:
        return {(state[0], v): p for v, p in mixed(table["keep"][level], state[1]).items()}

    def top(value: int) -> Dist:
        law: Dist = {}
        for answer, chance in mixed(table["permanent"], value).items():
            for state, p in down(count - 1, (answer, answer)).items():
                add(law, state, chance * p)
        return law

    return Word(count, 0, top, down, lambda *_: {}, lambda state: state[1])


def unary_bit(metric: dict[str, Any]) -> Word:
    channels = metric["table"]["channel"]

    def down(level: int, bit: int) -> Dist:
        return coin(channel(channels[level], bit))

    count = len(channels)
    return Word(
        count, len(metric["forward"]), lambda bit: down(count - 1, bit), down, bits_forward(metric)
    )


def rappor_bit(metric: dict[str, Any]) -> Word:
    """The state is the permanent bit and the report."""
    table = metric["table"]

    def down(level: int, state: tuple[int, int]) -> Dist:
        law: Dist = {}
        for z, chance in coin(channel(table["permanent"][level], state[0])).items():
            origin = state[1] if table["chained"] >> level & 1 else z
            for report, p in coin(channel(table["instantaneous"][level], origin)).items():
                add(law, (z, report), chance * p)
        return law

    def up(step: int, state: tuple[int, int], true: int) -> Dist:
        z, report = state
        law = coin(channel(metric["forward"][step]["table"]["given"][z], report))
        return {(z, following): chance for following, chance in law.items()}

    count, forwards = len(table["permanent"]), len(metric["forward"])
    return Word(
        count, forwards, lambda bit: down(count - 1, (bit, bit)), down, up, lambda s: s[1]
    )


def geometric(table: dict[str, Any]) -> list[Fraction]:
    """P(0), P(1), ... and, last, of the overflow, if there is a flag for it."""
    weights = _weights(table)
    whole = sum(weights)
    return [Fraction(weight, whole) for weight in weights]


def laplace(
    table: dict[str, Any], forward: list[dict[str, Any]], edge: int | None = None, moved: bool = True
) -> Word:
    """moved: a number at an end is moved outward before it is noised again, as the device does."""
    low, high = table["publish_min"], table["publish_max"]
    sizes = [geometric(noise) for noise in table["noise"]]
    at_least = [list(itertools.accumulate(reversed(law)))[::-1] + [0] for law in sizes]

    def further(level: int, distance: int) -> Fraction:
        """P(W >= distance), distance >= 1."""
        law = at_least[level]
        nonzero = threshold(table["noise"][level]["nonzero"])
        return nonzero / 2 * law[min(distance - 1, len(law) - 1)]

    def added(level: int, origin: int) -> Dist:
        """clamp(origin + W)."""
        nonzero = threshold(table["noise"][level]["nonzero"])
        law: Dist = {}
        for y in range(low + 1, high):
            size = abs(y - origin) - 1
            if size < 0:
                add(law, y, 1 - nonzero)
            elif size < len(sizes[level]):
                add(law, y, nonzero / 2 * sizes[level][size])
        # Towards its own end a number stays there whatever is added but the far part.
        if origin < high:
            add(law, high, further(level, high - origin))
        if origin > low:
            add(law, low, further(level, origin - low))
        if origin >= high:
            add(law, high, 1 - sum(law.values()))
        if origin <= low:
            add(law, low, 1 - sum(law.values()))
        return law

    @cache
    def down(level: int, above: int) -> Dist:
        if low < above < high or not moved:
            return added(level, above)
        law: Dist = {}
        for tail, p in enumerate(sizes[level + 1]):
            origin = above + tail if above == high else above - tail
            for y, chance in added(level, origin).items():
                add(law, y, p * chance)
        return law

    @cache
    def up(step: int, last: int, true: int) -> Dist:
        law: Dist = {}
        own = forward[step]["table"]
        tails = geometric(own["tail"]) if last in (low, high) else [Fraction(1)]
        for tail, p in enumerate(tails):
            x = last - true + (tail if last == high else -tail if last == low else 0)
            for y, chance in relaxed(own, x, low - true, high - true).items():
                add(law, true + y, p * chance)
        return law

    count = len(table["noise"])
    return Word(
        count, len(forward), lambda u: added(count - 1, u), down, up,
        (lambda y: y) if edge is None else (lambda y: int(y >= edge)),
    )  # fmt: skip


def relaxed(table: dict[str, Any], x: int, low: int, high: int) -> Dist:
    """The next noise given the last, clamped. In integers over one denominator: there are many."""
    size, sign = abs(x), -1 if x < 0 else 1
    within, beyond = _weights(table["within"]), _weights(table["beyond"])
    opposite, stay = int(table["opposite"]), int(table["stay"])
    unit, all_within, all_beyond = 1 << 64, sum(within), sum(beyond)
    assert size < len(within) - 1, "a number may be larger than the digits of `within` tell"
    weights: dict[int, int] = {}

    def give(y: int, weight: int) -> None:
        y = min(max(y, low), high)
        weights[y] = weights.get(y, 0) + weight

    rest = (unit - opposite) * sum(within[size + 1 :])
    for h, weight in enumerate(beyond):
        give(-sign * (1 + h), opposite * unit * all_within * weight)
        give(sign * (size + 1 + h), rest * (unit - stay) * weight)
    for g in range(size + 1):
        give(sign * g, (unit - opposite) * unit * within[g] * all_beyond)
    give(x, rest * stay * all_beyond)
    whole = unit * unit * all_within * all_beyond
    assert sum(weights.values()) == whole
    return {y: Fraction(weight, whole) for y, weight in weights.items() if weight}


@cache
def _geometric_weights(digit_bits: int, digits: tuple[str, ...], overflow: str | None) -> list[int]:
    law = [1]
    for text in digits:
        digit = int(text)
        law = [p * ((1 << digit_bits) - digit) for p in law] + [p * digit for p in law]
    if overflow is not None:
        over = int(overflow)
        law = [p * ((1 << digit_bits) - over) for p in law]
        law.append(over << (digit_bits * len(digits)))
    return law


def _weights(table: dict[str, Any]) -> list[int]:
    return _geometric_weights(table["digit_bits"], tuple(table["digits"]), table.get("overflow"))


def subsets(count: int) -> list[tuple[int, ...]]:
    return [s for size in range(1, count + 1) for s in itertools.combinations(range(count), size)]
