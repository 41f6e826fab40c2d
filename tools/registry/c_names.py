# SPDX-License-Identifier: Apache-2.0
"""Names of categories and members as C constants."""
import re

from .c_style import COLUMNS, comment
from .errors import one_line
from .model import Registry
from .names import HEADER_MACRO, SIZES, metric_macro


def value_constants(registry: Registry) -> dict[str, str]:
    """By metric name: the enum of its values, in C, or nothing for a metric without names."""
    taken = {metric_macro(registry.name, metric.name) for metric in registry.metrics}
    taken.update(metric_macro(registry.name, size) for size in SIZES)
    result = {}
    for metric in registry.metrics:
        labels = metric.own.get("categories") or metric.own.get("members")
        if labels:
            macro = metric_macro(registry.name, metric.name)
            result[metric.name] = _enumeration(macro, labels, taken)
    return result


def _enumeration(macro: str, labels: list[str], taken: set[str]) -> str:
    lines = ["enum {"]
    named = False
    for value, label in enumerate(labels):
        name = _constant(macro, label, value, taken)
        if name is None:
            lines.append(comment(_without_name(label, value), indent="    "))
            continue
        taken.add(name)
        lines.append(f"    {name} = {value},")
        named = True
    if not named:
        return "\n".join(line.strip() for line in lines[1:])
    return "\n".join([*lines, "};"])


def _constant(macro: str, label: str, value: int, taken: set[str]) -> str | None:
    """The label in capitals, what C does not allow as '_'; two that become one get their value."""
    words = re.sub(r"[^A-Z0-9]+", "_", label.upper()).strip("_")
    if not words or not label.isascii():
        return None
    for name in (f"{macro}_{words}", f"{macro}_{words}_{value}"):
        if name not in taken and not HEADER_MACRO.fullmatch(name) and len(name) < COLUMNS - 16:
            return name
    return None


def _without_name(label: str, value: int) -> str:
    # Nothing of a label may end the comment.
    return f"{value}, \"{one_line(label).replace('*', '?')}\", has no name in C."
