# SPDX-License-Identifier: Apache-2.0
"""The language of metrics.toml: the tables, each type's keys, their ranges and how they fit."""
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .errors import RegistryError, within
from .exact import plain
from .fields import DEVICE_EPSILON_MAX, EPSILON_MAX, LEVELS_MAX, Fields, show
from .keys import read_keys
from .limits import (
    BINS_MAX, CATEGORIES_MAX, COORDINATES_MAX, EVENT_MAX, CATEGORY_INDICES_MAX, NUMBER_MAX, PADDING_DEFAULT, PADDINGS,
    SUM_ROWS_MAX,
)  # fmt: skip
from .mechanism import Mechanism, Own
from .mechanisms import of_type
from .model import Budget, Metric, Registry
from .names import check_metric_name, check_registry_name, quoted
from .policy import read_policy
from .requests import read_request_key
from .words import METRIC_KEYS, REGISTRY_KEYS, read_calendar, read_metric_words

WINDOW_EPOCHS_MAX = 64
METRICS_MAX = 1024
PER_EPOCH_MAX = 255
RELEASES_MAX = 1000
RELEASES_DEFAULT = 8  # or two for each metric
EPOCH_JUMP_DEFAULT = 400
DEVICE_KEYS = ("max_epoch_jump", "pad", "releases", "start_paused", "state_bytes")
EPOCH_MAX = (1 << 32) - 1
STATE_BYTES_MAX = 1 << 24
VERSION_MAX = (1 << 32) - 1
SOURCES_MAX = 1000

def _nothing(fields: Fields) -> Own:
    return {}


def _categories(fields: Fields) -> Own:
    if "categories" in fields and "size" in fields:
        raise RegistryError("size: only one of categories and size is allowed")
    if "size" in fields:
        return {"size": fields.integer("size", 2, CATEGORY_INDICES_MAX)}
    if "categories" not in fields:
        raise RegistryError("categories: missing; either categories or size is needed")
    return {"categories": fields.labels("categories", CATEGORIES_MAX)}


def _set(fields: Fields) -> Own:
    members = fields.labels("members", CATEGORIES_MAX)
    return {"members": members, "max_members": fields.integer("max_members", 1, len(members))}


def _range(fields: Fields) -> Own:
    low = fields.integer("min", -NUMBER_MAX, NUMBER_MAX)
    high = fields.integer("max", -NUMBER_MAX, NUMBER_MAX)
    if low >= high:
        raise RegistryError(f"max: {high} is not greater than min, {low}")
    return {"min": low, "max": high}


def _integer(fields: Fields) -> Own:
    own = _range(fields)
    room = NUMBER_MAX - max(abs(own["min"]), abs(own["max"]))
    return own | {"margin": fields.integer("margin", 0, room, default=0)}


def _vector(fields: Fields) -> Own:
    own = {"length": fields.integer("length", 1, COORDINATES_MAX)} | _range(fields)
    most = own["length"] * (own["max"] - own["min"])
    return own | {"l1_sensitivity": fields.integer("l1_sensitivity", 1, most, default=most)}


def _counter(fields: Fields) -> Own:
    return {"event": fields.integer("event", 1, EVENT_MAX, default=1)}


def _points(fields: Fields, key: str) -> Own:
    places = fields.integer(key, 2, SUM_ROWS_MAX)
    delta = fields.integer("delta", 1, places - 1)
    return {key: places, "delta": delta, "sources": fields.integer("sources", 1, SOURCES_MAX, default=1)}


def _histogram(fields: Fields) -> Own:
    return _points(fields, "bins")


def _location(fields: Fields) -> Own:
    own = _points(fields, "cells")
    width = fields.integer("width", 1, own["cells"] - 1)
    if "shift" not in fields:
        return own | {"width": width, "shift": width}
    if own["delta"] > width:
        raise RegistryError(
            f"shift: squares of {width} have one grid, as points move by {own['delta']}; leave it out"
        )
    return own | {"width": width, "shift": fields.integer("shift", own["delta"], width)}


def _distribution(fields: Fields) -> Own:
    own = _range(fields)
    most = min(BINS_MAX, own["max"] - own["min"] + 1)
    return own | {"bins": fields.integer("bins", 2, most)}


def _quantile(fields: Fields) -> Own:
    own = _distribution(fields)
    most = own["max"] - own["min"]
    delta = fields.integer("delta", 1, most)
    return own | {"delta": delta, "rank": plain(fields.rank("rank"))}


@dataclass(frozen=True)
class Type:
    keys: tuple[str, ...]
    read: Callable[[Fields], Own]
    words: tuple[str, ...] = ()  # beside METRIC_KEYS


TYPES = {
    "boolean": Type((), _nothing),
    "category": Type(("categories", "size"), _categories, ("ordered",)),
    "set": Type(("members", "max_members"), _set),
    "string": Type((), _nothing),
    "integer": Type(("min", "max", "margin"), _integer, ("unit",)),
    "vector": Type(("length", "min", "max", "l1_sensitivity"), _vector, ("unit",)),
    "mean": Type(("min", "max"), _range, ("unit",)),
    "counter": Type(("event",), _counter, ("unit",)),
    "quantile": Type(("min", "max", "bins", "delta", "rank"), _quantile, ("unit",)),
    "histogram": Type(("bins", "delta", "sources"), _histogram),
    "location": Type(("cells", "delta", "sources", "width", "shift"), _location),
    "distribution": Type(("min", "max", "bins"), _distribution, ("unit",)),
}


def _allowed_keys(kind: str, mechanism: Mechanism) -> tuple[str, ...]:
    ladder = ("epsilons",) if mechanism.ladder_key == "epsilons" else ()
    own = (*ladder, *TYPES[kind].keys, *mechanism.keys, "forward")
    spending = ("window_epochs", "window_epsilon", "per_epoch", "request_level", "policy")
    words = (*METRIC_KEYS, *TYPES[kind].words)
    return ("id", "name", "type", "mechanism", *own, *spending, *words)


ANY_TYPE_KEYS = sorted(
    {key for kind in TYPES for keys in of_type(kind).values() for key in _allowed_keys(kind, keys)}
)


def read_registry(document: dict[str, Any]) -> Registry:
    """The registry that a parsed metrics.toml describes; RegistryError if it isn't one."""
    fields = Fields(document, ("registry", "device", "metric", "key", "requests"))
    with within("[registry]"):
        head = Fields(_table(fields.value("registry", "a table")), ("name", "version", *REGISTRY_KEYS))
        name = head.string("name", "a name in quotes")
        with within("name"):
            check_registry_name(name)
        version = head.integer("version", 1, VERSION_MAX)
        calendar = read_calendar(head)
    with within("[device]"):
        keys = ("window_epochs", "epsilon")
        own = Fields(_table(document.get("device", {})), (*keys, *DEVICE_KEYS))
        device = _budget(own, *keys, DEVICE_EPSILON_MAX)
        jump = own.integer("max_epoch_jump", 1, EPOCH_MAX, default=EPOCH_JUMP_DEFAULT)
        start_paused = own.flag("start_paused")
        state_bytes = _state_bytes(own)
        padding = _padding(own)
    metrics = sorted(_metrics(fields, name, device), key=lambda metric: metric.id)
    releases = own.integer(
        "releases", 1, RELEASES_MAX, default=max(RELEASES_DEFAULT, 2 * len(metrics))
    )
    request_key = None
    if "requests" in fields:
        with within("[requests]"):
            request_key = read_request_key(_table(document["requests"]))
    keys = read_keys(fields)
    return Registry(
        name, version, device, jump, releases, start_paused, state_bytes, tuple(metrics), keys, request_key,
        calendar, padding,
    )  # fmt: skip


def _padding(fields: Fields) -> int:
    pad = fields.integer("pad", 0, max(PADDINGS), default=PADDING_DEFAULT)
    if pad not in PADDINGS:
        raise RegistryError(f"pad: {pad} is not one of {', '.join(map(str, PADDINGS))}")
    return pad


def _state_bytes(fields: Fields) -> int:
    if "state_bytes" not in fields:
        return 0
    size = fields.integer("state_bytes", 4, STATE_BYTES_MAX)
    if size % 4:
        raise RegistryError(f"state_bytes: {size} is not a multiple of 4")
    return size


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RegistryError(f"{show(value)} is not a table")
    return value


def _budget(
    fields: Fields, epochs_key: str, epsilon_key: str, most: Decimal = EPSILON_MAX
) -> Budget | None:
    if epochs_key not in fields and epsilon_key not in fields:
        return None
    epochs = fields.integer(epochs_key, 1, WINDOW_EPOCHS_MAX)
    return Budget(epochs, fields.epsilon(epsilon_key, most))


def _metrics(fields: Fields, registry_name: str, device: Budget | None) -> list[Metric]:
    tables = fields.table.get("metric", [])
    if not isinstance(tables, list):
        raise RegistryError(f"metric: {show(tables)}; write each metric under [[metric]]")
    if not tables:
        raise RegistryError("metric: missing; at least one [[metric]] is needed")
    if len(tables) > METRICS_MAX:
        raise RegistryError(f"metric: {len(tables)} of them; at most {METRICS_MAX} are allowed")
    metrics: list[Metric] = []
    by_id: dict[int, str] = {}
    for position, table in enumerate(tables, start=1):
        with within(_place(table, position)):
            metric = _metric(_table(table), registry_name, device)
            if metric.id in by_id:
                taken = quoted(by_id[metric.id])
                raise RegistryError(f"id: {metric.id} is that of {taken} already; ids must differ")
            if metric.name in by_id.values():
                raise RegistryError("name: is another metric's name already; names must differ")
        by_id[metric.id] = metric.name
        metrics.append(metric)
    return metrics


def _place(table: Any, position: int) -> str:
    name = table.get("name") if isinstance(table, dict) else None
    return f"metric {quoted(name)}" if isinstance(name, str) else f"[[metric]] number {position}"


def _metric(table: dict[str, Any], registry_name: str, device: Budget | None) -> Metric:
    if "type" not in table:
        Fields(table, ANY_TYPE_KEYS)  # a misspelt "type" is told as what it is
    kind = Fields(table, table).choice("type", TYPES)
    mechanisms = of_type(kind)
    asked = [name for name in mechanisms if mechanisms[name].asked_by in table]
    default = next(iter([*asked, *mechanisms]))
    mechanism = mechanisms[Fields(table, table).choice("mechanism", mechanisms, default=default)]
    mechanism.refuse(table)
    fields = Fields(table, _allowed_keys(kind, mechanism))
    identifier = fields.integer("id", 1, 65535)
    name = fields.string("name", "a name in quotes")
    with within("name"):
        check_metric_name(name, registry_name)
    epsilons = mechanism.epsilons(fields)
    own = TYPES[kind].read(fields)
    own |= mechanism.read(fields, own)
    level_count = mechanism.level_count(epsilons, own)
    forward = mechanism.read_forward(fields, epsilons, own) if "forward" in fields else ()
    if level_count + len(forward) > LEVELS_MAX:
        raise RegistryError(f"forward: {LEVELS_MAX} levels at most are allowed, with the ladder's")
    window = _budget(fields, "window_epochs", "window_epsilon")
    per_epoch = fields.integer("per_epoch", 1, PER_EPOCH_MAX, default=1)
    mechanism.check_per_epoch(own, per_epoch)
    request_level = fields.integer("request_level", 0, level_count - 1, default=0)
    if forward and per_epoch > 1:
        raise RegistryError(
            f"per_epoch: {per_epoch}; with forward it is 1, as nobody knows whose the value given again is"
        )
    policy = read_policy(fields, level_count, window, per_epoch)
    if epsilons:
        _check_affordable(epsilons[0], window, "window_epsilon")
        _check_affordable(epsilons[0], device, "the device's epsilon")
    return Metric(
        id=identifier,
        name=name,
        type=kind,
        mechanism=mechanism.name,
        epsilons=epsilons,
        window=window,
        own=own,
        forward=forward,
        per_epoch=per_epoch,
        request_level=request_level,
        policy=policy,
        words=read_metric_words(fields, TYPES[kind].words),
    )


def _check_affordable(first: Fraction, budget: Budget | None, budget_name: str) -> None:
    if budget and first > budget.epsilon:
        raise RegistryError(
            f"epsilons: the first level, {plain(first)}, is above {budget_name},"
            f" {plain(budget.epsilon)}: it could never be published"
        )
