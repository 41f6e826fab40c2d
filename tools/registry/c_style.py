# SPDX-License-Identifier: Apache-2.0
"""Lays out generated C: four spaces, at most 100 columns wherever the names allow."""
import textwrap

from .exact import ceil_div

COLUMNS = 100


def comment(text: str, indent: str = "") -> str:
    line = f"{indent}/* {text} */"
    if len(line) <= COLUMNS:
        return line
    wrapped = textwrap.wrap(text, COLUMNS - len(indent) - 3, break_on_hyphens=False)
    return "\n".join([f"{indent}/*", *(f"{indent} * {part}" for part in wrapped), f"{indent} */"])


def call(head: str, arguments: list[str], tail: str, indent: str = "") -> str:
    """head(arguments)tail, broken behind the parenthesis or aligned to it when it is too long."""
    opening, tail = f"{indent}{head}(", f"){tail}"
    aligned = _fill(opening, arguments, tail, " " * len(opening))
    if all(len(line) <= COLUMNS for line in aligned):
        return "\n".join(aligned)
    return "\n".join([opening, *_fill(indent + " " * 4, arguments, tail, indent + " " * 4)])


def _fill(first: str, arguments: list[str], tail: str, indent: str) -> list[str]:
    lines = [first]
    for i, argument in enumerate(arguments):
        last = i + 1 == len(arguments)
        word = argument + (tail if last else ",")
        gap = "" if lines[-1] in (first, indent) else " "
        if gap and len(lines[-1]) + len(gap) + len(word) > COLUMNS:
            lines.append(indent)
            gap = ""
        lines[-1] += gap + word
    return lines


def braced(head: str, inside: str, tail: str) -> str:
    """head{inside}tail, broken behind the brace when it is too long."""
    line = f"{head}{{{inside}}}{tail}"
    return line if len(line) <= COLUMNS else f"{head}{{\n    {inside}}}{tail}"


def threshold(value: int) -> str:
    """A sotto_threshold."""
    return f"{{{{0x{value & 0xFFFFFFFF:08x}u, 0x{value >> 32:08x}u}}}}"


def array(head: str, values: list[str]) -> str:
    """head = {values}; in columns, as few as need no more lines; values are of one width."""
    most = (COLUMNS - 4) // (len(values[0]) + 2)
    columns = ceil_div(len(values), ceil_div(len(values), most)) if len(values) > 4 else 1
    rows = [values[i : i + columns] for i in range(0, len(values), columns)]
    return "\n".join([f"{head} = {{", *(f"    {', '.join(row)}," for row in rows), "};"])
