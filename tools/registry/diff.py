# SPDX-License-Identifier: Apache-2.0
"""Says what a change of a registry does: to each metric, and to the fingerprints."""
import json
from typing import Any

from .document import FORMAT
from .errors import RegistryError, within
from .files import compile_file, read_text
from .limits import PADDING_DEFAULT
from .mechanisms import BY_NAME
from .names import quoted

KEPT = ("name", "type", "mechanism", "window", "fingerprint", "table")
DERIVED = (
    ("id", "levels", "pairs", "joint", "joint_cost", "forward", "ladder", "random_bytes")
    + ("value_words", "budget", "costs", "cost_reports", "open_release", "account_bytes", "words")
)


def read_document(path: str) -> dict[str, Any]:
    """A metrics.json as it is, or what a metrics.toml would be compiled to."""
    if not path.endswith(".json"):
        return compile_file(path).document
    with within(path):
        try:
            document = json.loads(read_text(path), parse_float=str)
        except (ValueError, RecursionError):
            raise RegistryError("is not JSON that can be read") from None
        try:
            if document["format"] != FORMAT:
                raise RegistryError(f"format: is not {FORMAT}; another version wrote this file")
            _flatten(document)
            refusal(document, document)
            _word_lines(document, document)
        except (KeyError, TypeError, AttributeError, ValueError):
            raise RegistryError("is not a metrics.json of sotto-registry") from None
        return document


def _flatten(document: dict[str, Any]) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
    """The registry's own keys, and the definitions of its metrics by id."""
    head = {key: document["registry"][key] for key in ("name", "version", "fingerprint")}
    head["device"] = document["device"]
    head["max_epoch_jump"] = document.get("max_epoch_jump")
    head["padding_bytes"] = document.get("padding_bytes", PADDING_DEFAULT)
    metrics = {}
    for metric in document["metrics"]:
        definition = {key: metric[key] for key in KEPT}
        nominals = [level["nominal"] for level in metric["levels"]]
        definition["epsilons"] = [nominal for nominal in nominals if nominal is not None]
        definition["forward"] = [
            BY_NAME[metric["mechanism"]].forward_definition(level)
            for level in metric["forward"]
        ]
        definition["steps"] = [level["fingerprint"] for level in metric["forward"]]
        own = metric.keys() - set(KEPT) - set(DERIVED)
        metrics[int(metric["id"])] = definition | {key: metric[key] for key in sorted(own)}
    return head, metrics


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    old_head, old_metrics = _flatten(old)
    new_head, new_metrics = _flatten(new)
    lines = [f"registry: {change}" for change in _changes(old_head, new_head)]
    for identifier in sorted(old_metrics.keys() | new_metrics.keys()):
        before, after = old_metrics.get(identifier), new_metrics.get(identifier)
        if before is None or after is None:
            only, verb = (after, "added") if before is None else (before, "removed")
            lines.append(f'metric {identifier} "{only["name"]}": {verb}')
        elif before != after:
            lines.append(_metric_line(identifier, before, after))
    lines += _word_lines(old, new)
    if old["state"] != new["state"]:
        lines.append(f"state: {_state(old)} -> {_state(new)}")
    if not lines:
        return ["no difference"]
    back = refusal(new, old)
    lines.append(f"the way back is {f'closed, because {back}' if back else 'open'}")
    if old_head["fingerprint"] == new_head["fingerprint"]:
        return [*lines, "registry fingerprint: unchanged"]
    return [*lines, f"registry fingerprint: {old_head['fingerprint']} -> {new_head['fingerprint']}"]


def refusal(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """Why a device with a state of the old registry would not start with the new one. None: it
    would. As in sdk/src/client/adopt.cpp."""
    before, after = _by_id(old), _by_id(new)
    for identifier in sorted(before.keys() & after.keys()):
        metric, other = before[identifier], after[identifier]
        if metric["fingerprint"] != other["fingerprint"]:
            return f'metric {identifier} "{metric["name"]}" is defined anew; give it a new id'
        steps = [level["fingerprint"] for level in metric["forward"]]
        if steps != [level["fingerprint"] for level in other["forward"]][: len(steps)]:
            return f'metric {identifier} "{metric["name"]}" lost or changed a forward level'
    gone = [before[identifier] for identifier in sorted(before.keys() - after.keys())]
    needed = sum(metric["account_bytes"] for metric in gone)
    state = new["state"]
    least = max(state["bytes"] - state["free"] + needed, old["state"]["bytes"])
    if least > state["bytes"]:
        names = ", ".join(f'"{metric["name"]}"' for metric in gone)
        kept = f" with the accounts of {names}, which stay" if gone else ""
        return f"there is no room for their state{kept}; state_bytes = {least} or more would do"
    return None


def _by_id(document: dict[str, Any]) -> dict[int, dict[str, Any]]:
    return {int(metric["id"]): metric for metric in document["metrics"]}


def _word_lines(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """By place; a metric that came or went is told by itself."""
    before, after = _by_id(old), _by_id(new)
    places = [("registry", old, new)]
    for identifier in sorted(before.keys() & after.keys()):
        name = quoted(before[identifier]["name"])
        places.append((f"metric {identifier} {name}", before[identifier], after[identifier]))
    lines = []
    for place, was, now in places:
        changes = _changes(was.get("words", {}), now.get("words", {}))
        lines += [f"{place}: words changed: {'; '.join(changes)}"] if changes else []
    return lines


def _state(document: dict[str, Any]) -> str:
    return f"{document['state']['bytes']} bytes, {document['state']['free']} free"


def _metric_line(identifier: int, before: dict[str, Any], after: dict[str, Any]) -> str:
    if before["fingerprint"] == after["fingerprint"]:
        effect = "fingerprint unchanged: reports of both are counted together"
        if before["steps"] != after["steps"][: len(before["steps"])]:
            effect = (
                "refused by devices and stores that know the old one: forward levels may only be"
                " added above the others; give the metric a new id"
            )
    else:
        effect = (
            f"fingerprint {before['fingerprint']} -> {after['fingerprint']}:"
            " reports of the two are counted apart"
        )
    changes = "; ".join(_changes(before, after))
    return f'metric {identifier} "{before["name"]}": {changes} ({effect})'


def _changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    keys = [key for key in (before | after) if key not in ("fingerprint", "table", "steps")]
    changed = [key for key in keys if before.get(key) != after.get(key)]
    lines = [f"{key} {_text(before.get(key))} -> {_text(after.get(key))}" for key in changed]
    if not lines and any(before.get(key) != after.get(key) for key in ("table", "steps")):
        return ["table: other integers for the same definition"]
    return lines


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key} {_text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(_text(item) for item in value) + "]"
    return "none" if value is None else str(value)
