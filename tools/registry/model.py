# SPDX-License-Identifier: Apache-2.0
"""A validated registry, and what compiling one of its metrics gives."""
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .exact import plain


@dataclass(frozen=True)
class Budget:
    """At most so much epsilon in any window of so many epochs."""

    epochs: int
    epsilon: Fraction


@dataclass(frozen=True)
class Metric:
    id: int
    name: str
    type: str
    mechanism: str
    epsilons: tuple[Fraction, ...]  # the ladder; empty for RAPPOR, whose own keys give it
    window: Budget | None
    own: dict[str, Any] = field(default_factory=dict)  # the keys of its type, defaults filled in
    # Levels above the ladder: epsilons, or of RAPPOR the (p, q) of reports.
    forward: tuple[Any, ...] = ()

    @property
    def forward_texts(self) -> list[Any]:
        """As the fingerprint has them."""
        if self.epsilons:
            return [plain(epsilon) for epsilon in self.forward]
        return [[plain(p), plain(q)] for p, q in self.forward]


@dataclass(frozen=True)
class Registry:
    name: str
    version: int
    device: Budget | None
    metrics: tuple[Metric, ...]  # ascending by id


@dataclass(frozen=True)
class Forward:
    """The steps to the levels above a ladder."""

    member: str  # of the union in sotto_metric
    levels: list[dict[str, Any]]  # as in metrics.json
    random_bytes: int
    c_definitions: str  # ends in a definition of NAME_forward


@dataclass(frozen=True)
class Compiled:
    """What a mechanism's module makes of a metric."""

    levels: list[dict[str, Any]]  # as in metrics.json
    pairs: list[dict[str, Any]]
    joint: str  # the realised loss of the whole ladder
    joint_cost: str
    random_bytes: int  # the most that drawing one word of one level takes
    table: dict[str, Any]  # as in metrics.json, and part of the fingerprint
    member: str  # of the union in sotto_metric
    c_definitions: str  # ends in a definition of NAME_table
    value_words: int = 1
    value_tags: int = 0
    ladder: dict[str, Any] | None = None  # of releases at every level, n of them: RAPPOR only
    forward: Forward | None = None
