# SPDX-License-Identifier: Apache-2.0
"""Compiles a registry into what metrics.json says, fingerprints included."""
import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .errors import RegistryError, within
from .exact import decimal_up, plain
from .limits import PADDING_DEFAULT
from .mechanisms import BY_NAME
from .model import COST_UNIT, Budget, Compiled, Metric, Registry
from .names import quoted
from .policy import check_policy
from .state_size import StateSize, state_size

FORMAT = 2
FINGERPRINT_DIGITS = 8
# A registry's keys of a metric beyond its meaning.
SPENDING = ("fingerprint", "window", "per_epoch", "request_level", "policy")


@dataclass(frozen=True)
class CompiledRegistry:
    registry: Registry
    document: dict[str, Any]  # metrics.json
    tables: tuple[Compiled, ...]  # in the order of registry.metrics
    definitions: tuple[str, ...]  # likewise, in hex; they begin with the fingerprints
    state: StateSize


def compile_registry(registry: Registry) -> CompiledRegistry:
    tables, definitions, metrics = [], [], []
    for metric in registry.metrics:
        with within(f"metric {quoted(metric.name)}"):
            compiled = BY_NAME[metric.mechanism].compile(metric)
            _check_affordable(metric, compiled, registry.device)
            check_policy(metric, compiled)
        tables.append(compiled)
        definitions.append(_definition(metric, compiled))
        own_fingerprint = definitions[-1][:FINGERPRINT_DIGITS]
        metrics.append(
            {
                "id": metric.id,
                "name": metric.name,
                "type": metric.type,
                "mechanism": metric.mechanism,
                "fingerprint": own_fingerprint,
                "value_words": compiled.value_words,
                "random_bytes": random_bytes(compiled),
                "window": _budget(metric.window, "epochs"),
                "per_epoch": metric.per_epoch,
                "request_level": metric.request_level,
                **({"policy": list(metric.policy)} if metric.policy else {}),
                **metric.own,
                "levels": compiled.levels,
                "pairs": compiled.pairs,
                "joint": compiled.joint,
                "joint_cost": compiled.joint_cost,
                "open_release": compiled.open_release,
                "budget": str(metric.window.units if metric.window else 0),
                "costs": [str(cost) for cost in compiled.all_costs()],
                "cost_reports": compiled.cost_reports,
                "forward": _forward_levels(metric, compiled, own_fingerprint),
                "table": compiled.table,
                **({"ladder": compiled.ladder} if compiled.ladder else {}),
                **({"words": metric.words} if metric.words else {}),
            }
        )
    _check_fingerprints(metrics)
    state = state_size(registry, tables)
    for metric in metrics:
        metric["account_bytes"] = 4 * state.accounts[metric["name"]]
    device = _budget(registry.device, "window_epochs")
    head = {"name": registry.name, "version": registry.version}
    canonical = head | {
        "device": device,
        "max_epoch_jump": registry.max_epoch_jump,
        "metrics": [_counted_and_spent(metric) for metric in metrics],
    }
    document = {
        "format": FORMAT,
        "registry": head | {"fingerprint": fingerprint("sotto registry v1", canonical)},
        "device": device,
        "budget": str(registry.device.units if registry.device else 0),
        "max_epoch_jump": registry.max_epoch_jump,
        "state": {"bytes": state.bytes, "free": 4 * state.reserve},
        **({"padding_bytes": registry.padding} if registry.padding != PADDING_DEFAULT else {}),
        **({"words": registry.calendar} if registry.calendar else {}),
        "metrics": metrics,
    }
    return CompiledRegistry(registry, document, tuple(tables), tuple(definitions), state)


def random_bytes(compiled: Compiled) -> int:
    """The most that drawing one word of one level takes, forward levels included."""
    return max(compiled.random_bytes, compiled.forward.random_bytes if compiled.forward else 0)


def _check_affordable(metric: Metric, compiled: Compiled, device: Budget | None) -> None:
    """By cost; schema.py has looked at the epsilons that are asked for."""
    first = compiled.all_costs()[0]
    for budget, name in ((metric.window, "window_epsilon"), (device, "the device's epsilon")):
        if budget and first > budget.units:
            epsilon = decimal_up(Fraction(first, COST_UNIT), 8)
            raise RegistryError(
                f"{BY_NAME[metric.mechanism].ladder_key}: a first report is charged"
                f" {epsilon}, in steps of 2^-20, above {name}, {plain(budget.epsilon)}:"
                f" it could never be published; {epsilon} or more would do"
            )


def _budget(budget: Budget | None, epochs_key: str) -> dict[str, Any] | None:
    return budget and {epochs_key: budget.epochs, "epsilon": plain(budget.epsilon)}


def _definition(metric: Metric, compiled: Compiled) -> str:
    """
    The SHA-256 of all that gives a published value its meaning; what it may cost is not part of
    that. Nor are the levels above the ladder, which may come later: each has a fingerprint of its
    own. Permanent noise is keyed by it, so that it stays as it is when they come.
    """
    definition = {
        "id": metric.id,
        "name": metric.name,
        "type": metric.type,
        "mechanism": metric.mechanism,
        "epsilons": [plain(epsilon) for epsilon in metric.epsilons],
        "table": compiled.table,
    }
    host_keys = BY_NAME[metric.mechanism].host_keys
    own = {key: value for key, value in metric.own.items() if key not in host_keys}
    return digest("sotto metric v1", definition | own)


def _forward_levels(metric: Metric, compiled: Compiled, below: str) -> list[dict[str, Any]]:
    """Each with the fingerprint of the definition up to it. Only what is the same all the way up
    may be taken for the same level."""
    levels = []
    for text, level in zip(metric.forward_texts, compiled.forward.levels if compiled.forward else []):
        definition = {"below": below, "level": text, "table": level["table"]}
        below = fingerprint("sotto forward v1", definition)
        levels.append(level | {"fingerprint": below})
    return levels


def _counted_and_spent(metric: dict[str, Any]) -> dict[str, Any]:
    counted = {key: metric[key] for key in SPENDING if key in metric}
    forward = [level["fingerprint"] for level in metric["forward"]]
    return counted | ({"forward": forward} if forward else {})


def _check_fingerprints(metrics: list[dict[str, Any]]) -> None:
    """Names that make two equal are found in seconds, and a report would be taken for another."""
    taken: dict[str, str] = {}
    for metric in metrics:
        for level in (metric, *metric["forward"]):
            fingerprint_text, name = level["fingerprint"], quoted(metric["name"])
            if fingerprint_text in taken:
                raise RegistryError(
                    f"metric {name}: its fingerprint, {fingerprint_text}, is also that of"
                    f" {taken[fingerprint_text]}; fingerprints must differ: give one another name"
                )
            taken[fingerprint_text] = name


def fingerprint(label: str, definition: dict[str, Any]) -> str:
    return digest(label, definition)[:FINGERPRINT_DIGITS]


def digest(label: str, definition: dict[str, Any]) -> str:
    canonical = json.dumps(definition, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    prefix = bytes([len(label)]) + label.encode("ascii")
    return hashlib.sha256(prefix + canonical.encode("ascii")).hexdigest()
