# SPDX-License-Identifier: Apache-2.0
"""
Tables with typed columns, which any library that reads Arrow takes as they are.
"""
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _columns, _sotto

if TYPE_CHECKING:
    from os import PathLike

    import pandas
    import polars


class Table:
    """
    An answer of Sotto. pyarrow.table(table), polars.DataFrame(table) and duckdb read it by Arrow's
    PyCapsule interface, without a copy. A list of remarks stands beside the rows.
    """

    def __init__(self, content: _sotto.Table, remarks: Sequence[str] = ()) -> None:
        self._content = content
        self._columns: dict[str, list] | None = None
        self.remarks: list[str] = list(remarks)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._content.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._content.__arrow_c_schema__()

    @property
    def formats(self) -> dict[str, str]:
        """Arrow's format of each column."""
        return {name: fmt for name, fmt, *_ in self._content.parts()[4]}

    @property
    def column_names(self) -> list[str]:
        return list(self.formats)

    def __len__(self) -> int:
        return self._content.parts()[2]

    def to_pydict(self) -> dict[str, list]:
        """A list of values for each column; None where there is none."""
        if self._columns is None:
            self._columns = {name: _columns.column(*rest) for name, *rest in self._content.parts()[4]}
        return {name: list(column) for name, column in self._columns.items()}

    def to_pylist(self) -> list[dict[str, Any]]:
        """A dictionary for each row."""
        columns = self.to_pydict()
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    def to_pandas(self) -> pandas.DataFrame:
        """Columns of pandas' types that know what is missing; dates are datetime64."""
        import pandas

        made = {}
        formats = self.formats
        for name, column in self.to_pydict().items():
            if formats[name] == "tdD":
                made[name] = pandas.Series(pandas.to_datetime(column), dtype="datetime64[s]")
            else:
                made[name] = pandas.Series(column, dtype=_columns.DTYPES.get(formats[name], "object"))
        return pandas.DataFrame(made)

    def to_polars(self) -> polars.DataFrame:
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        return f"<sotto.Table of {len(self)} rows: {', '.join(self.column_names)}>"


def export(table: Table, path: str | PathLike[str], format: str | None = None) -> None:
    """
    Writes a table with its types: as "parquet" or "arrow", which need pyarrow. Without `format`, as the
    name ends. The file is there whole, or not at all.

    >>> export(Store("store").estimate(registry), "estimates.parquet")
    """
    import pyarrow
    from pyarrow import feather, parquet

    kind = format or Path(path).suffix[1:]
    if kind not in ("parquet", "arrow"):
        raise _sotto.UsageError(f"{path}: ends in neither .parquet nor .arrow")
    columns = pyarrow.table(table)
    part = f"{path}.part"
    try:
        if kind == "parquet":
            parquet.write_table(columns, part)
        else:
            feather.write_feather(columns, part, compression="uncompressed")
        Path(part).replace(path)
    finally:
        Path(part).unlink(missing_ok=True)
