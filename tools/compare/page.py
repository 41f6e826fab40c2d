#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Writes the tables and the chart of docs/CHOOSING.md: what `sotto plan` takes for some questions, and results.json.

    page.py SOTTO            writes
    page.py SOTTO --check    exit 1, with a line for each file that would be another
"""
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import compare
import figures

ROOT = compare.ROOT
PAGE = ROOT / "docs" / "CHOOSING.md"
CHART = ROOT / "docs" / "figures" / "choosing.svg"
RESULTS = compare.HERE / "results.json"
FLEET = "--devices 100000"
QUESTIONS = (
    "boolean --epsilon 1",
    "category --epsilon 1 --size 5", "category --epsilon 1 --size 40", "category --epsilon 1 --size 1000",
    "category --epsilon 4 --size 40", "category --epsilon 1 --size 5000",
    "category --epsilon 1 --size 100000",
    "set --epsilon 1 --members 6 --max-members 3",
    "string --epsilon 1 --size 100", "string --epsilon 1 --size 5000",
    "integer --epsilon 1 --min 0 --max 400", "integer --epsilon 4 --min 0 --max 400",
    "vector --epsilon 1 --min 0 --max 400 --length 2",
    "distribution --epsilon 1 --min 0 --max 400",
    "counter --epsilon 1 --window 7", "counter --epsilon 1 --window 365",
    "histogram --epsilon 1 --bins 256 --delta 1", "histogram --epsilon 1 --bins 256 --delta 8",
    "quantile --epsilon 1 --min 0 --max 1023 --bins 1024 --delta 10 --points 101 --devices 1",
)  # fmt: skip
ROWS = ("counter", "histogram")  # whose errors are events or points
END = "<!-- to here -->"


def plan(sotto: str, question: str) -> dict[str, Any]:
    asked = question if "--devices" in question else f"{question} {FLEET}"
    command = [sotto, "plan", "--type", *asked.split(), "--format", "json"]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer


def is_rows(way: dict[str, Any]) -> bool:
    return way["type"] in ROWS


def error(way: dict[str, Any]) -> str:
    return f"{way['half_width']:.3g}" if is_rows(way) else f"{100 * way['half_width']:.3g} %"


def name(way: dict[str, Any]) -> str:
    return f"`{way['mechanism']}`" + (f", {way['parameters']}" if is_rows(way) else "")


def beside(answer: dict[str, Any]) -> str:
    """The least errors of other mechanisms; of one with strategies, those of others."""
    chosen, least = answer["recommended"], {}
    for way in sorted(answer["alternatives"], key=lambda each: each["std_error"], reverse=True):
        if name(way) != name(chosen):
            least[way["parameters"] if is_rows(way) else name(way)] = error(way)
    return ", ".join(f"{each} {said}" for each, said in list(least.items())[::-1][:4]) or "-"


def answers(sotto: str) -> str:
    lines = ["| `sotto plan --type` … | take | ± | bytes | on M0 | beside it |",
             "| --- | --- | ---: | ---: | ---: | --- |"]  # fmt: skip
    for question in QUESTIONS:
        answer = plan(sotto, question)
        way = answer["recommended"]
        instructions = f"{way['instructions'] / 1000:.0f} k" if way["instructions"] else "-"
        lines.append(f"| `{question}` | {name(way)} | {error(way)} | {way['report_bytes']} | {instructions}"
                     f" | {beside(answer)} |")
    return "\n".join(lines) + "\n"


def with_block(text: str, writer: str, written: str) -> str:
    begin = f"<!-- tools/compare/{writer} writes what follows -->\n"
    before, rest = text.split(begin)
    return before + begin + written + END + rest.split(END, 1)[1]


def measured(text: str, results: dict[str, Any]) -> str:
    """The page with the tables of results.json."""
    return with_block(text, "compare.py", compare.page(results))


def files(sotto: str) -> dict[Path, str]:
    page = with_block(PAGE.read_text(encoding="utf-8"), "page.py", answers(sotto))
    return {PAGE: measured(page, json.loads(RESULTS.read_text(encoding="utf-8"))), CHART: figures.drawn(sotto)}


def main() -> int:
    sotto, is_check = sys.argv[1], sys.argv[2:] == ["--check"]
    other = {path: text for path, text in files(sotto).items()
             if not path.exists() or path.read_text(encoding="utf-8") != text}  # fmt: skip
    for path, text in other.items():
        if is_check:
            print(f"{path.name} is another now: run tools/compare/page.py SOTTO", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
    return int(is_check and bool(other))


if __name__ == "__main__":
    sys.exit(main())
