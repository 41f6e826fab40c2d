# SPDX-License-Identifier: Apache-2.0
"""A validated registry, and what compiling one of its metrics gives."""
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


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
    epsilons: tuple[Fraction, ...]  # the ladder; empty for a string, whose own keys give it
    window: Budget | None
    own: dict[str, Any] = field(default_factory=dict)  # the keys of its type, defaults filled in


@dataclass(frozen=True)
class Registry:
    name: str
    version: int
    device: Budget | None
    metrics: tuple[Metric, ...]  # ascending by id


@dataclass(frozen=True)
class Compiled:
    """What a mechanism's module makes of a metric."""

    levels: list[dict[str, Any]]  # as in metrics.json
    joint: str  # the realised loss of the whole ladder
    random_bytes: int
    table: dict[str, Any]  # as in metrics.json, and part of the fingerprint
    c_definitions: str  # ends in a definition of NAME_table
