# SPDX-License-Identifier: Apache-2.0
"""
With noise that repeats, every device and the host send the same bytes, for every mechanism and
level. These are the bytes of tests/vectors/reports.txt, which the aggregator must accept.

    same_bytes.py REPORTS.txt PROGRAM…             runs the program (an emulator and its firmware, or the host's)
    same_bytes.py --write REPORTS.txt PROGRAM…
"""
import subprocess
import sys
from pathlib import Path


def main() -> int:
    write = sys.argv[1] == "--write"
    file, *program = sys.argv[2 if write else 1:]
    done = subprocess.run(program, capture_output=True, text=True, timeout=1200, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        print(f"exit {done.returncode}: {done.stdout}{done.stderr}", file=sys.stderr)
        return 1
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("report ")]
    if write:
        Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 0
    expected = Path(file).read_text(encoding="utf-8").splitlines()
    for ours, theirs in zip(lines, expected):
        if ours != theirs:
            print(f"not the same bytes:\n  here     {ours}\n  expected {theirs}", file=sys.stderr)
            return 1
    if len(lines) != len(expected) or not lines:
        print(f"{len(lines)} metrics reported, {len(expected)} expected", file=sys.stderr)
        return 1
    print(f"{len(lines)} metrics, every level: the same bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
