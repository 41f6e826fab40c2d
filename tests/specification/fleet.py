# SPDX-License-Identifier: Apache-2.0
"""Devices that live a life: what they measure, as the client takes it and as a table for `sotto simulate`."""
from typing import Any

from client import Client, Generator, NotNow
from draws import Given
from registry import Registry

Values = dict[str, Any]  # by metric; a counter's is an amount


def cell(registry: Registry, name: str, value: Any) -> str:
    """The value as a table has it."""
    metric = registry.named(name).metric
    names = metric.get("categories") or metric.get("members")
    if metric["type"] == "set":
        return "|".join(names[member] for member in value) or "|"
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return "|".join(":".join(map(str, x)) if isinstance(x, tuple) else str(x) for x in value)
    return names[value] if names else str(int(value))


def live(client: Client, epochs: dict[int, Values], levels: int, first: int | None = None) -> bytes:
    """
    All epochs from `first`, or the earliest, to the last: counts and reports, then level after level of what was
    measured. A counter needs the epoch before and the one behind. A refusal by a budget leaves a level out.
    """
    by_name = {m.metric["name"]: id for id, m in client.registry.metrics.items()}
    first = min(epochs) if first is None else first
    has_counters = any(by_name[name] in client.rows for values in epochs.values() for name in values)
    out = b""

    def sent() -> bytes:
        envelope = client.flush()
        client.acknowledge()
        return envelope

    if has_counters:
        client.advance(max(0, first - 1))
    for epoch in range(first, max(epochs) + 1):
        client.advance(epoch)
        out += sent() if has_counters else b""
        reported = []
        for name, value in epochs.get(epoch, {}).items():
            metric = by_name[name]
            if metric in client.rows:
                client.count(metric, value)
                continue
            reported.append((metric, value))
            refused_by_budget(client.report, metric, value)
        out += sent()
        for level in range(1, levels + 1):
            for metric, value in reported:
                raise_to(client, metric, epoch, level, value)
            more = sent()
            out += more
            if not more:
                break
    if has_counters:
        client.advance(max(epochs) + 1)
        out += sent()
    return out


def refused_by_budget(call: Any, *arguments: Any) -> None:
    try:
        call(*arguments)
    except NotNow:
        pass


def raise_to(client: Client, metric: int, epoch: int, level: int, value: Any) -> None:
    mechanism = client.registry.metrics[metric]
    ladder, levels = mechanism.top_level + 1, mechanism.top_level + 1 + len(mechanism.steps)
    needs_value = not client.relaxes_above(mechanism)
    if level < (ladder if needs_value else levels):
        refused_by_budget(client.relax, metric, epoch, level)
    elif level < levels:
        refused_by_budget(client.extend, metric, epoch, value)


class PlainGenerator(Generator):
    """Bytes of any source, in the order that they are asked for."""

    def __init__(self, source: Any):
        self.source = source

    def prepare(self, count: int) -> None:
        pass

    def renew(self, additional: bytes) -> None:
        pass

    def draw(self, count: int) -> bytes:
        return self.source(count)


def envelopes(data: bytes) -> list[bytes]:
    """The elements of a report file, without their lengths."""
    given, out = Given(data), []
    while given.at < len(data):
        length = shift = 0
        while True:
            byte = given.take(1)[0]
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        out.append(given.take(length))
    return out
