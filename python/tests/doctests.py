# SPDX-License-Identifier: Apache-2.0
"""
Runs every example of the docstrings, in the order of their names.
"""
import doctest
import sys

import sotto
import sotto.table
from home import home


def names() -> dict:
    return {name: getattr(sotto, name) for name in sotto.__all__} | {"registry": sotto.Registry("metrics.json")}


def main() -> int:
    found = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    documented = set()
    with home():
        for module in (sotto, sotto.table):
            for test in found.find(module, module.__name__, extraglobs=names()):
                if test.examples:
                    documented.add(test.name.removeprefix("sotto.").removeprefix("table."))
                    runner.run(test)
    missing = {"Registry", "Store", "estimate", "export", "ingest", "plan", "simulate", "epsilon"} - documented
    if missing:
        print(f"without an example: {', '.join(sorted(missing))}")
    print(f"{runner.tries} examples, {runner.failures} failed")
    return 1 if missing or runner.failures or not runner.tries else 0


if __name__ == "__main__":
    sys.exit(main())
