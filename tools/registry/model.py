# SPDX-License-Identifier: Apache-2.0
"""A validated registry, and what compiling one of its metrics gives."""
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import floor
from typing import Any

from .exact import plain
from .limits import PADDING_DEFAULT

COST_UNIT = 1 << 20  # an epsilon of 1


@dataclass(frozen=True)
class Budget:
    """At most so much epsilon in any window of so many epochs."""

    epochs: int
    epsilon: Fraction

    @property
    def units(self) -> int:
        """In the unit of costs, rounded down."""
        return floor(self.epsilon * COST_UNIT)


@dataclass(frozen=True)
class Metric:
    id: int
    name: str
    type: str
    mechanism: str
    epsilons: tuple[Fraction, ...]  # the ladder; empty where the mechanism has other keys for it
    window: Budget | None
    own: dict[str, Any] = field(default_factory=dict)  # the keys of its type, defaults filled in
    # Levels above the ladder: epsilons, or (p, q) of reports, or (f, p, q) of both stages.
    forward: tuple[Any, ...] = ()
    per_epoch: int = 1
    request_level: int = 0
    policy: tuple[int, ...] = ()  # policy.py
    words: dict[str, Any] = field(default_factory=dict)  # words.py; in metrics.json alone

    @property
    def forward_texts(self) -> list[Any]:
        """As fingerprints have them."""
        if self.epsilons:
            return [plain(epsilon) for epsilon in self.forward]
        return [[plain(number) for number in level] for level in self.forward]


@dataclass(frozen=True)
class SealKey:
    """A key of the aggregator that batches are sealed with."""

    file: str  # as metrics.toml names it
    last_epoch: int
    public_key: bytes = b""  # empty until the file was read


@dataclass(frozen=True)
class RequestKey:
    """The operator's, that requests are signed with."""

    file: str  # as metrics.toml names it
    after_serial: int  # no request up to it is obeyed
    public_key: bytes = b""  # x and y; empty until the file was read


@dataclass(frozen=True)
class Registry:
    name: str
    version: int
    device: Budget | None
    max_epoch_jump: int
    releases: int  # a device keeps as many; memory alone, no part of any fingerprint
    start_paused: bool  # nor is this
    state_bytes: int  # nor this: the room of a state, for metrics to come and gone; 0: what it needs
    metrics: tuple[Metric, ...]  # ascending by id
    keys: tuple[SealKey, ...] = ()  # the newest last; no part of any fingerprint
    request_key: RequestKey | None = None  # nor is this
    calendar: dict[str, Any] = field(default_factory=dict)  # words.py; in metrics.json alone
    padding: int = PADDING_DEFAULT  # no part of any fingerprint, either


@dataclass(frozen=True)
class Forward:
    """The steps to the levels above a ladder."""

    member: str  # the member of the union in sotto_metric
    levels: list[dict[str, Any]]  # as in metrics.json
    random_bytes: int
    c_definitions: str  # ends in a definition of NAME_forward
    code: str = ""  # sotto_forward_code_...; empty: named as the member
    # Two stages: by level, by bit, the greatest ratio of the chances of all published from the top on.
    ratios: tuple[tuple[Fraction, Fraction], ...] = ()
    # Two stages, a smaller f: by level, all up to it as a ladder, and the factor that is off.
    tops: tuple[tuple[Any, Fraction], ...] = ()


@dataclass(frozen=True)
class Compiled:
    """A metric as its mechanism's module compiles it."""

    levels: list[dict[str, Any]]  # as in metrics.json
    pairs: list[dict[str, Any]]
    joint: str  # the realised loss of the whole ladder
    joint_cost: str
    random_bytes: int  # the most that drawing one word of one level takes
    table: dict[str, Any]  # as in metrics.json, and part of the fingerprint
    mechanism: str  # as the device has it
    member: str  # the member of the union in sotto_metric
    c_definitions: str  # ends in a definition of NAME_table
    value_words: int = 1
    indices: int = 2  # a report's value is one of so many,
    value_bytes: int = 0  # or so many whole bytes,
    has_rows: bool = False  # or up to so many, behind the number of rows
    cohorts: int = 0  # a report names one of so many; 0: none
    state_words: int = 0  # in the metric's account; even
    state_key: str = ""  # the key that says how many pairs of them there are
    row_words: int = 0  # sums that are open: in memory, never stored
    client: str = ""  # the row of sotto_client_code_* that keeps these; none: there is none
    has_definition: bool = False  # does the table name NAME_definition?
    ladder: dict[str, Any] | None = None  # n releases at every level, in two stages
    forward: Forward | None = None
    costs: tuple[int, ...] = ()  # by level, where they are not those of the levels alone
    cost_reports: int = 0  # how many of them a level has, where releases share noise
    kept: str = ""  # loss of all that a device keeps of a release, where it is above the published one

    @property
    def open_release(self) -> str:
        """The most that a thief of the device learns of a release, published parts included."""
        return self.kept or (self.forward.levels[-1]["joint"] if self.forward else self.joint)

    def all_costs(self) -> list[int]:
        """As in sotto_metric. One bound may be looser than the next; the next then holds as well."""
        if self.cost_reports:
            return list(self.costs)
        costs = self.costs or tuple(int(level["cost"]) for level in self.levels)
        if self.forward:
            costs += tuple(int(level["joint_cost"]) for level in self.forward.levels)
        return list(accumulate(costs, max))
