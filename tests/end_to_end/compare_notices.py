# SPDX-License-Identifier: Apache-2.0
"""
The example's comparison notices standard errors, of one metric at one level, and intervals that
are not what was promised.

    compare_notices.py COMPARE.py FOLDER      FOLDER is what the example's run.sh left
"""
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

COMPARE, MADE = Path(sys.argv[1]), Path(sys.argv[2])
LEVEL = "level1.json"


def said(change: Callable[[dict], None]) -> str:
    """Its standard error when every estimate is changed so."""
    with tempfile.TemporaryDirectory() as folder:
        for file in ("rows.csv", "epsilon.json", "level0.json", "level2.json"):
            shutil.copy(MADE / file, folder)
        rows = json.loads((MADE / LEVEL).read_text())
        for row in rows:
            change(row)
        Path(folder, LEVEL).write_text(json.dumps(rows))
        run = subprocess.run([sys.executable, COMPARE, folder], capture_output=True, text=True)
        if bool(run.stderr) != bool(run.returncode):
            raise SystemExit(f"exit code {run.returncode} with: {run.stderr}")
        return run.stderr


def scaled(metric: str, factor: float) -> Callable[[dict], None]:
    def change(row: dict) -> None:
        if row["metric"] == metric:
            row["std_error"] *= factor

    return change


def narrowed(row: dict) -> None:
    for end in ("ci_low", "ci_high"):
        row[end] = row["estimate"] + 0.65 * (row[end] - row["estimate"])


def main() -> int:
    failures = []
    if wrong := said(lambda row: None):
        failures.append(f"unchanged, it complains: {wrong}")
    names = [m["name"] for m in json.loads((MADE / "epsilon.json").read_text())["metrics"]]
    for name in names:
        for factor in (0.8, 1.25):
            if ", promised " not in said(scaled(name, factor)):
                failures.append(f"{name}: standard errors times {factor} are not noticed")
    if "intervals hold the truth" not in said(narrowed):
        failures.append("intervals of .65 their width are not noticed")
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{2 * len(names) + 1} wrong results looked at")
    return bool(failures) or not names


if __name__ == "__main__":
    sys.exit(main())
