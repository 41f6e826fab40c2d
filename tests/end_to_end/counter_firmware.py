#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Twelve doors of examples/counter live for a year on an emulated board. Their reports are ingested and
estimated as the page says, and held against what the doors counted.

    counter_firmware.py SOTTO BOARD COUNTER.elf
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "counter"
DOORS, DAYS, WINDOW = 12, 365, 7
# Errors of 12 Laplace noises or more, of some 1,100 sums: together further off once in 10^9.
FAR = 10

Rows = list[dict]


def openings(door: int, day: int) -> int:
    return (5 * door + day + day * day // 7) % 10


def estimates(sotto: str, board: str, firmware: str, folder: Path) -> Rows:
    def run(*command: object) -> str:
        return subprocess.run([str(part) for part in command], check=True, cwd=folder,
                              stdout=subprocess.PIPE, text=True, timeout=1200).stdout

    years = ("".join(str(openings(door, day)) for day in range(DAYS)) for door in range(DOORS))
    (folder / "years").write_text("".join(year + "\n" for year in years), encoding="utf-8")
    run(EXAMPLE / "run.sh", board, firmware, "reports.bin", "years")
    run(sys.executable, ROOT / "tools" / "sotto-registry", "compile", EXAMPLE / "metrics.toml", "--out", "registry")
    registry = ("--registry", "registry/metrics.json", "--store", "store")
    run(sotto, "ingest", *registry, "reports.bin")
    return json.loads(run(sotto, "estimate", *registry, "--window", WINDOW, "--format", "json"))


def true_total(row: dict, lost: int) -> int:
    """The openings of all doors in the row's epochs; day 0 is epoch 1. A door may lose some each day."""
    last = row["epoch"]
    return sum(max(0, openings(door, day) - lost)
               for door in range(DOORS) for day in range(last - row["epochs"], last))


def far_off(rows: Rows, lost: int = 0) -> Rows:
    return [row for row in rows if abs(row["total"] - true_total(row, lost)) > FAR * row["total_std_error"]]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        sotto, board, firmware = sys.argv[1:]
        rows = estimates(str(Path(sotto).resolve()), board, str(Path(firmware).resolve()), Path(folder))
    kinds = {kind: sum(row["value"] == kind for row in rows) for kind in ("epoch", "prefix", f"window {WINDOW}")}
    assert set(kinds.values()) == {DAYS}, kinds
    assert all(row["reports"] == DOORS for row in rows)
    assert not far_off(rows), far_off(rows)
    assert len(far_off(rows, lost=1)) > DAYS // 4, "the control: each door loses an opening a day"
    year = next(row for row in rows if row["value"] == "prefix" and row["epochs"] == DAYS)
    print(f"{board}: a year of {DOORS} doors, {year['total']:,.0f} ± {1.96 * year['total_std_error']:,.0f} "
          f"openings; {true_total(year, 0):,} were counted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
