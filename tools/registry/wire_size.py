# SPDX-License-Identifier: Apache-2.0
"""
How large a buffer holds an envelope: sdk/proto/WIRE.md in numbers. The host counts a report's bytes
by itself (aggregator/mechanism/published.cpp); both are held to what a device sends.
"""
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


def report(identifier: int, table: Compiled, requests: bool) -> int:
    cohort = FIXED32 if table.has_cohort else 0
    content = RELEASE + 1 + _varint(identifier) + LEVEL + EPOCH_AGE + cohort + _value(table)
    return _delimited(content + (FLAGS if requests else 0))


def envelope(reports: int, sealed: bool) -> int:
    batch = EPOCH + reports
    gap = -batch % PADDING
    batch += gap + PADDING if gap == 1 else gap
    content = 2 + FIXED32
    content += KEY_ID + _delimited(ENC) + _delimited(batch + TAG) if sealed else _delimited(batch)
    return _varint(content) + content


def flush_bytes_min(metrics: Iterable[tuple[int, Compiled]], sealed: bool, requests: bool) -> int:
    """Holds any one report."""
    return envelope(max(report(*metric, requests) for metric in metrics), sealed)


def flush_bytes_max(
    metrics: Iterable[tuple[int, Compiled]], sealed: bool, requests: bool, releases: int
) -> int:
    """Holds all that can wait: every release, of the metric that takes most, at all its levels."""
    most = max(
        (len(table.levels) + len(table.forward.levels if table.forward else ()))
        * report(identifier, table, requests)
        for identifier, table in metrics
    )
    return envelope(releases * most, sealed)
