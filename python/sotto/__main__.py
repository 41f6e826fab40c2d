# SPDX-License-Identifier: Apache-2.0
"""
python -m sotto export: a store's estimates, or the noised reports of a metric, as a file with types.
"""
from __future__ import annotations

import argparse
import sys

from . import Error, Registry, Store, UsageError, export


def main(arguments: list[str] | None = None) -> int:
    program = argparse.ArgumentParser(prog="python -m sotto")
    command = program.add_subparsers(required=True).add_parser(
        "export", help="write estimates or rows as Parquet or Arrow, which needs pyarrow")  # fmt: skip
    command.add_argument("--registry", required=True, metavar="M.json")
    command.add_argument("--store", required=True, metavar="DIR")
    command.add_argument("--rows", metavar="METRIC", help="its noised reports in place of estimates")
    command.add_argument("--epoch", type=int, metavar="E", help="only this epoch")
    command.add_argument("--format", choices=("parquet", "arrow"), help="as what; else as the file's name ends")
    command.add_argument("--out", required=True, metavar="FILE", help="the file to write")
    asked = program.parse_args(arguments)
    try:
        registry, store = Registry(asked.registry), Store(asked.store)
        table = (store.rows(registry, asked.rows, epoch=asked.epoch) if asked.rows
                 else store.estimate(registry, epoch=asked.epoch))  # fmt: skip
        export(table, asked.out, asked.format)
    except (Error, ImportError, OSError) as why:
        print(f"sotto: {why}", file=sys.stderr)
        return 2 if isinstance(why, UsageError) else 3
    for remark in table.remarks:
        print(f"sotto: {remark}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
