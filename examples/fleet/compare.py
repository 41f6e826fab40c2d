#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the estimates of a demo run beside the truth that only the example's data knows.

    compare.py DATA.csv FOLDER BOARD...

Exit code 1 when an estimate is further from the truth than 6.8 standard errors: chance alone does that
less than once in 10^9 runs. How often intervals hold the truth is tested with fixed seeds elsewhere.
"""

import json
import math
import pathlib
import sys

from truth import damaged

LIMIT = 6.8


def row_of(path: pathlib.Path) -> dict:
    rows = json.loads(path.read_text())
    assert len(rows) == 1 and rows[0]["metric"] == "damage", rows
    return rows[0]


def main() -> int:
    data, folder, boards = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    fleet = damaged(data)
    sources = [("simulated fleet", len(fleet), sum(fleet))]
    for board in boards:
        answers = (folder / f"{board}.values").read_text().strip()
        sources.append((f"firmware on {board}", len(answers), answers.count("1")))

    print(f"{'source':28}{'reports':>9}{'truly damaged':>15}")
    for name, reports, truth in sources:
        print(f"{name:28}{reports:>9,}{truth:>15,}")
    reports = sum(s[1] for s in sources)
    truth = sum(s[2] for s in sources)
    print(f"{'together':28}{reports:>9,}{truth:>15,}")

    row = row_of(folder / "estimate.json")
    assert row["reports"] == reports, f"{row['reports']} reports arrived of {reports}"
    holds = row["ci_low"] <= truth <= row["ci_high"]
    print(f"\n{'estimated damaged':28}{row['estimate']:>24,.0f}   95 % interval "
          f"{row['ci_low']:,.0f} to {row['ci_high']:,.0f}: "
          f"{'holds the truth' if holds else 'misses the truth this time'}")

    again = [row_of(path) for path in sorted((folder / "again").glob("*.json"))]
    held = sum(r["ci_low"] <= sum(fleet) <= r["ci_high"] for r in again)
    print(f"{'twenty more fleets':28}{held:>17} of {len(again):>3}   intervals hold the truth "
          "(19 are to be expected)")
    print("\nNo report says with certainty whether its aircraft was damaged: each answer is turned "
          f"around\nwith probability {1 / (1 + math.exp(row['epsilon'])):.1%} on the device itself.")
    near = all(abs(r["estimate"] - sum(fleet)) <= LIMIT * r["std_error"] for r in again)
    return 0 if near and abs(row["estimate"] - truth) <= LIMIT * row["std_error"] else 1


if __name__ == "__main__":
    sys.exit(main())
