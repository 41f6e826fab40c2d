#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""google/rappor's demonstration by devices: a million reports of its exponential distribution, each
by the SDK, decoded by the program. The result is held against that of rappor_campaign, which draws
bit counts (aggregator/estimate/README.md).
    google_demo.py SOTTO OUT"""
import csv
import math
import pathlib
import random
import shutil
import sys

from running import expect, root, run

VALUES, REPORTS = 100, 1_000_000
sotto, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
chance = random.Random(2026)

(out / "metrics.toml").write_text(
    '[registry]\nname = "google-demo"\nversion = 1\n[[metric]]\nid = 1\nname = "text"\n'
    'type = "string"\nbits = 32\nhashes = 1\ncohorts = 64\npermanent = [0.5]\n'
    'instantaneous = [[0.25, 0.75]]\nmax_bytes = 32\n')
run(root / "tools/sotto-registry", "compile", out / "metrics.toml", "--out", out)
held = [0] * (2 * VALUES)  # as many again that nobody has
weights = [math.exp(-v * 5 / VALUES) for v in range(1, VALUES + 1)]
with open(out / "rows.csv", "w", encoding="utf-8") as rows:
    rows.write("text\n")
    for value in chance.choices(range(VALUES), weights, k=REPORTS):
        held[value] += 1
        rows.write(f"v{value + 1}\n")
candidates = {f"v{v + 1}": n for v, n in enumerate(held) if v >= VALUES or v % 10 != 8}
(out / "candidates.txt").write_text("".join(f"{text}\n" for text in candidates))

registry = ("--registry", out / "metrics.json")
run(sotto, "simulate", *registry, "--input", out / "rows.csv", "--map", "text=text", "--seed",
    "2026", "--out", out / "reports.bin")
run(sotto, "ingest", *registry, "--store", out / "store", out / "reports.bin")
run(sotto, "estimate", *registry, "--store", out / "store", "--candidates", out / "candidates.txt",
    "--format", "csv", "--out", out / "found.csv")

with open(out / "found.csv", newline="", encoding="utf-8") as table:
    rows = {row["value"]: row for row in csv.DictReader(table) if not row["value_kind"]}
expect(set(rows) == set(candidates), "not every candidate has a row")
detected = [text for text, row in rows.items() if row["detected"] == "true"]
found = sum(candidates[text] > 0 for text in detected)
wrong = len(detected) - found
covered = sum(float(row["ci_low"]) <= candidates[text] <= float(row["ci_high"])
              for text, row in rows.items())
print(f"{found} of {sum(n > 0 for n in candidates.values())} found, {wrong} that nobody has, "
      f"{covered} of {len(rows)} intervals hold the truth")
# 6.2 standard deviations below 95 %; the campaign finds 44 in the mean, and 1.3 that nobody has.
expect(covered >= 0.95 * len(rows) - 6.2 * math.sqrt(0.95 * 0.05 * len(rows)), "too few hold it")
expect(found >= 35 and wrong <= 9.1, "more is found, and less that is wrong, by bit counts")
