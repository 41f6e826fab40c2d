# SPDX-License-Identifier: Apache-2.0
"""
Mechanisms of two stages: permanent words, which stay with the device, and reports that are drawn from them.
RAPPOR and hashed response, as sdk/proto/DRAWS.md and the section Hashes, keys and streams of WIRE.md have them.
"""
from typing import Any

from draws import Given, mix, through_channel
from mechanisms import Bits, Mechanism, Refused
from streams import be32, bloom_positions, category_digest, string_digest


class TwoStages(Mechanism):
    """`digest_and_words`: what permanent noise goes by, and the true words."""

    def cohorts(self) -> int:
        return self.table.get("cohorts", 1)

    def is_kept(self) -> bool:
        """Is the permanent noise of a value remembered?"""
        return self.table.get("protects") != "sequence"

    def values(self) -> int:
        """How many values are told apart; 0: there is no list of them."""
        return 0

    def has_permanent_steps(self) -> bool:
        """Are permanent bits drawn above the ladder? Otherwise reports are, from those of the top."""
        return False

    def is_chained(self, level: int) -> bool:
        raise NotImplementedError

    def digest_and_words(self, value: Any, cohort: int) -> tuple[bytes, list[int]]:
        raise NotImplementedError

    def report(self, level: int, index: int, word: int, random: Given) -> int:
        raise NotImplementedError


class Rappor(Bits, TwoStages):
    def size(self) -> int:
        return self.table["bits"]

    def values(self) -> int:
        return self.table["max_values"] if self.is_kept() else 0

    def has_permanent_steps(self) -> bool:
        return "instantaneous" in (self.steps or [{}])[0]

    def is_chained(self, level: int) -> bool:
        return bool(self.table["chained"] >> level & 1)

    def digest_and_words(self, value: Any, cohort: int) -> tuple[bytes, list[int]]:
        if self.table["hashes"] == 0:
            if not 0 <= value < self.size():
                raise Refused(f"{self.metric['name']}: {value} is not within 0 to {self.size() - 1}")
            return category_digest(value), self.bits([value])
        digest = string_digest(cohort, value, self.table["max_bytes"])
        return digest, self.bits(bloom_positions(digest, self.table["hashes"], self.size()))

    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        return through_channel(self.table["permanent"][level], word, random) & self.members(index)

    def report(self, level: int, index: int, word: int, random: Given) -> int:
        above = level - self.top_level - 1
        channel = self.table["instantaneous"][level] if above < 0 else self.steps[above]["instantaneous"]
        return through_channel(channel, word, random) & self.members(index)


class Hashed(TwoStages):
    def is_chained(self, level: int) -> bool:
        return level < self.top_level

    def digest_and_words(self, value: Any, cohort: int) -> tuple[bytes, list[int]]:
        if categories := self.table["categories"]:
            if not 0 <= value < categories:
                raise Refused(f"{self.metric['name']}: {value} is not within 0 to {categories - 1}")
            value = be32(value)
        digest = string_digest(cohort, value, self.table["max_bytes"])
        hash_value = bloom_positions(digest, 1, self.size())[0]
        return be32(hash_value) + bytes(28), [hash_value]

    def draw(self, level: int, index: int, word: int, random: Given) -> int:
        return mix(self.table["permanent"], word, self.size(), random) if level == self.top_level else word

    def report(self, level: int, index: int, word: int, random: Given) -> int:
        return mix(self.table["keep"][level], word, self.size(), random)
