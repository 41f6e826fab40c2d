# SPDX-License-Identifier: Apache-2.0
"""
Unary encoding: a bit for each category or member, each through one channel of its own noise
(MECHANISMS.md, D, H and I). With gamma = P(1|0), beta = P(1|1), L1 = ln(beta / gamma) and
L0 = ln((1 - gamma) / (1 - beta)), two values lose

    one of d categories:        L1 + L0
    at most m of d members:     m max(L1, L0) + min(m, d - m) min(L1, L0).

`unary` takes beta = 1 - gamma, `optimized_unary` beta = 1/2 (Wang et al. 2017): the least noise on
the many zeros. Either ladder is lossless: level i is drawn from the bits of level i + 1.
"""
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from . import forward_bits
from .channels import Channel, c_channels, chosen, step_down
from .errors import RegistryError, within
from .exact import plain
from .k_randomized_response import size_of
from .levels import Loss, certify, exact_probability, exp_near, is_certified, is_close
from .levels import level_document, loss_of, lossless_pairs
from .limits import BITS_MAX, CATEGORIES_MAX
from .mechanism import Ladder
from .model import Compiled, Metric

SEARCH_BITS = 192


@dataclass(frozen=True)
class Shape:
    """The values: one of `size`, or at most `most` of them."""

    size: int
    most: int
    exactly_one: bool

    def counts(self) -> tuple[int, int]:
        """How often the greater and how often the lesser of L1 and L0 is lost."""
        if self.exactly_one:
            return 1, 1
        return self.most, min(self.most, self.size - self.most)

    def loss(self, if_one: Fraction, if_zero: Fraction) -> Loss:
        """The loss from the ratios whose logarithms are L1 and L0."""
        more, less = self.counts()
        return loss_of((max(if_one, if_zero), more), (min(if_one, if_zero), less))


Aim = Callable[[Fraction, Shape], tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class Level:
    nominal: Fraction
    channel: Channel  # from the bits of the level above, or from the true ones
    law: forward_bits.Law
    loss: Loss


def compile_metric(metric: Metric, aim: Aim) -> Compiled:
    shape = shape_of(metric)
    levels = certified_levels(metric.epsilons, shape, aim)
    documents = [
        level_document(level.nominal, level.loss, probabilities(level.law)) for level in levels
    ]
    channels = [level.channel for level in levels]
    forward = forward_bits.compile_steps(
        metric,
        last=levels[-1].law,
        aim=lambda epsilon: aim(epsilon, shape),
        loss=shape.loss,
        probabilities=probabilities,
    )
    name = metric.name
    table = f"{{{name}_channel, {shape.size}, {shape.most}}}"
    return Compiled(
        levels=documents,
        pairs=lossless_pairs(documents),
        joint=documents[-1]["realised"],
        joint_cost=documents[-1]["cost"],
        random_bytes=max(channel.random_bytes for channel in channels),
        table={
            "channel": [channel.document() for channel in channels],
            "size": shape.size,
            "max_members": shape.most,
        },
        mechanism=metric.mechanism,
        member="unary",
        value_bytes=-(-shape.size // 8),
        c_definitions=f"{c_channels(f'{name}_channel', channels)}\n"
        f"static const sotto_unary {name}_table = {table};",
        value_words=-(-shape.size // 32),
        forward=forward,
    )


def shape_of(metric: Metric) -> Shape:
    if metric.type == "set":
        shape = Shape(len(metric.own["members"]), metric.own["max_members"], False)
    else:
        shape = Shape(size_of(metric), 1, True)
    if shape.size > BITS_MAX:
        key = next(key for key in ("members", "categories", "size") if key in metric.own)
        instead = "" if metric.type == "set" else f"; k_randomized_response takes up to {CATEGORIES_MAX}"
        raise RegistryError(f"{key}: {shape.size} bits; {BITS_MAX} at most are allowed{instead}")
    return shape


def probabilities(law: forward_bits.Law) -> dict[str, dict]:
    return {
        "one_if_zero": exact_probability(law.one_if_zero, law.bits),
        "one_if_one": exact_probability(law.one_if_one, law.bits),
    }


def certified_levels(epsilons: tuple[Fraction, ...], shape: Shape, aim: Aim) -> list[Level]:
    above = forward_bits.Law(Fraction(0), Fraction(1), 0)  # the true bits
    levels: list[Level] = []
    for epsilon in reversed(epsilons):
        wanted = step_down((above.one_if_zero, above.one_if_one), aim(epsilon, shape))
        with within(f"epsilons: {plain(epsilon)}"):
            channel = chosen(
                *wanted, lambda channel: _is_good(epsilon, _level(epsilon, channel, above, shape))
            )
        level = _level(epsilon, channel, above, shape)
        certify(epsilon, level.loss)
        levels.append(level)
        above = level.law
    return levels[::-1]


def _level(epsilon: Fraction, channel: Channel, above: forward_bits.Law, shape: Shape) -> Level:
    gamma, beta = channel.after(above.one_if_zero), channel.after(above.one_if_one)
    loss = shape.loss(beta / gamma, (1 - gamma) / (1 - beta))
    return Level(epsilon, channel, forward_bits.Law(gamma, beta, above.bits + channel.bits), loss)


def _is_good(epsilon: Fraction, level: Level) -> bool:
    return is_certified(epsilon, level.loss) and is_close(epsilon, level.loss)


def symmetric(epsilon: Fraction, shape: Shape) -> tuple[Fraction, Fraction]:
    """L1 = L0, which is lost as often as bits may differ."""
    gamma = 1 / (1 + exp_near(epsilon / sum(shape.counts())))
    return gamma, 1 - gamma


def optimized(epsilon: Fraction, shape: Shape) -> tuple[Fraction, Fraction]:
    """beta = 1/2, and the least gamma that keeps to epsilon. L1 = -ln 2 gamma is the greater."""
    half = Fraction(1, 2)
    more, less = shape.counts()
    if more == less:  # gamma = 1 / (1 + e^pair), epsilon / more the loss of a pair
        return 1 / (1 + exp_near(epsilon / more)), half
    low, high = 0, 1 << (SEARCH_BITS - 1)
    while high - low > 1:
        middle = (low + high) // 2
        gamma = Fraction(middle, 1 << SEARCH_BITS)
        if is_certified(epsilon, shape.loss(half / gamma, 2 * (1 - gamma))):
            high = middle
        else:
            low = middle
    return Fraction(high, 1 << SEARCH_BITS), half



class Unary(Ladder):
    types = ("category", "set")

    def __init__(self, aim: Aim) -> None:
        self.aim = aim

    def compile(self, metric: Metric) -> Compiled:
        return compile_metric(metric, self.aim)


class OptimizedUnary(Unary):
    name = "optimized_unary"


class SymmetricUnary(Unary):
    name = "unary"


OPTIMIZED = OptimizedUnary(optimized)
SYMMETRIC = SymmetricUnary(symmetric)
