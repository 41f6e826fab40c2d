#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Runs the mechanisms of Sotto, pure-LDP and multi-freq-ldpy on the same columns of real data, at the same
epsilon. Errors, bytes and times go to OUT/results.json. The rivals come from PyPI by hash, into an
environment of their own below OUT.

    compare.py SOTTO OUT [REPETITIONS]    20 repetitions; needs the network
    compare.py --page RESULTS             prints the tables of docs/CHOOSING.md

Ours are all that `sotto plan` offers for the column, as a category and, where it has many values, as a string.
"""
import csv
import json
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = ROOT / "examples" / "data" / "birdstrikes.csv"
COLUMNS = {"phase": ("category",), "state": ("category", "string"), "aircraft": ("category", "string")}
EPSILONS = ("1", "3")
REPETITIONS = 20
OURS = "sotto"
AS_GOOD = 1.05  # as aggregator/plan/plan.cpp has it

Found = dict[str, Any]
Errors = list[list[float]]  # by repetition and value: estimated less true counts


@dataclass(frozen=True)
class Column:
    name: str
    texts: list[str]  # one a row

    @cached_property
    def values(self) -> list[str]:
        return sorted(set(self.texts))

    @cached_property
    def numbers(self) -> list[int]:
        place = {value: i for i, value in enumerate(self.values)}
        return [place[text] for text in self.texts]

    @cached_property
    def counts(self) -> list[int]:
        counts = [0] * len(self.values)
        for number in self.numbers:
            counts[number] += 1
        return counts


def read_columns() -> list[Column]:
    with DATA.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [Column(name, [row[name] for row in rows]) for name in COLUMNS]


def root_mean_square(errors: Errors) -> float:
    squares = [error * error for of_a_run in errors for error in of_a_run]
    return (sum(squares) / len(squares)) ** 0.5


def largest(errors: Errors) -> float:
    """The largest error of a run, on average."""
    return sum(max(map(abs, of_a_run)) for of_a_run in errors) / len(errors)


def rounded(number: float) -> float:
    return float(f"{number:.4g}")


def summary(found: Found, devices: int) -> Found:
    """With shares of all devices in place of each error, and microseconds an answer."""
    out: Found = {key: found[key] for key in ("library", "mechanism", "value_bytes")}
    out |= {key: found.get(key) for key in ("type", "report_bytes", "alone_bytes", "planned")}
    for kind in ("unbiased", "possible"):
        errors = found[kind]
        out[kind] = rounded(root_mean_square(errors) / devices) if errors else None
    out["largest"] = rounded(largest(found["possible"]) / devices)
    out |= {key: rounded(1e6 * found[f"{key}_seconds"]) for key in ("client", "server")}
    return out


class Rivals:
    def __init__(self, out: Path) -> None:
        self.python = out / "rivals" / "bin" / "python"
        self.versions: dict[str, str] = {}
        subprocess.run([sys.executable, "-m", "venv", "--clear", out / "rivals"], check=True)
        pip = [self.python, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps"]
        subprocess.run([*pip, "-r", HERE / "builders.txt"], check=True)
        subprocess.run([*pip, "--no-build-isolation", "-r", HERE / "requirements.txt"], check=True)

    def run(self, column: Column, epsilon: str, repetitions: int) -> list[Found]:
        asked = {"column": column.numbers, "size": len(column.values), "epsilon": epsilon,
                 "repetitions": repetitions}  # fmt: skip
        command = [self.python, HERE / "rivals.py"]
        done = subprocess.run(command, check=True, capture_output=True, text=True, input=json.dumps(asked))
        answer: Found = json.loads(done.stdout)
        self.versions = answer["versions"]
        return list(answer["found"])


def shortest(ways: list[Found]) -> Found:
    enough = AS_GOOD * min(way["std_error"] for way in ways)
    return min((way for way in ways if way["std_error"] <= enough), key=lambda way: int(way["report_bytes"]))


class Sotto:
    def __init__(self, program: Path, out: Path) -> None:
        self.program, self.out = program, out
        # All of a report but its value, which is one byte here.
        self.head = self.plan("boolean", "1", 1)[0]["report_bytes"] - 1

    def call(self, *arguments: object) -> str:
        command = [str(self.program), *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def plan(self, kind: str, epsilon: str, devices: int, *more: object) -> list[Found]:
        text = self.call("plan", "--type", kind, "--epsilon", epsilon, "--devices", devices, *more,
                         "--format", "json")  # fmt: skip
        return list(json.loads(text)["alternatives"])

    def offered(self, column: Column, epsilon: str) -> list[Found]:
        """For each mechanism the way that `sotto plan` would take: the shortest report of those that are as good."""
        ways: dict[tuple[str, str], list[Found]] = {}
        for kind in COLUMNS[column.name]:
            for way in self.plan(kind, epsilon, len(column.texts), "--size", len(column.values)):
                if way["remark_kind"] != "recognises_devices":
                    ways.setdefault((kind, way["mechanism"]), []).append(way)
        return [shortest(each) for each in ways.values()]

    def run(self, way: Found, column: Column, repetitions: int) -> Found:
        registry = self.compiled(way["keys"])
        is_string = way["type"] == "string"
        rows = column.texts if is_string else [str(number) for number in column.numbers]
        labels = column.values if is_string else [str(i) for i in range(len(column.values))]
        names = self.out / "candidates.txt"
        names.write_text("\n".join(labels) + "\n", encoding="utf-8")
        with (self.out / "rows.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["it"], *([row] for row in rows)])
        found: Found = {"unbiased": [], "possible": [], "client_seconds": 0.0, "server_seconds": 0.0}
        reports, store = self.out / "reports.bin", self.out / "store"
        for seed in range(1, repetitions + 1):
            shutil.rmtree(store, ignore_errors=True)
            start = cpu_seconds()
            self.call("simulate", "--registry", registry, "--input", self.out / "rows.csv", "--map", "it=it",
                      "--seed", f"{seed:04x}", "--out", reports)  # fmt: skip
            sent = cpu_seconds()
            self.call("ingest", "--registry", registry, "--store", store, reports)
            options = ("--candidates", names) if is_string else ()
            text = self.call("estimate", "--registry", registry, "--store", store, "--format", "json", *options)
            found["server_seconds"] += cpu_seconds() - sent
            found["client_seconds"] += sent - start
            at = {str(row["value"]): row for row in json.loads(text)}
            for kind, key in (("unbiased", "estimate"), ("possible", "consistent")):
                found[kind].append([at[label][key] - count for label, count in zip(labels, column.counts)])
        answers = repetitions * len(rows)
        found |= {key: found[key] / answers for key in ("client_seconds", "server_seconds")}
        return found | {"library": OURS, "mechanism": way["mechanism"], "type": way["type"],
                        "value_bytes": way["report_bytes"] - self.head, "report_bytes": way["report_bytes"],
                        "alone_bytes": reports.stat().st_size // len(rows),
                        "planned": rounded(way["std_error"])}  # fmt: skip

    def compiled(self, keys: str) -> Path:
        (self.out / "metrics.toml").write_text(
            f'[registry]\nname = "compare"\nversion = 1\n[[metric]]\nid = 1\nname = "it"\n{keys}', encoding="utf-8")
        command = [sys.executable, ROOT / "tools" / "sotto-registry", "compile", self.out / "metrics.toml"]
        subprocess.run([*command, "--out", self.out], check=True, capture_output=True)
        return self.out / "metrics.json"


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compare(program: Path, out: Path, repetitions: int) -> Found:
    out.mkdir(parents=True, exist_ok=True)
    sotto, rivals, runs = Sotto(program, out), Rivals(out), []
    for column in read_columns():
        for epsilon in EPSILONS:
            ours = [sotto.run(way, column, repetitions) for way in sotto.offered(column, epsilon)]
            found = [*ours, *rivals.run(column, epsilon, repetitions)]
            runs.append({"column": column.name, "values": len(column.values), "devices": len(column.texts),
                         "epsilon": epsilon,
                         "found": [summary(each, len(column.texts)) for each in found]})  # fmt: skip
            print(f"{column.name}, epsilon {epsilon}", file=sys.stderr, flush=True)
    versions = {OURS: sotto.call("--version").split()[-1], **rivals.versions}
    return {"versions": versions, "repetitions": repetitions, "runs": runs}


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def cells(found: Found, of_epsilons: list[Found | None]) -> list[str]:
    name = f"`{found['mechanism']}`" if found["library"] == OURS else found["mechanism"]
    kind = ", a string" if found["type"] == "string" else ""
    sent = f"{found['report_bytes']}, {found['alone_bytes']}" if found["report_bytes"] else "-"
    errors = [percent(each and each[key]) for each in of_epsilons for key in ("unbiased", "possible")]
    return [found["library"], name + kind, *errors, str(found["value_bytes"]), sent,
            f"{found['client']:.2g}", f"{found['server']:.2g}"]  # fmt: skip


def table(runs: list[Found]) -> str:
    """A column of the data at each epsilon; the least error at the first comes first."""
    by_name = [{(f["library"], f["mechanism"], f["type"]): f for f in run["found"]} for run in runs]
    order = sorted(by_name[0].items(), key=lambda item: item[1]["possible"])
    heads = ["library", "mechanism"]
    heads += [f"ε {run['epsilon']}, {kind}" for run in runs for kind in ("unbiased", "possible")]
    heads += ["value, B", "sent, B", "client, µs", "server, µs"]
    rows = [heads, ["---", "---", *["---:"] * (len(heads) - 2)]]
    rows += [cells(found, [each.get(key) for each in by_name]) for key, found in order]
    lines = "".join("| " + " | ".join(each) + " |\n" for each in rows)
    return f"**{runs[0]['column']}**, {runs[0]['values']} values:\n\n{lines}"


def page(results: Found) -> str:
    columns: dict[str, list[Found]] = {}
    for run in results["runs"]:
        columns.setdefault(run["column"], []).append(run)
    return "\n".join(table(runs) for runs in columns.values())


def main() -> None:
    if sys.argv[1] == "--page":
        print(page(json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))), end="")
        return
    program, out = (Path(argument).resolve() for argument in sys.argv[1:3])
    results = compare(program, out, int(sys.argv[3]) if len(sys.argv) > 3 else REPETITIONS)
    (out / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(page(results), end="")


if __name__ == "__main__":
    main()
