# SPDX-License-Identifier: Apache-2.0
"""Random bytes to numbers: the section Draws of sdk/proto/DRAWS.md."""
from collections.abc import Callable

WORD = 2**32
LANES = 32


class Given:
    """Random bytes that are there already, taken from the front."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        self.at += count
        assert self.at <= len(self.data)
        return self.data[self.at - count:self.at]

    def number(self, count: int) -> int:
        return int.from_bytes(self.take(count), "little")


class Counted(Given):
    """Zeros without an end: how many bytes does a draw take? All draws take as many, whatever they are."""

    def take(self, count: int) -> bytes:
        self.at += count
        return bytes(count)


def bytes_of(draw: Callable[[Given], object]) -> int:
    counted = Counted(b"")
    draw(counted)
    return counted.at


def below(threshold: int, bits: int, random: Given) -> bool:
    return random.number(bits // 8) < threshold


def bernoulli(threshold: str, random: Given) -> bool:
    return below(int(threshold), 64, random)


def uniform(size: int, random: Given) -> int:
    return random.number(8) * size >> 64


def mix(keep: str, answer: int, size: int, random: Given) -> int:
    keeps, other = bernoulli(keep, random), uniform(size, random)
    return answer if keeps else other


def through_channels(channels: list[dict], chosen: list[int], bits: int, random: Given) -> int:
    """Each of 32 bits through the channel that its lane has chosen, all with the same random words."""
    words = [f"{random.number(4):032b}" for _ in range(max(channel["bits"] for channel in channels))]
    out = 0
    for lane in range(LANES):
        channel, is_one = channels[chosen[lane]], bits >> lane & 1
        threshold = int(channel["one_if_one"] if is_one else channel["one_if_zero"])
        u = int("0" + "".join(word[LANES - 1 - lane] for word in reversed(words[:channel["bits"]])), 2)
        out |= (u < threshold) << lane
    return out


def through_channel(channel: dict, bits: int, random: Given) -> int:
    return through_channels([channel], [0] * LANES, bits, random)


def geometric(table: dict, random: Given) -> tuple[int, bool]:
    """Geom(q), and whether it is beyond all digits."""
    size = table["digit_bits"]
    value = sum(below(int(digit), size, random) << j for j, digit in enumerate(table["digits"]))
    overflow = table.get("overflow")
    return value, overflow is not None and below(int(overflow), size, random)


def laplace(noise: dict, random: Given) -> int:
    nonzero = bernoulli(noise["nonzero"], random)
    negative = random.take(4)[0] & 1
    size = 1 + geometric(noise, random)[0]
    return (-size if negative else size) if nonzero else 0


def modular_laplace(noise: dict, random: Given) -> int:
    is_uniform, anything = random.number(8) == 0, random.number(4)
    drawn = laplace(noise, random)
    return (anything if is_uniform else drawn) % WORD
