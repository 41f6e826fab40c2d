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
from .requests import read_request_key
from .model import Budget, Metric, Registry
from .names import check_metric_name, check_registry_name, quoted

WINDOW_EPOCHS_MAX = 64
METRICS_MAX = 1024
PER_EPOCH_MAX = 255
RELEASES_MAX = 1000
RELEASES_DEFAULT = 8  # or two for each metric
EPOCH_JUMP_DEFAULT = 400
EPOCH_MAX = (1 << 32) - 1
VALUE_MAX = 1 << 30  # so that a difference of two values fits in 32 bits
VERSION_MAX = (1 << 32) - 1

Own = dict[str, Any]


def _boolean(fields: Fields, mechanism: str) -> Own:
    if mechanism != "laplace_threshold":
        return {}
    grid = fields.integer("grid", 1, VALUE_MAX, default=1)
    if grid % 2 == 0:
        raise RegistryError(f"grid: {grid} is even; the threshold needs an odd number of steps")
    threshold = fields.integer("threshold", 1, grid, default=(grid + 1) // 2)
    return {"grid": grid, "threshold": threshold}


def _category(fields: Fields, mechanism: str) -> Own:
    own = _categories(fields)
    if mechanism == "basic_rappor":
        own |= _rappor_noise(fields) | _rappor_promise(fields)
    return own


def _categories(fields: Fields) -> Own:
    if "categories" in fields and "size" in fields:
        raise RegistryError("size: only one of categories and size is allowed")
    if "size" in fields:
        return {"size": fields.integer("size", 2, 65535)}
    if "categories" not in fields:
        raise RegistryError("categories: missing; either categories or size is needed")
    return {"categories": fields.labels("categories", 65535)}


def _set(fields: Fields, mechanism: str) -> Own:
    members = fields.labels("members", 65535)
    return {"members": members, "max_members": fields.integer("max_members", 1, len(members))}


def _string(fields: Fields, mechanism: str) -> Own:
    own: Own = {"bits": fields.integer("bits", 8, 1024)}
    own["hashes"] = fields.integer("hashes", 1, 8)
    if own["bits"] < 2 * own["hashes"]:
        raise RegistryError(
            f"bits: {own['bits']} are fewer than two strings with {own['hashes']} hashes can differ in,"
            f" so that no certified epsilon would be exact; {2 * own['hashes']} or more are allowed"
        )
    own["cohorts"] = fields.integer("cohorts", 1, 1024)
    own |= _rappor_noise(fields)
    own["max_bytes"] = fields.integer("max_bytes", 1, 256, default=64)
    return own | _rappor_promise(fields)


def _rappor_noise(fields: Fields) -> Own:
    values = fields.levels("permanent", "an array of numbers between 0 and 1, none rising")
    permanent = fields.probabilities("permanent", values)
    if 0 in permanent or 1 in permanent:
        raise RegistryError("permanent: each must be greater than 0 and less than 1")
    if any(later > earlier for earlier, later in zip(permanent, permanent[1:])):
        raise RegistryError("permanent: must not rise from level to level: each adds accuracy")
    key = "instantaneous"
    values = fields.levels(key, "an array of [p, q], one of each level")
    if len(values) != len(permanent):
        raise RegistryError(f"{key}: {len(values)} levels, but permanent has {len(permanent)}")
    reports = [[plain(p), plain(q)] for p, q in _reports(fields, key, values)]
    return {"permanent": [plain(f) for f in permanent], key: reports}


def _rappor_promise(fields: Fields) -> Own:
    own: Own = {}
    own["protects"] = fields.choice("protects", ("value", "sequence"), default="value")
    if own["protects"] == "sequence" and "max_values" in fields:
        raise RegistryError('max_values: is allowed only with protects = "value"')
    own["max_values"] = fields.integer("max_values", 1, 1024, default=1)
    return own


def _reports(fields: Fields, key: str, values: list[Any]) -> list[tuple[Fraction, Fraction]]:
    pairs = []
    for pair in values:
        if not isinstance(pair, list) or len(pair) != 2:
            raise RegistryError(f"{key}: each level must be [p, q], two numbers in [0, 1]")
        p, q = fields.probabilities(key, pair)
        if p >= q:
            raise RegistryError(f"{key}: p = {plain(p)} is not less than q = {plain(q)}")
        pairs.append((p, q))
    return pairs


def _range(fields: Fields, mechanism: str = "") -> Own:
    low = fields.integer("min", -VALUE_MAX, VALUE_MAX)
    high = fields.integer("max", -VALUE_MAX, VALUE_MAX)
    if low >= high:
        raise RegistryError(f"max: {high} is not greater than min, {low}")
    return {"min": low, "max": high}


def _integer(fields: Fields, mechanism: str) -> Own:
    own = _range(fields)
    room = VALUE_MAX - max(abs(own["min"]), abs(own["max"]))
    return own | {"margin": fields.integer("margin", 0, room, default=0)}


def _vector(fields: Fields, mechanism: str) -> Own:
    own = {"length": fields.integer("length", 1, 256)} | _range(fields)
    most = own["length"] * (own["max"] - own["min"])
    return own | {"l1_sensitivity": fields.integer("l1_sensitivity", 1, most, default=most)}


@dataclass(frozen=True)
class Mechanism:
    keys: tuple[str, ...] = ()  # that only it has
    has_epsilons: bool = True


@dataclass(frozen=True)
class Type:
    mechanisms: dict[str, Mechanism]  # the first is the default
    keys: tuple[str, ...]
    read: Callable[[Fields, str], Own]

    def allowed_keys(self, mechanism: str) -> tuple[str, ...]:
        spec = self.mechanisms[mechanism]
        own = ("epsilons",) if spec.has_epsilons else ()
        own += (*self.keys, *spec.keys, "forward")
        spending = ("window_epochs", "window_epsilon", "per_epoch", "request_level")
        return ("id", "name", "type", "mechanism", *own, *spending)


UNARY = {"optimized_unary": Mechanism(), "unary": Mechanism()}
RAPPOR = Mechanism(("permanent", "instantaneous", "protects", "max_values"), has_epsilons=False)
TYPES = {
    "boolean": Type(
        {"randomized_response": Mechanism(), "laplace_threshold": Mechanism(("grid", "threshold"))},
        (),
        _boolean,
    ),
    "category": Type(
        {"k_randomized_response": Mechanism()} | UNARY | {"basic_rappor": RAPPOR},
        ("categories", "size"),
        _category,
    ),
    "set": Type(UNARY, ("members", "max_members"), _set),
    "string": Type({"rappor": RAPPOR}, ("bits", "hashes", "cohorts", "max_bytes"), _string),
    "integer": Type({"discrete_laplace": Mechanism()}, ("min", "max", "margin"), _integer),
    "vector": Type(
        {"discrete_laplace": Mechanism()},
        ("length", "min", "max", "l1_sensitivity"),
        _vector,
    ),
    "mean": Type({"one_bit_mean": Mechanism()}, ("min", "max"), _range),
}
ANY_TYPE_KEYS = sorted(
    {key for spec in TYPES.values() for name in spec.mechanisms for key in spec.allowed_keys(name)}
)


def read_registry(document: dict[str, Any]) -> Registry:
    """The registry that a parsed metrics.toml describes; RegistryError if it isn't one."""
    fields = Fields(document, ("registry", "device", "metric", "key", "requests"))
    with within("[registry]"):
        head = Fields(_table(fields.value("registry", "a table")), ("name", "version"))
        name = head.string("name", "a name in quotes")
        with within("name"):
            check_registry_name(name)
        version = head.integer("version", 1, VERSION_MAX)
    with within("[device]"):
        keys = ("window_epochs", "epsilon")
        own = Fields(_table(document.get("device", {})), (*keys, "max_epoch_jump", "releases"))
        device = _budget(own, *keys, DEVICE_EPSILON_MAX)
        jump = own.integer("max_epoch_jump", 1, EPOCH_MAX, default=EPOCH_JUMP_DEFAULT)
    metrics = sorted(_metrics(fields, name, device), key=lambda metric: metric.id)
    releases = own.integer(
        "releases", 1, RELEASES_MAX, default=max(RELEASES_DEFAULT, 2 * len(metrics))
    )
    request_key = None
    if "requests" in fields:
        with within("[requests]"):
            request_key = read_request_key(_table(document["requests"]))
    keys = read_keys(fields)
    return Registry(name, version, device, jump, releases, tuple(metrics), keys, request_key)


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
    spec = TYPES[kind]
    mechanism = Fields(table, table).choice(
        "mechanism", spec.mechanisms, default=next(iter(spec.mechanisms))
    )
    if kind == "string" and "epsilons" in table:
        raise RegistryError(
            "epsilons: a string has none; its noise is permanent = [f, ...] and instantaneous ="
            " [[p, q], ...], one of each a level; sotto plan --type string finds them for an epsilon"
        )
    fields = Fields(table, spec.allowed_keys(mechanism))
    identifier = fields.integer("id", 1, 65535)
    name = fields.string("name", "a name in quotes")
    with within("name"):
        check_metric_name(name, registry_name)
    epsilons = fields.ladder("epsilons") if spec.mechanisms[mechanism].has_epsilons else ()
    own = spec.read(fields, mechanism)
    forward = _forward(fields, epsilons, own)
    window = _budget(fields, "window_epochs", "window_epsilon")
    per_epoch = fields.integer("per_epoch", 1, PER_EPOCH_MAX, default=1)
    if per_epoch > 1 and own.get("protects") == "value":
        # An estimate takes the reports of an epoch for independent.
        raise RegistryError(
            f"per_epoch: {per_epoch} reports of a value would share its permanent noise; 1, in "
            'shorter epochs, or protects = "sequence"'
        )
    level_count = len(epsilons or own["permanent"])
    request_level = fields.integer("request_level", 0, level_count - 1, default=0)
    if epsilons:
        _check_affordable(epsilons[0], window, "window_epsilon")
        _check_affordable(epsilons[0], device, "the device's epsilon")
    return Metric(
        identifier, name, kind, mechanism, epsilons, window, own, forward, per_epoch, request_level
    )


def _forward(fields: Fields, epsilons: tuple[Fraction, ...], own: Own) -> tuple[Any, ...]:
    """Levels above the ladder, which can be decided on later."""
    if "forward" not in fields:
        return ()
    if epsilons:
        forward, count = fields.ladder("forward"), len(epsilons)
        if forward[0] <= epsilons[-1]:
            raise RegistryError(
                f"forward: {plain(forward[0])} does not rise above the ladder's"
                f" {plain(epsilons[-1])}"
            )
    else:
        values = fields.levels("forward", "an array of [p, q], or of [f, p, q]")
        forward, count = _rappor_forward(fields, values, own), len(own["permanent"])
    if count + len(forward) > LEVELS_MAX:
        raise RegistryError(f"forward: {LEVELS_MAX} levels at most are allowed, with the ladder's")
    if own.get("grid", 1) > 1:
        raise RegistryError("forward: only with grid = 1; put the level into epsilons")
    return forward


def _rappor_forward(fields: Fields, values: list[Any], own: Own) -> tuple[Any, ...]:
    if not isinstance(values[0], list) or len(values[0]) != 3:
        return tuple(_reports(fields, "forward", values))
    if any(not isinstance(level, list) or len(level) != 3 for level in values):
        raise RegistryError("forward: either all levels are [p, q], or all are [f, p, q]")
    flips = fields.probabilities("forward", [level[0] for level in values])
    for before, after in zip([Fraction(own["permanent"][-1]), *flips], flips):
        if not 0 < after < before:
            raise RegistryError(
                f"forward: f = {plain(after)} is not between 0 and that of the level before,"
                f" {plain(before)}; for the same f write [p, q]"
            )
    reports = _reports(fields, "forward", [level[1:] for level in values])
    return tuple((f, *report) for f, report in zip(flips, reports, strict=True))


def _check_affordable(first: Fraction, budget: Budget | None, budget_name: str) -> None:
    if budget and first > budget.epsilon:
        raise RegistryError(
            f"epsilons: the first level, {plain(first)}, is above {budget_name},"
            f" {plain(budget.epsilon)}: it could never be published"
        )
