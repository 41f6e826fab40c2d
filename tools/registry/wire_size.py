# SPDX-License-Identifier: Apache-2.0
"""How large a buffer holds the envelope of any one report: sdk/proto/WIRE.md in numbers."""
from collections.abc import Iterable

from .exact import ceil_div
from .model import Compiled

PADDING = 64
RELEASE = 10  # tag, length, 8 bytes
LEVEL = 2
FLAGS = 2
EPOCH_AGE = EPOCH = 6  # a tag and the longest varint
FIXED32 = 5
KEY_ID = 6  # a tag and the longest varint
ENC, TAG = 32, 16


def _varint(value: int) -> int:
    return max(1, ceil_div(value.bit_length(), 7))


def _delimited(length: int) -> int:
    return 1 + _varint(length) + length


def _value(table: Compiled) -> int:
    return FIXED32 if table.value_bytes is None else _delimited(table.value_bytes)


def flush_bytes_min(metrics: Iterable[tuple[int, Compiled]], sealed: bool, requests: bool) -> int:
    most = 0
    for identifier, table in metrics:
        cohort = FIXED32 if table.has_cohort else 0
        content = RELEASE + 1 + _varint(identifier) + LEVEL + EPOCH_AGE + cohort + _value(table)
        content += FLAGS if requests else 0
        batch = EPOCH + _delimited(content)
        gap = -batch % PADDING
        batch += gap + PADDING if gap == 1 else gap
        envelope = 2 + FIXED32
        envelope += KEY_ID + _delimited(ENC) + _delimited(batch + TAG) if sealed else _delimited(batch)
        most = max(most, _varint(envelope) + envelope)
    return most
