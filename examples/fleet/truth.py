#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The answer that each aircraft knows and never sends: 1 where there was damage, else 0.

    truth.py DATA.csv FIRST COUNT    prints the answers of COUNT rows, the first row being 1
"""

import csv
import sys


def damaged(path: str) -> list[bool]:
    with open(path, newline="", encoding="utf-8") as file:
        return [row["damage"] != "None" for row in csv.DictReader(file)]


if __name__ == "__main__":
    first, count = int(sys.argv[2]) - 1, int(sys.argv[3])
    print("".join(str(int(d)) for d in damaged(sys.argv[1])[first:first + count]))
