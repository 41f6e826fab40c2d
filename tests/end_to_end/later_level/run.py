# SPDX-License-Identifier: Apache-2.0
"""
A level that nobody knew when the devices measured: a fleet of two firmwares, end to end.

    run.py SOTTO SOTTO-REGISTRY OLDER-FIRMWARE NEWER-FIRMWARE OLDER.json NEWER.json WORK_FOLDER
"""
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

DEVICES, UPDATED = 2000, 1000
TRUE = {"damage": 600.0, "speed": 3.5, "A320": 800.0, "B737": 1200.0}
LIMIT = 6.2  # standard errors: less than 1e-9 of false alarm
DAMAGE, SPEED, MODEL = 1, 2, 4


def run(*command: str, status: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, (command, done.returncode, done.stderr)
    return done


def by_hand(metric: dict[str, Any], reports: list[dict[str, Any]]) -> float:
    """The count of a boolean metric: of each release the highest level."""
    last: dict[str, dict[str, Any]] = {}
    for report in reports:
        at = last.setdefault(report["release"], report)
        last[report["release"]] = max(at, report, key=lambda r: r["level"])
    flips = []
    for level in (*metric["levels"], *metric["forward"]):
        flip = level["probabilities"]["flip"]
        flips.append(int(flip["numerator"]) / 2 ** flip["denominator_bits"])
    return sum((r["value"] - flips[r["level"]]) / (1 - 2 * flips[r["level"]]) for r in last.values())


def main() -> int:
    sotto, compiler, older_firmware, newer_firmware, older, newer = sys.argv[1:7]
    folder = Path(sys.argv[7])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    store = str(folder / "store")
    first, then = str(folder / "first.bin"), str(folder / "then.bin")

    def ingest(registry: str, file: str) -> None:
        run(sotto, "ingest", "--strict", "--registry", registry, "--store", store, file)

    def estimates(registry: str) -> dict[str, dict[str, Any]]:
        done = run(sotto, "estimate", "--registry", registry, "--store", store, "--format", "json",
                   "--candidates", str(folder / "models.txt"))  # fmt: skip
        rows = {row["value"] if row["metric"] == "model" else row["metric"]: row
                for row in json.loads(done.stdout)}  # fmt: skip
        return {name: row for name, row in rows.items() if name in TRUE}

    (folder / "models.txt").write_text("A320\nB737\n")
    run(older_firmware, str(folder / "states"), first)
    ingest(older, first)
    before = estimates(older)
    run(sotto, "tally", "--registry", older, "--store", store)  # the levels known so far

    run(newer_firmware, str(folder / "states"), then)
    done = run(sotto, "ingest", "--registry", older, "--store", store, then, status=2)
    assert "unknown registry" in done.stderr, done.stderr  # the control
    ingest(newer, then)
    pooled = estimates(newer)
    assert pooled == estimates(older), "whichever registry is asked with"
    run(sotto, "tally", "--registry", older, "--store", store)
    assert pooled == estimates(newer)
    run(sotto, "verify", "--store", store)

    assert pooled.keys() == TRUE.keys(), pooled
    for name, row in pooled.items():
        assert row["reports"] == DEVICES, (name, row)
        assert abs(row["estimate"] - TRUE[name]) <= LIMIT * row["std_error"], (name, row)
        assert row["std_error"] < 0.8 * before[name]["std_error"], (name, row, before[name])
    document = json.loads(Path(newer).read_text())
    lines = [run(sotto, "inspect", "--registry", registry, file).stdout.splitlines()
             for registry, file in ((older, first), (newer, then))]  # fmt: skip
    reports = [json.loads(line) for some in lines for line in some]
    levels = {m: sorted(r["level"] for r in reports if r["metric"] == m) for m in (DAMAGE, SPEED, MODEL)}
    assert levels[DAMAGE] == [0] * DEVICES + [1] * UPDATED + [2] * UPDATED
    assert levels[SPEED] == levels[MODEL] == [0] * DEVICES + [1] * UPDATED
    expected = by_hand(document["metrics"][0], [r for r in reports if r["metric"] == DAMAGE])
    assert abs(pooled["damage"]["estimate"] - expected) < 1e-6, (pooled["damage"], expected)

    shown = json.loads(run(sotto, "epsilon", "--registry", newer, "--format", "json").stdout)
    assert [len(m["forward"]) for m in shown["metrics"]] == [1, 1, 0, 1]
    told = run(compiler, "diff", older, newer).stdout
    assert told.count("fingerprint unchanged: reports of both are counted together") == 3, told

    # Another level in that place.
    source = Path(__file__).parent / "newer.toml"
    (folder / "other.toml").write_text(source.read_text().replace("forward = [3]", "forward = [4]"))
    run(compiler, "compile", str(folder / "other.toml"), "--out", str(folder))
    other = str(folder / "metrics.json")
    assert "refused by devices and stores" in run(compiler, "diff", newer, other, status=1).stdout
    for command in ("ingest", "estimate"):
        files = [first] if command == "ingest" else []
        done = run(sotto, command, "--registry", other, "--store", store, *files, status=2)
        assert done.stderr.count("\n") == 1 and 'level 2 of "damage"' in done.stderr, done.stderr
    print(f"{pooled['damage']['estimate']:.0f} of {TRUE['damage']:.0f}, pooled of three levels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
