# SPDX-License-Identifier: Apache-2.0
"""
How large a buffer holds an envelope: sdk/proto/WIRE.md in numbers. The host counts a report's bytes
by itself (aggregator/mechanism/published.cpp); both are held to what a device sends.
"""
from collections.abc import Iterable

from .exact import ceil_div
from .model import Compiled

Metrics = Iterable[tuple[int, Compiled]]

RELEASE = SEED = 8
LEVEL = FLAGS = 1
EPOCH_AGE = 5  # the longest varint
EPOCH = 6  # and a tag
VERSION, FIXED32 = 2, 5
ENC, TAG = 32, 16
ROW_COUNT_BITS = 16
ENVELOPE_BYTES_MAX = 1 << 20  # a reader takes none that is longer


def _varint(value: int) -> int:
    return max(1, ceil_div(value.bit_length(), 7))


def _field(length: int) -> int:
    return 1 + _varint(length) + length if length else 0


def bits_for(values: int) -> int:
    """Bits that tell so many values apart, 1 at least."""
    return max(1, (values - 1).bit_length())


def value_bits(table: Compiled, is_first: bool = False) -> int:
    """A value in its column: whole bytes begin with the next byte."""
    bits = bits_for(table.cohorts) if table.cohorts else 0
    if not table.value_bytes:
        return bits + bits_for(table.indices)
    bits += ROW_COUNT_BITS if table.has_rows else 0
    return bits + (-bits % 8 if is_first else 7) + 8 * table.value_bytes


def batch(count: int, metrics: int, values: int, known: bool = True) -> int:
    """
    A batch of `count` reports whose metric differences take so many bytes, and values so many bits.
    `known`: the most that it can be, with levels, ages and ids. Otherwise all are new, of this epoch.
    """
    new = 1 + SEED + _field(metrics) + _field(ceil_div(values, 8))
    if not known:
        return new
    more = sum(_field(each * count) for each in (LEVEL, EPOCH_AGE, FLAGS, RELEASE))
    return EPOCH + new + more


def envelope(length: int, sealed: bool, padding: int) -> int:
    gap = -length % padding if padding else 0
    length += gap + padding if gap == 1 else gap
    content = VERSION + FIXED32
    content += FIXED32 + _field(ENC) + _field(length + TAG) if sealed else _field(length)
    return _varint(content) + content


def flush_bytes_min(metrics: Metrics, sealed: bool, padding: int) -> int:
    """Holds any one report."""
    most = max(
        batch(1, _varint(identifier), value_bits(table, True)) for identifier, table in metrics
    )
    return envelope(most, sealed, padding)


def flush_bytes_max(metrics: Metrics, sealed: bool, padding: int, releases: int) -> int:
    """Holds all that can wait: every release at all its levels, each column at its longest."""
    levels = {
        identifier: len(table.levels) + len(table.forward.levels if table.forward else ())
        for identifier, table in metrics
    }
    count = max(levels.values())
    varints = max(count * _varint(identifier) for identifier, count in levels.items())
    values = max(levels[identifier] * value_bits(table) for identifier, table in metrics)
    most = batch(releases * count, releases * varints, releases * values)
    return min(envelope(most, sealed, padding), ENVELOPE_BYTES_MAX)
