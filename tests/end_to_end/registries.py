# SPDX-License-Identifier: Apache-2.0
"""
Whatever the registry compiler writes, the program reads and simulates, and reads back what it
wrote. The registries are made at random, of every type, with up to six levels and levels above the
ladder.

    registries.py SOTTO SOTTO-REGISTRY WORK_FOLDER
"""
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

COUNT = 20
SEED = 20261121  # fixed: the test repeats


def ladder(r: random.Random, most: float = 6) -> tuple[list[float], list[float]]:
    count = r.randint(1, 6)
    rising = sorted({round(r.uniform(0.1, most), 2) for _ in range(count + 2)})
    above = r.randint(0, min(2, len(rising) - 1))
    return rising[: len(rising) - above], rising[len(rising) - above:]


def names(prefix: str, count: int) -> list[str]:
    return [f"{prefix} {i}" for i in range(count)]


def metric(r: random.Random, identifier: int, kind: str) -> tuple[list[str], str]:
    """The lines of a metric, and a cell that it can have."""
    levels, above = ladder(r)
    lines = ["[[metric]]", f"id = {identifier}", f'name = "m{identifier}"', f'type = "{kind}"']
    cell, has_forward, has_epsilons = "true", True, True
    if kind == "boolean" and r.random() < 0.3:
        levels, above, has_forward = levels[:3], [], False
        lines += ['mechanism = "laplace_threshold"', f"grid = {r.choice([3, 5, 9])}"]
    elif kind == "category":
        lines += [f"categories = {json.dumps(names('c', r.randint(2, 9)))}"]
        mechanism = r.choice(["k_randomized_response", "optimized_unary", "unary", "design"])
        lines += [f'mechanism = "{mechanism}"']
        cell = "c 1"
    elif kind == "set":
        size = r.randint(2, 9)
        lines += [f"members = {json.dumps(names('s', size))}", f"max_members = {r.randint(1, size)}"]
        mechanism = r.choice(["optimized_unary", "unary", "pad_and_sample"])
        has_forward = mechanism != "pad_and_sample"
        lines += [f'mechanism = "{mechanism}"']
        cell = "s 0"
    elif kind == "string":
        has_epsilons = has_forward = False
        f = sorted((r.choice([0.75, 0.5, 0.25, 0.125]) for _ in range(r.randint(1, 3))), reverse=True)
        f = sorted(set(f), reverse=True)
        lines += [f"bits = {r.choice([8, 40, 128])}", f"hashes = {r.randint(1, 4)}", f"cohorts = {r.randint(1, 64)}"]
        lines += [f"permanent = {f}", f"instantaneous = {[[0.25, 0.75]] * len(f)}"]
        lines += [f'protects = "{r.choice(["value", "sequence"])}"']
        if len(f) % 2:
            lines += [f"forward = {[[f[-1] / 2, 0.25, 0.75], [f[-1] / 4, 0.125, 0.75]]}"]
        cell = "anything"
    elif kind in ("integer", "mean"):
        low = r.randint(-50, 50)
        lines += [f"min = {low}", f"max = {low + r.randint(1, 60)}"]
        if kind == "mean":
            lines += [f'mechanism = "{r.choice(["one_bit_mean", "window_mean"])}"']
        cell = str(low)
    elif kind == "vector":
        has_forward = False
        length = r.randint(1, 4)
        lines += [f"length = {length}", "min = -3", "max = 5"]
        cell = "|".join(["0"] * length)
    if has_epsilons:
        lines.append(f"epsilons = {levels + ([] if has_forward else above)}")
    if has_forward and above:
        lines.append(f"forward = {above}")
    return lines, cell


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def refuses_what_is_no_flip(sotto: str, folder: Path, document: dict) -> None:
    """Permanent bits drawn forward: both channels, or else the law is not what is said."""
    for m in document["metrics"]:
        if m["type"] == "string" and m["forward"]:
            channel = m["forward"][0]["table"]["given"][1]
            channel["one_if_one"] = str(int(channel["one_if_one"]) - 1)
    (folder / "bad.json").write_text(json.dumps(document))
    command = [sotto, "epsilon", "--registry", str(folder / "bad.json")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "do not mirror each other" in done.stderr, done


def main() -> int:
    sotto, compiler, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    kinds = ["boolean", "category", "set", "string", "integer", "vector", "mean"]
    levels_seen = forward_seen = permanent_seen = 0
    for round_number in range(COUNT):
        r = random.Random(SEED + round_number)
        metrics = [metric(r, i + 1, kind) for i, kind in enumerate(kinds)]
        toml = ["[registry]", 'name = "at-random"', "version = 1"]
        for lines, _ in metrics:
            toml += lines
        (folder / "metrics.toml").write_text("\n".join(toml) + "\n")
        run(compiler, "compile", str(folder / "metrics.toml"), "--out", str(folder))
        registry = str(folder / "metrics.json")
        document = json.loads(Path(registry).read_text())
        levels_seen = max(levels_seen, *(len(m["levels"]) for m in document["metrics"]))
        forward_seen += sum(len(m["forward"]) for m in document["metrics"])
        shown = json.loads(run(sotto, "epsilon", "--registry", registry, "--format", "json"))
        assert [m["name"] for m in shown["metrics"]] == [m["name"] for m in document["metrics"]]
        header = ",".join(f"m{i + 1}" for i in range(len(metrics)))
        cells = ",".join(f'"{cell}"' for _, cell in metrics)
        (folder / "rows.csv").write_text(f"{header}\n{cells}\n{cells}\n")
        mapping = ",".join(f"m{i + 1}=m{i + 1}" for i in range(len(metrics)))
        run(sotto, "simulate", "--registry", registry, "--input", str(folder / "rows.csv"), "--map", mapping,
            "--levels", "15", "--out", str(folder / "reports.bin"))
        shutil.rmtree(folder / "store", ignore_errors=True)
        run(sotto, "ingest", "--strict", "--registry", registry, "--store", str(folder / "store"),
            str(folder / "reports.bin"))
        run(sotto, "estimate", "--registry", registry, "--store", str(folder / "store"), "--format", "json")
        if any(m["type"] == "string" and m["forward"] for m in document["metrics"]):
            permanent_seen += 1
            refuses_what_is_no_flip(sotto, folder, document)
    assert permanent_seen >= 3, permanent_seen
    assert levels_seen >= 5 and forward_seen >= 20, (levels_seen, forward_seen)
    print(f"{COUNT} registries, ladders of up to {levels_seen} levels, {forward_seen} levels above them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
