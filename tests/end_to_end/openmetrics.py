#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sotto estimate --format openmetrics, held to JSON; and a strict reader of what it writes.
    openmetrics.py SOTTO OUT"""
import csv
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

from running import expect

root = pathlib.Path(__file__).resolve().parents[2]
names = ["plain", 'quote " and \\ and {metric="x"} 1', "\u00e9t\u00e9"]


def registry():
    return f"""
[registry]
name = "tram-line"
version = 1
epoch_days = 1

[[metric]]
id = 1
name = "delay"
title = "Delay \\" of a tram"
unit = "minutes"

type = "integer"
min = 0
max = 60
epsilons = [1, 2]

[[metric]]
id = 2
name = "stop"
type = "category"
categories = [{", ".join(json.dumps(name) for name in names)}]
epsilons = [1, 2]
"""


def parsed_metrics(text):
    """The samples of an OpenMetrics text; stops at whatever is none."""
    name, label = r"[a-z_][a-z0-9_]*", r'[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"'
    number = r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?"
    expect(text.endswith("\n# EOF\n") and text.count("# EOF") == 1, "no end, or two")
    family = kind = None
    seen, samples = set(), {}
    for line in text[:-len("\n# EOF\n")].split("\n"):
        if meta := re.fullmatch(rf"# (TYPE|UNIT|HELP) ({name}) (.+)", line):
            what, member, value = meta.groups()
            if what == "TYPE":
                expect(member not in seen and value in ("counter", "gauge", "info"), line)
                family, kind = member, value
                seen.add(member)
            expect(member == family, f"among another family: {line}")
            expect(what != "UNIT" or member.endswith(f"_{value}"), f"not the name's unit: {line}")
            continue
        sample = re.fullmatch(rf"({name})(\{{(?:{label})(?:,{label})*\}})? ({number})", line)
        expect(sample, f"no sample: {line}")
        suffix = {"counter": "_total", "gauge": "", "info": "_info"}[kind]
        expect(sample[1] == family + suffix, f"not of {family}, a {kind}: {line}")
        key = sample[1] + (sample[2] or "")
        expect(key not in samples, f"twice: {key}")
        samples[key] = float(sample[3])
    return samples


def check_reader():
    """It refuses what is none."""
    for wrong in ("a 1\n# EOF\n", "# TYPE a counter\na 1\n# EOF\n", "# TYPE a gauge\na 1\n",
                  "# TYPE a gauge\n# UNIT a bytes\na 1\n# EOF\n",
                  "# TYPE a gauge\na 1\na 2\n# EOF\n", '# TYPE a gauge\na{b="""} 1\n# EOF\n'):
        try:
            parsed_metrics(wrong)
        except (SystemExit, KeyError):
            continue
        raise SystemExit(f"failed: the reader takes {wrong!r}")


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, capture_output=True).stdout.decode()


def make_store(sotto, out):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "metrics.toml").write_text(registry())
    run(root / "tools/sotto-registry", "compile", out / "metrics.toml", "--out", out)
    drawn = random.Random(3)
    with open(out / "rows.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["delay", "stop"])
        table.writerows([drawn.randrange(20), drawn.choice(names)] for _ in range(2000))
    for epoch in (20_000, 20_001):
        run(sotto, "simulate", "--registry", out / "metrics.json", "--input", out / "rows.csv",
            "--map", "delay=delay,stop=stop", "--epoch", epoch, "--seed", f"0{epoch % 10}",
            "--out", out / "reports.bin")
        for _ in range(2):  # again: every report is then a duplicate
            run(sotto, "ingest", "--registry", out / "metrics.json", "--store", out / "store",
                out / "reports.bin")


def label(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def expected(rows):
    """The newest epoch's, as JSON has them."""
    samples = {}
    for row in (row for row in rows if row["epoch"] == 20_001):
        value = "" if row["value"] is None else f'value="{label(row["value"])}",'
        labels = f'{{metric="{row["metric"]}",{value}quantity="{row["quantity"]}"}}'
        for name, field in (("", "estimate"), ("_low", "ci_low"), ("_high", "ci_high")):
            samples[f"sotto_estimate{name}{labels}"] = row[field]
        of_metric = f'{{metric="{row["metric"]}"}}'
        samples["sotto_reports" + of_metric] = 2000
        samples["sotto_epoch" + of_metric] = 20_001
        samples["sotto_epsilon" + of_metric] = row["epsilon_all_levels"]
    return samples


def main():
    check_reader()
    sotto, out = sys.argv[1], pathlib.Path(sys.argv[2])
    make_store(sotto, out)
    asked = (sotto, "estimate", "--registry", out / "metrics.json", "--store", out / "store",
             "--format")
    text = run(*asked, "openmetrics")
    (out / "estimates.txt").write_text(text)
    samples = parsed_metrics(text)
    wanted = expected(json.loads(run(*asked, "json")))
    expect(len(wanted) == 3 * 4 + 3 * 2, f"{len(wanted)} samples")
    for key, value in wanted.items():
        expect(samples.pop(key, None) == value, f"{key} is not {value}")
    duplicates = samples.pop('sotto_rejected_reports_total{reason="duplicate"}')
    expect(duplicates == 0, f"{duplicates} reports that came twice are rejected")
    info = ('sotto_metric_info{registry="tram-line",metric="delay",type="integer",'
            'mechanism="discrete_laplace",title="Delay \\" of a tram",unit="minutes"}')
    expect(samples.pop(info, None) == 1, samples)
    others = [key for key in samples
              if not key.startswith(("sotto_rejected_reports_total", "sotto_metric_info"))]
    expect(not others, f"more than was asked for: {others}")
    print(f"{len(wanted)} samples as in JSON")


if __name__ == "__main__":
    main()
