# SPDX-License-Identifier: Apache-2.0
"""
Arrow's columns as Python has them, for whoever has no pyarrow. The formats are those of columns.hpp.
"""
import struct
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

NUMBERS = {"i": "i", "I": "I", "L": "Q", "g": "d", "tdD": "i"}  # for struct
DTYPES = {"b": "boolean", "i": "Int32", "I": "UInt32", "L": "UInt64", "g": "Float64", "U": "string"}  # for pandas
FIRST_DAY = date(1970, 1, 1)


def numbers(letter: str, data: bytes) -> list:
    return list(struct.unpack(f"<{len(data) // struct.calcsize('<' + letter)}{letter}", data))


def bits(data: bytes, length: int) -> list[bool]:
    return [bool(data[i // 8] >> i % 8 & 1) for i in range(length)]


def pieces(offsets: bytes, data: Any) -> Iterator[Any]:
    ends = numbers("q", offsets)
    return (data[first:last] for first, last in zip(ends, ends[1:]))


def values(fmt: str, length: int, buffers: list[bytes], children: list) -> list:
    """As if all were there."""
    if fmt == "b":
        return bits(buffers[1], length)
    if fmt == "tdD":
        return [FIRST_DAY + timedelta(days) for days in numbers("i", buffers[1])]
    if fmt in NUMBERS:
        return numbers(NUMBERS[fmt], buffers[1])
    if fmt == "U":
        return [text.decode() for text in pieces(buffers[1], buffers[2])]
    if fmt == "+L":
        _, *item = children[0]
        return list(pieces(buffers[1], values(*item)))
    width = int(fmt.removeprefix("w:"))
    return [buffers[1][i * width : (i + 1) * width] for i in range(length)]


def column(fmt: str, length: int, buffers: list[bytes], children: list) -> list:
    there = bits(buffers[0], length)
    return [value if here else None for value, here in zip(values(fmt, length, buffers, children), there)]
