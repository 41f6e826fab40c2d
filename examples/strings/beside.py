#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The aircraft of the bird-strike data by RAPPOR, as metrics.toml has it, and by hashed response. Both
lose the same epsilon by a first report, and the same by any number of reports of one value. Both
count the same strings of the same devices among the same candidates.

    beside.py SOTTO OUT [ROUNDS]

Exit code 1 when hashed response needs more than half of the devices for the same error. Exit code 1
too when less than 93 % of the 95 % intervals of one of them hold the truth, or more than 97 %. These
are of one string each: those of the program are wider, as the largest of several are read first.
"""
import json
import math
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

from compare import prepare, rows_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HASHED = """
[[metric]]
id = 2
name = "hashed"
type = "string"
mechanism = "hashed"
epsilons = [{first}]
permanent_epsilon = {forever}
cohorts = 128
max_bytes = 32
"""


def run(*command: object) -> None:
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def compiled(text: str, out: Path) -> dict:
    (out / "metrics.toml").write_text(text)
    run(ROOT / "tools/sotto-registry", "compile", out / "metrics.toml", "--out", out)
    return json.loads((out / "metrics.json").read_text())


def rappor_toml() -> str:
    (metric,) = (m for m in tomllib.loads((HERE / "metrics.toml").read_text())["metric"] if m["name"] == "aircraft")
    keys = "\n".join(f"{key} = {json.dumps(value)}" for key, value in (metric | {"name": "rappor"}).items())
    return f'[registry]\nname = "beside"\nversion = 1\n\n[[metric]]\n{keys}\n'


def decimal_below(epsilon: str) -> str:
    return str(math.floor(float(epsilon) * 10**6) / 10**6)


def registry(out: Path) -> dict:
    """With the epsilons that are certified for RAPPOR."""
    (level,) = compiled(rappor_toml(), out)["metrics"][0]["levels"]
    both = HASHED.format(first=decimal_below(level["realised"]), forever=decimal_below(level["infinity"]))
    return compiled(rappor_toml() + both, out)


def estimates(sotto: Path, out: Path, seed: int) -> dict[str, list[dict]]:
    known = ("--registry", out / "metrics.json")
    store, reports = out / f"store{seed}", out / "reports.bin"
    run(sotto, "simulate", *known, "--input", out / "rows.csv", "--map", "rappor=aircraft,hashed=aircraft",
        "--seed", f"{seed:02x}", "--out", reports)  # fmt: skip
    run(sotto, "ingest", *known, "--store", store, reports)
    reports.unlink()
    found = {}
    for metric in ("rappor", "hashed"):
        answer = out / f"{metric}.json"
        run(sotto, "estimate", *known, "--store", store, "--metric", metric,
            "--candidates", out / "candidates.txt", "--format", "json", "--out", answer)  # fmt: skip
        found[metric] = [row for row in json.loads(answer.read_text()) if "value_kind" not in row]
        answer.unlink()
    return found


def is_covered(row: dict, truth: int) -> bool:
    return abs(row["estimate"] - truth) <= 1.96 * row["std_error"]


def main() -> int:
    sotto, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 12
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    rows = rows_of(str(ROOT / "examples/data/birdstrikes.csv"))
    prepare(rows, out)
    held = Counter(row["aircraft"] for row in rows)
    metrics = {metric["name"]: metric for metric in registry(out)["metrics"]}
    squares, covered, count = Counter(), Counter(), Counter()
    for seed in range(1, rounds + 1):
        for name, found in estimates(sotto, out, seed).items():
            count[name] += len(found)
            squares[name] += sum((row["estimate"] - held[row["value"]]) ** 2 for row in found)
            covered[name] += sum(is_covered(row, held[row["value"]]) for row in found)
    print(f"{len(rows)} devices, {count['rappor'] // rounds} candidates, {rounds} rounds")
    shares = {}
    for name, metric in metrics.items():
        level, shares[name] = metric["levels"][0], 100 * covered[name] / count[name]
        error = math.sqrt(squares[name] / count[name])
        print(f"{name}: epsilon {float(level['realised']):.4f} of a first report, {float(level['infinity']):.4f} of"
              f" one value however often; error {error:.1f} devices, {shares[name]:.1f} % of the intervals cover")
    ratio = (squares["rappor"] / count["rappor"]) / (squares["hashed"] / count["hashed"])
    print(f"for the same error RAPPOR takes {ratio:.2f} times the devices: 1,000 for {1000 / ratio:.0f}")
    return 0 if ratio >= 2 and all(93 <= share <= 97 for share in shares.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
