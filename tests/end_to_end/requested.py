#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A request that selects by what devices said, from the operator's key to the estimate. The naive
reading of those reports is far from the truth, sotto estimate is not.
    requested.py SOTTO OUT"""
import collections
import csv
import json
import math
import pathlib
import shutil
import sys

from running import expect, root, run

LIMIT = 6.8  # standard errors: chance alone exceeds them less than once in 10^10 estimates
EVERY = 10  # row of the data: a device takes milliseconds to check a signature
PHASES = ["Approach", "Climb", "Descent", "Landing Roll", "Parked", "Take-off run", "Taxi"]
LADDERS = {1: (0.5, 2), 2: (1, 3)}  # epsilons by metric id
SIZES = {1: 2, 2: len(PHASES)}

sotto, out = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(out, ignore_errors=True)
out.mkdir(parents=True)
with open(root / "examples/data/birdstrikes.csv", newline="", encoding="utf-8") as table:
    data = list(csv.DictReader(table))[::EVERY]
with open(out / "rows.csv", "w", newline="", encoding="utf-8") as table:
    rows = csv.DictWriter(table, data[0].keys())
    rows.writeheader()
    rows.writerows(data)
run(sotto, "keygen", "--requests", "--out", out)
public, private = (next(out.glob(f"*.{kind}")) for kind in ("pub", "key"))
(out / "metrics.toml").write_text(f"""[registry]
name = "asked"
version = 1
[[metric]]
id = 1
name = "damage"
type = "boolean"
epsilons = {list(LADDERS[1])}
request_level = 1
[[metric]]
id = 2
name = "phase"
type = "category"
categories = {json.dumps(PHASES)}
epsilons = {list(LADDERS[2])}
request_level = 1
[requests]
key = "{public.name}"
""")
run(root / "tools/sotto-registry", "compile", out / "metrics.toml", "--out", out)
registry = out / "metrics.json"


def fleet(metric, *select):
    """Ingests a fleet that obeys a request about a metric; answers its file and what was said."""
    name = f"{metric}{len(select)}"
    run(sotto, "request-relax", "--registry", registry, "--key", private, "--metric", metric,
        "--level", 1, "--epochs", "0-3", "--serial", 1, "--out", out / "request", *select)
    falses = ["--false", "damage=None"] if metric == "damage" else []
    said = run(sotto, "simulate", "--registry", registry, "--input", out / "rows.csv", "--map",
               f"{metric}={metric}", *falses, "--seed", "2026", "--request", out / "request",
               "--request-key", public, "--out", out / f"{name}.bin").stdout
    run(sotto, "ingest", "--registry", registry, "--store", out / name, out / f"{name}.bin")
    return out / f"{name}.bin", said


def estimate(store, *more):
    done = run(sotto, "estimate", "--registry", registry, "--store", store, "--format", "json",
               *more)
    return {row["value"]: row for row in json.loads(done.stdout)}, done.stderr


def naive(file, value):
    """The last report of every release, read as if which were relaxed had been a matter of chance:
    an estimate and its standard error."""
    last = {}
    for line in run(sotto, "inspect", "--registry", registry, file).stdout.splitlines():
        report = json.loads(line)
        if report["level"] >= last.get(report["release"], {"level": 0})["level"]:
            last[report["release"]] = report
    found = variance = 0
    for report in last.values():
        size = SIZES[report["metric"]]
        odds = math.exp(LADDERS[report["metric"]][report["level"]])
        keep, other = odds / (odds + size - 1), 1 / (odds + size - 1)
        found += ((report["value"] == value) - other) / (keep - other)
        variance += keep * (1 - keep) / (keep - other) ** 2
    return found, math.sqrt(variance)


def check(metric, selected, truth, indices):
    file, said = fleet(metric, "--select", ",".join(selected))
    expect("relaxed as requested" in said and "not selected" in said, said)
    rows, notes = estimate(file.with_suffix(""))
    expect("three-outcome estimator" in notes, f"nothing is said of the selection: {notes}")
    expect("honest devices" not in notes, f"an honest fleet is accused: {notes}")
    page = out / "page.html"
    run(sotto, "estimate", "--registry", registry, "--store", file.with_suffix(""), "--format",
        "html", "--out", page)
    expect("three-outcome estimator" in page.read_text(), "the page says nothing of the selection")
    bias = 0
    for value, row in rows.items():
        away = (row["estimate"] - truth[value]) / row["std_error"]
        expect(abs(away) < LIMIT, f"{metric} {value}: {away:.1f} standard errors from the truth")
        plain, error = naive(file, indices[value])
        bias = max(bias, abs(plain - truth[value]) / error)
        print(f"{metric:6} {value!s:13}{truth[value]:6}{row['estimate']:8.0f} ± "
              f"{1.96 * row['std_error']:.0f}{plain:8.0f} naive")
    expect(bias > LIMIT, f"{metric}: the naive reading is not biased ({bias:.1f}): no control")
    _, notes = estimate(file.with_suffix(""), "--level", 1)
    expect("no sample of all" in notes and "honest devices" not in notes,
           f"level 1 alone is taken for a sample: {notes}")


damaged = sum(row["damage"] != "None" for row in data)
check("damage", ["true"], {True: damaged}, {True: 1})
phases = collections.Counter(row["phase"] for row in data)
check("phase", ["Climb", "Parked"], phases, {name: i for i, name in enumerate(PHASES)})

# Where everybody was asked nothing is selected: neither a flag nor a word about it.
everybody, said = fleet("damage")
expect(f"{len(data):,} releases relaxed as requested\n" in said, said)
rows, notes = estimate(everybody.with_suffix(""))
expect("three-outcome" not in notes, f"a selection where there was none: {notes}")
row = rows[True]
expect(abs(row["estimate"] - damaged) < LIMIT * row["std_error"], "everybody: far from the truth")
