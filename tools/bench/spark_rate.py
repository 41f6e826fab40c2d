#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Reports a second and core, from report files to a tally file: the program, the C calls from Python,
and Spark, on the same files. All of it is processor time, and each answer has the same bytes.

spark_rate.py SOTTO [REPORTS]    prints the rows of the table in docs/SCALING.md
    Runs with the wheel and Spark, as python/tests/run.sh sets them up.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python/tests"))
from home import compile_registry
from sparks import cluster

import sotto
import sotto.spark
from sotto._sotto import Host, HostRows

ROWS = 10_000 # the table's, which is repeated
FILES = 16
PARTS = 8
METRICS = """
[registry]
name = "scale"
version = 1

[[metric]]
id = 1
name = "aircraft"
type = "string"
bits = 128
hashes = 2
cohorts = 64
permanent = [0.5]
instantaneous = [[0.25, 0.75]]
"""


def seconds_of(process: psutil.Process) -> float:
    """Processor time: the process and its children, ended ones too."""
    total = 0.0
    for each in [process, *process.children(recursive=True)]:
        try:
            times = each.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
        except psutil.NoSuchProcess:
            pass
    return total


def by_program(program: str, registry: Path, files: list[str], key: str) -> tuple[float, bytes]:
    given = ["--registry", str(registry), "--store", tempfile.mkdtemp(dir=".")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for arguments in (["ingest", *given, *(["--key", key] if key else []), *files],
                      ["tally", *given, "--out", "program.tly"]):  # fmt: skip
        subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, Path("program.tly").read_bytes()


def by_calls(registry: Path, files: list[str], key: str) -> tuple[float, bytes]:
    begin = time.process_time()
    host = Host([registry.read_text()], key)
    rows = HostRows(host, PARTS)
    for file in files:
        rows.parse(Path(file).read_bytes())
    made = host.merge([host.tally(part, PARTS, [rows.take(part)]) for part in range(PARTS)])
    return time.process_time() - begin, made


def by_spark(session, registry: Path, files: list[str], key: str) -> tuple[float, bytes]:
    read = session.read.format("binaryFile").load([str(Path(file).resolve()) for file in files])
    sotto.spark.tally(read, registry, key=key, parts=PARTS)  # compiles what is compiled at run time
    this = psutil.Process()
    before = seconds_of(this)
    made = sotto.spark.tally(read, registry, key=key, parts=PARTS)
    return seconds_of(this) - before, made.tallies


def main() -> int:
    program = str(Path(sys.argv[1]).resolve())
    reports = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000_000
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("rows.csv").write_text("name\n" + "".join(f"B{i % 900}\n" for i in range(ROWS)))
        subprocess.run([program, "keygen", "--out", "keys"], check=True, stdout=subprocess.DEVNULL)
        (public,) = Path("keys").glob("*.pub")
        registry = compile_registry(METRICS + f'[[key]]\nfile = "{public.resolve()}"\n', Path("registry"))
        print(f"{'way':<10} {'kind':<8} {'reports':>10} {'s':>8} {'reports/s':>12} {'ratio':>6}")
        with cluster(Path(folder)) as session:
            for kind, count in (("sealed", reports // 20), ("plain", reports)):
                sealed = kind == "sealed"
                repeat = max(1, count // ROWS // FILES)
                files = [f"{kind}{i}.bin" for i in range(FILES)]
                for file in files:
                    sotto.simulate(registry, "rows.csv", file, map={"aircraft": "name"}, repeat=repeat,
                                   key=public if sealed else None)  # fmt: skip
                key = str(Path("keys").resolve()) if sealed else ""
                known = FILES * ROWS * repeat
                first, expected = by_program(program, registry, files, key)
                for way, (seconds, made) in (("program", (first, expected)),
                                             ("calls", by_calls(registry, files, key)),
                                             ("spark", by_spark(session, registry, files, key))):  # fmt: skip
                    if made != expected:
                        print(f"{way}, {kind}: other tallies than the program's")
                        return 1
                    print(f"{way:<10} {kind:<8} {known:>10,} {seconds:>8.2f} {known / seconds:>12,.0f} "
                          f"{first / seconds:>6.2f}", flush=True)  # fmt: skip
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
