# SPDX-License-Identifier: Apache-2.0
"""All that the compiler asks a mechanism: its keys, its levels, its certificate and its C tables."""
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

from .errors import RegistryError
from .exact import plain
from .fields import Fields
from .model import Compiled, Metric

Own = dict[str, Any]


class Mechanism(ABC):
    """
    One module has one, or two of the same tables, and makes it when it is imported. A mechanism
    without a part that is abstract here can't be made, so that no command starts.
    """

    # Keys that only the aggregator reads: no part of a fingerprint, as no device has them.
    host_keys: tuple[str, ...] = ()
    # A key that asks for it, where it is not its type's default.
    asked_by: str | None = None

    @property
    @abstractmethod
    def name(self) -> str:
        """As `mechanism` in metrics.toml, and SOTTO_MECHANISM_... in lower case."""

    @property
    @abstractmethod
    def types(self) -> tuple[str, ...]:
        """The types that it can be the mechanism of."""

    @property
    @abstractmethod
    def keys(self) -> tuple[str, ...]:
        """Keys of metrics.toml beside those of the type."""

    @property
    @abstractmethod
    def ladder_key(self) -> str:
        """The key that the levels stand under."""

    @abstractmethod
    def read(self, fields: Fields, own: Own) -> Own:
        """The values of its keys, in the order of metrics.json; `own` has those of the type's keys."""

    @abstractmethod
    def epsilons(self, fields: Fields) -> tuple[Fraction, ...]:
        """The ladder; nothing where other keys give it."""

    @abstractmethod
    def level_count(self, epsilons: tuple[Fraction, ...], own: Own) -> int:
        """Levels of the ladder."""

    @abstractmethod
    def read_forward(
        self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own
    ) -> tuple[Any, ...]:
        """Levels above the ladder, once the key is there."""

    @abstractmethod
    def compile(self, metric: Metric) -> Compiled:
        """The tables, and what is certified of them."""

    @abstractmethod
    def level_words(self, metric: Metric, document: dict[str, Any]) -> list[str]:
        """The header's words on the levels."""

    @abstractmethod
    def forward_definition(self, level: dict[str, Any]) -> Any:
        """A forward level of metrics.json as metrics.toml had it."""

    def shape_words(self, own: Own) -> list[str]:
        """The header's words on the values."""
        keys = ("size", "length", "max_members", "grid")
        words = [f"{key} {own[key]}" for key in keys if key in own]
        return words + ([f"{own['min']} to {own['max']}"] if "min" in own else [])

    @abstractmethod
    def refuse(self, table: dict[str, Any]) -> None:
        """A key that people expect and that it does not have."""

    @abstractmethod
    def check_per_epoch(self, own: Own, per_epoch: int) -> None:
        """May there be so many measurements an epoch?"""


class Ladder(Mechanism):
    """One whose levels are epsilons."""

    keys: tuple[str, ...] = ()
    ladder_key = "epsilons"

    def read(self, fields: Fields, own: Own) -> Own:
        return {}

    def epsilons(self, fields: Fields) -> tuple[Fraction, ...]:
        return fields.ladder(self.ladder_key)

    def best_level(self, fields: Fields) -> int:
        """The level that what all levels share is made for: the top, unless one is named."""
        top = len(self.epsilons(fields)) - 1
        return fields.integer("best_level", 0, top, default=top)

    def level_count(self, epsilons: tuple[Fraction, ...], own: Own) -> int:
        return len(epsilons)

    def read_forward(
        self, fields: Fields, epsilons: tuple[Fraction, ...], own: Own
    ) -> tuple[Any, ...]:
        forward = fields.ladder("forward")
        if forward[0] <= epsilons[-1]:
            raise RegistryError(
                f"forward: {plain(forward[0])} does not rise above the ladder's"
                f" {plain(epsilons[-1])}"
            )
        return forward

    def level_words(self, metric: Metric, document: dict[str, Any]) -> list[str]:
        words = [f"epsilons {', '.join(map(plain, metric.epsilons))}"]
        return words + ([f"forward {', '.join(metric.forward_texts)}"] if metric.forward else [])

    def forward_definition(self, level: dict[str, Any]) -> Any:
        return level["nominal"]

    def refuse(self, table: dict[str, Any]) -> None:
        """Nothing."""

    def check_per_epoch(self, own: Own, per_epoch: int) -> None:
        """Any number."""
