# SPDX-License-Identifier: Apache-2.0
"""Evaluates the stand-in's Kconfig with a module's behind it, as Zephyr does: a warning is an error.

kconfig.py KCONFIG MODULE_KCONFIG OUT CONF...   writes .config, autoconf.h and psa_want.h to OUT
"""
import os
import sys
from pathlib import Path

import kconfiglib


def evaluated(kconfig: str, module: str, confs: list[str]) -> kconfiglib.Kconfig:
    os.environ["MODULE_KCONFIG"] = module
    tree = kconfiglib.Kconfig(kconfig, warn_to_stderr=False)
    tree.warn_assign_undef = True
    tree.warn_assign_override = False
    tree.warn_assign_redun = False
    for conf in confs:
        tree.load_config(conf, replace=False)
    return tree


def assigned(symbol: kconfiglib.Symbol) -> str:
    value = symbol.user_value
    return kconfiglib.TRI_TO_STR[value] if isinstance(value, int) else value


def unmet(tree: kconfiglib.Kconfig) -> list[str]:
    """Assignments that got another value: their dependencies say no."""
    return [
        f"{symbol.name} was assigned {assigned(symbol)}, and is '{symbol.str_value}'"
        for symbol in tree.unique_defined_syms
        if symbol.user_value is not None and assigned(symbol) != symbol.str_value
    ]


def main() -> int:
    kconfig, module, out, *confs = sys.argv[1:]
    tree = evaluated(kconfig, module, confs)
    Path(out).mkdir(parents=True, exist_ok=True)
    tree.write_config(f"{out}/.config")
    tree.write_autoconf(f"{out}/autoconf.h")
    wanted = [s.name for s in tree.unique_defined_syms
              if s.name.startswith("PSA_WANT_") and s.tri_value == 2]
    Path(out, "psa_want.h").write_text("".join(f"#define {name} 1\n" for name in wanted))
    for trouble in (troubles := tree.warnings + unmet(tree)):
        print(trouble, file=sys.stderr)
    return 1 if troubles else 0


sys.exit(main())
