# SPDX-License-Identifier: Apache-2.0
"""
Report files to tallies in Spark. Files are opened and parsed where they are read. Rows move to the
part of their release's hash, and each part is counted once. No store is needed.

    files = spark.read.format("binaryFile").load("reports/*.bin")
    counted = sotto.spark.tally(files, "metrics.json", key="/run/secrets/keys")
    Path("day.tly").write_bytes(counted.tallies)

Tasks may be killed, repeated or run twice, and files may be there twice: a row counts once.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow

from ._sotto import Host, HostRows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Counted", "tally"]

ROW_BYTES_MAX = 1 << 26
"""Rows that a task holds before it hands them on."""
PARSED = pyarrow.schema([("part", pyarrow.int32()), ("rows", pyarrow.binary()),
                         ("envelopes", pyarrow.int64()), ("rejected", pyarrow.int64())])  # fmt: skip
COUNTED = pyarrow.schema([("share", pyarrow.binary()), ("envelopes", pyarrow.int64()), ("rejected", pyarrow.int64())])
SQL_TYPES = {pyarrow.int32(): "int", pyarrow.int64(): "bigint", pyarrow.binary(): "binary"}


@dataclass(frozen=True)
class Counted:
    """
    `tallies` are the bytes of `sotto tally --out`. Envelopes, and what was rejected, count as often
    as their file was there.
    """

    tallies: bytes
    envelopes: int
    rejected: int


@lru_cache(maxsize=4)
def _host(registries: tuple[str, ...], key: str) -> Host:
    """One in each worker."""
    return Host(list(registries), key)


def _sql(schema: pyarrow.Schema) -> str:
    return ", ".join(f"{field.name} {SQL_TYPES[field.type]}" for field in schema)


def _taken(rows: HostRows, parts: int, before: tuple[int, int, int]) -> pyarrow.RecordBatch:
    """All rows, a line a part that has some. The first has the counts since then."""
    taken = {part: rows.take(part) for part in range(parts)}
    kept = [part for part in taken if taken[part] or part == 0]
    zeros = [0] * (len(kept) - 1)
    envelopes, _, rejected = (now - then for now, then in zip(rows.read, before))
    return pyarrow.record_batch(
        [kept, [taken[part] for part in kept], [envelopes, *zeros], [rejected, *zeros]], schema=PARSED)  # fmt: skip


def _parsed(batches: Iterable[pyarrow.RecordBatch], registries: tuple[str, ...], key: str,
            parts: int) -> Iterator[pyarrow.RecordBatch]:  # fmt: skip
    rows = HostRows(_host(registries, key), parts)
    before = (0, 0, 0)
    for batch in batches:
        for content in batch.column("content"):
            rows.parse(content.as_py())
            if rows.size >= ROW_BYTES_MAX:
                yield _taken(rows, parts, before)
                before = rows.read
    yield _taken(rows, parts, before)


def _share(table: pyarrow.Table, registries: tuple[str, ...], parts: int) -> pyarrow.Table:
    part = table.column("part")[0].as_py()
    share = _host(registries, "").tally(part, parts, table.column("rows").to_pylist())
    counts = [[sum(table.column(name).to_pylist())] for name in ("envelopes", "rejected")]
    return pyarrow.table([[share], *counts], schema=COUNTED)


def tally(files: DataFrame, registry: str | PathLike[str] | Iterable[str | PathLike[str]], *,
          key: str | PathLike[str] | None = None, parts: int | None = None) -> Counted:  # fmt: skip
    """
    Counts report files. `files` has a column `content`, as Spark's format `binaryFile` makes it.
    `registry` is one metrics.json or several, on this machine. `key` is the path of a key or of a
    folder of keys, on every worker: no key travels. A task counts one of `parts` in memory, some
    three times its rows; without, there are twice as many as the cluster has cores.

    Raises Error where the registry or keys are wrong, pyspark's PythonException where a worker fails.
    """
    paths = [registry] if isinstance(registry, (str, PathLike)) else list(registry)
    registries = tuple(Path(path).read_text(encoding="utf-8") for path in paths)
    session = files.sparkSession
    parts = 2 * session.sparkContext.defaultParallelism if parts is None else parts
    here = Host(list(registries), "")
    HostRows(here, parts)  # refuses what no task could do
    parse = partial(_parsed, registries=registries, key=fspath(key or ""), parts=parts)
    parsed = files.select("content").mapInArrow(parse, _sql(PARSED))
    # A part without rows has a share as well, so that a lost one is missed.
    empty = session.range(parts).selectExpr(
        "cast(id as int) part", "cast('' as binary) rows", "0L envelopes", "0L rejected")  # fmt: skip

    def share(table):  # without types: Spark 4.3 would fail to read them
        return _share(table, registries, parts)

    shares = parsed.union(empty).groupBy("part").applyInArrow(share, _sql(COUNTED))
    counted = shares.collect()
    return Counted(here.merge([bytes(row.share) for row in counted]),
                   sum(row.envelopes for row in counted), sum(row.rejected for row in counted))  # fmt: skip
