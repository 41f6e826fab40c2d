# SPDX-License-Identifier: Apache-2.0
"""
Sotto's host library: report files in, estimates with honest errors out. It is the program `sotto`
as a library, with the same options by the same names. The examples begin where the doctests
of the project do: with a registry of a boolean, and a table of who has a window open.

>>> registry = Registry("metrics.json")
>>> simulate(registry, "rows.csv", "reports.bin", map={"window_open": "open"}, seed="00")["reports"]
1000
>>> ingest(registry, "store", ["reports.bin"])["reports"]
1000
>>> table = estimate(registry, "store")
>>> table.to_pydict()["value"], table.to_pydict()["reports"]
(['true'], [1000])
"""
from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from . import _sotto
from ._sotto import Error, UsageError
from .table import Table, export

__all__ = ["Error", "Registry", "Store", "Table", "UsageError",
           "epsilon", "estimate", "export", "ingest", "plan", "simulate"]  # fmt: skip

Path = str | PathLike[str]
Progress = Callable[[int, float], object]
"""Is called a few times a second: so much is done, and this share of the whole, 0 to 1."""


def _paths(paths: Path | Iterable[Path]) -> list[str]:
    return [fspath(paths)] if isinstance(paths, (str, PathLike)) else [fspath(path) for path in paths]


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that are not None: the others stay as the program has them."""
    return {name: value for name, value in options.items() if value is not None}


class Registry:
    """
    A metrics.json, as sotto-registry compiles it.

    >>> registry = Registry("metrics.json")
    >>> registry.name, registry.metrics
    ('home', ['window_open'])
    """

    def __init__(self, path: Path) -> None:
        self.path = fspath(path)
        self._promise = epsilon(self)
        self.name: str = self._promise["registry"]["name"]
        self.version: int = self._promise["registry"]["version"]
        self.fingerprint: str = self._promise["registry"]["fingerprint"]

    def __fspath__(self) -> str:
        return self.path

    @property
    def metrics(self) -> list[str]:
        """Their names, by id."""
        return [metric["name"] for metric in self._promise["metrics"]]

    def epsilon(self, horizon: int | None = None) -> dict[str, Any]:
        """Its promise: see epsilon()."""
        return epsilon(self, horizon)

    def __repr__(self) -> str:
        return f"<sotto.Registry {self.name}, version {self.version}: {', '.join(self.metrics)}>"


class Store:
    """
    A directory that report files are ingested into. It need not exist before.

    >>> store = Store("store")
    >>> store.estimate(registry).to_pydict()["metric"]
    ['window_open']
    """

    def __init__(self, path: Path) -> None:
        self.path = fspath(path)

    def __fspath__(self) -> str:
        return self.path

    def ingest(self, registry: Path, files: Path | Iterable[Path], **options: Any) -> dict[str, Any]:
        """See ingest()."""
        return ingest(registry, self, files, **options)

    def estimate(self, registry: Path, **options: Any) -> Table:
        """See estimate()."""
        return estimate(registry, self, **options)

    def rows(self, registry: Path, metric: str, *, epoch: int | None = None) -> Table:
        """
        A metric's stored reports as they are kept, noised, at all levels of each release. `release`
        is the same at all levels of one measurement.

        >>> rows = Store("store").rows(registry, "window_open")
        >>> len(rows), rows.column_names
        (1000, ['epoch', 'release', 'level', 'cohort', 'value'])
        """
        return Table(_sotto.rows(fspath(registry), self.path, metric, epoch))

    def __repr__(self) -> str:
        return f"<sotto.Store {self.path}>"


def ingest(registry: Path, store: Path, files: Path | Iterable[Path], *, key: Path | None = None,
           progress: Progress | None = None) -> dict[str, Any]:  # fmt: skip
    """
    Checks report files and adds them to a store; nothing is counted twice. Answers how many
    `reports` are new, how many `envelopes` were read, and how many of what was `rejected` by reason.

    >>> ingest(registry, "store", "reports.bin")
    {'reports': 0, 'envelopes': 1000, 'rejected': {'duplicate': 1000}}

    All files are taken in before an Error names those that could not be.

    >>> ingest(registry, "store", "nothing.bin")
    Traceback (most recent call last):
    sotto._sotto.UsageError: nothing.bin: No such file or directory
    """
    return _sotto.ingest(fspath(registry), fspath(store), _paths(files), fspath(key or ""), progress)


def estimate(registry: Path, store: Path, *, metric: str | None = None, epoch: int | None = None,
             level: int | None = None, all_epochs: bool = False,
             candidates: Path | Sequence[str] | None = None, discover: Sequence[str] | None = None,
             alphabet: str | None = None, correction: str | None = None, window: int | None = None,
             decay: float | None = None, smoothed: bool = False,
             ranges: Iterable[tuple[int, int]] = (),
             boxes: Iterable[tuple[int, int, int, int]] = (),
             coalition: int | None = None) -> Table:  # fmt: skip
    """
    Estimates the truth from the reports of a store, a row a value. `candidates` are strings, or the
    path of a file of them. A range is (low, high), a box (x0, x1, y0, y1).

    >>> frame = estimate(registry, "store", metric="window_open").to_pandas()
    >>> row = frame.iloc[0]
    >>> bool(row.ci_low <= 300 <= row.ci_high)
    True
    """
    is_file = isinstance(candidates, PathLike) or isinstance(candidates, str)
    given = {
        "registry": fspath(registry), "store": fspath(store), "metric": metric, "epoch": epoch,
        "level": level, "all_epochs": all_epochs, "alphabet": alphabet, "correction": correction,
        "candidate_file": fspath(candidates) if is_file else None,
        "candidates": list(candidates) if candidates is not None and not is_file else None,
        "discover": ",".join(discover) if discover is not None else None,
        "window": window, "decay": decay, "smoothed": smoothed, "coalition": coalition,
        "ranges": [f"{low}:{high}" for low, high in ranges],
        "boxes": [f"{x0}:{x1},{y0}:{y1}" for x0, x1, y0, y1 in boxes],
    }  # fmt: skip
    return Table(*_sotto.estimate(_given(given)))


def simulate(registry: Path, input: Path, out: Path, *, map: Mapping[str, str] | str,
             true: Mapping[str, str] | None = None, false: Mapping[str, str] | None = None,
             scale: Mapping[str, int] | None = None, device: str | None = None,
             epoch_column: str | None = None, epoch: int | None = None, levels: int | None = None,
             relaxed: float | None = None, repeat: int | None = None, key: Path | None = None, seed: str | None = None,
             progress: Progress | None = None) -> dict[str, Any]:  # fmt: skip
    """
    Writes the reports that devices make of a CSV file, a row a device, by running the SDK. `map`
    says each metric's column; `true` and `false` the texts of a boolean. `scale` multiplies decimals
    to whole numbers. With `device` and `epoch_column` a row is what one device met in one epoch, and
    devices live through all epochs. `map` may then be the name of a counter. A seed makes the noise
    predictable, for tests: such reports are NOT private.

    >>> made = simulate(registry, "rows.csv", "again.bin", map={"window_open": "open"})
    >>> made["devices"], made["reports"]
    (1000, 1000)
    """

    def pairs(texts: Mapping[str, Any] | None) -> list[str] | None:
        return None if texts is None else [f"{name}={text}" for name, text in texts.items()]

    given = {
        "registry": fspath(registry), "input": fspath(input), "out": fspath(out),
        "map": [map] if isinstance(map, str) else pairs(map), "true": pairs(true),
        "false": pairs(false), "scale": pairs(scale), "device": device, "epoch_column": epoch_column, "epoch": epoch,
        "levels": levels, "relaxed": None if relaxed is None else f"{relaxed:.10g}",
        "repeat": repeat, "key": None if key is None else fspath(key), "seed": seed,
    }  # fmt: skip
    return _sotto.simulate(_given(given), progress)


def plan(type: str, *, devices: float, epsilon: float | None = None,
         epsilon_per_day: float | None = None, epsilon_lifetime: float | None = None,
         reports_per_day: float | None = None, accuracy: float | None = None,
         floor: float | None = None, name: str | None = None, size: int | None = None,
         members: int | None = None, max_members: int | None = None, min: int | None = None,
         max: int | None = None, length: int | None = None, l1_sensitivity: int | None = None,
         event: int | None = None, window: int | None = None, bins: int | None = None,
         delta: int | None = None, points: int | None = None, range: int | None = None,
         bits: int | None = None, hashes: int | None = None,
         cohorts: int | None = None) -> dict[str, Any]:  # fmt: skip
    """
    The ways to ask a question, with their errors, and the one to choose: as `sotto plan --format
    json` has them.

    >>> made = plan("boolean", devices=10_000, epsilon=1)
    >>> made["recommended"]["mechanism"], round(made["recommended"]["std_error"], 4)
    ('randomized_response', 0.0096)
    """
    given = locals()
    return json.loads(_sotto.plan(_given({**given, "devices": float(devices)})))


def epsilon(registry: Path, horizon: int | None = None) -> dict[str, Any]:
    """
    The promise of a registry, with all integers to check it by; or, with a horizon, what all of so
    many epochs lose together. As `sotto epsilon --format json` has it.

    >>> level = epsilon(registry)["metrics"][0]["levels"][0]
    >>> level["nominal"], level["realised"] <= 0.5
    (0.5, True)
    """
    return json.loads(_sotto.promise(fspath(registry), horizon))
