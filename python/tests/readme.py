# SPDX-License-Identifier: Apache-2.0
"""
Runs the Python of README.md, of at most 30 lines, from a report file to a chart.
"""
import re
import sys
from pathlib import Path

import matplotlib
from home import home

README = Path(__file__).resolve().parents[1] / "README.md"


def main() -> int:
    matplotlib.use("Agg")
    text = README.read_text(encoding="utf-8")
    if len(text.splitlines()) > 30:
        print("README.md has more than 30 lines")
        return 1
    code = "".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    with home() as work:
        exec(compile(code, README, "exec"), {})
        chart = work / "window_open.png"
        if not chart.is_file() or not chart.read_bytes().startswith(b"\x89PNG"):
            print("README.md makes no chart")
            return 1
    print("README.md: run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
