# SPDX-License-Identifier: Apache-2.0
"""Families that sotto_stm32.h lists by their recovery have, or have not, CONDRST in RNG_CR.

The table has device lines, by the four characters behind STM32. It was read from the crate stm32-metapac
21.0.0, whose registers the project stm32-data collects from ST's SVD files and headers. Its `rng_v1` has
no CONDRST; `rng_v2`, `rng_v3` and `rng_wba6` have it as bit 30. No package of PyPI,
npm or crates.io that we found has ST's own headers. One was read: stm32g041xx.h of cmsis-device-g0, commit
1fad10e0, has no CONDRST, as the table says.
"""
import pathlib
import re
import unittest

HEADER = pathlib.Path(__file__).resolve().parents[2] / "ports" / "stm32" / "sotto_stm32.h"

WITHOUT = """
    F205 F207 F215 F217 F405 F407 F410 F412 F413 F415 F417 F423 F427 F429 F437 F439 F469 F479 F722 F723 F730
    F732 F733 F745 F746 F750 F756 F765 F767 F768 F769 F777 F778 F779 G041 G061 G081 G0C1 G431 G441 G471 G473
    G474 G483 G484 G491 G4A1 H742 H743 H745 H747 H750 H753 H755 H757 L052 L053 L062 L063 L072 L073 L082 L083
    L412 L422 L431 L432 L433 L442 L443 L451 L452 L462 L471 L475 L476 L486 L496 L4A6 L4R5 L4R7 L4R9 L4S5 L4S7
    L4S9 WB05 WB06 WB07 WB10 WB15 WB30 WB35 WB50 WB55
""".split()
WITH = """
    H503 H523 H533 H562 H563 H573 H723 H725 H730 H733 H735 H7A3 H7B0 H7B3 H7R3 H7R7 H7S3 H7S7 L4P5 L4Q5 L552
    L562 U031 U073 U083 U535 U545 U575 U585 U595 U599 U5A5 U5A9 U5F7 U5F9 U5G7 U5G9 WBA5 WBA6 WL54 WL55 WLE4
    WLE5
""".split()


def families(header: str, option: str) -> list[str]:
    """The names in the comment before an option of the header."""
    comment = header[: header.index(f"    {option} = ")].rpartition("/*")[2]
    return re.findall(r"\b[A-Z]+[0-9][0-9A-Z]*\b|\bW[BL]A?\b", comment.partition(":")[2])


def family(line: str, names: list[str]) -> str:
    """The longest name that the line begins with: WBA5 is of WBA, not of WB."""
    return max((name for name in names if line.startswith(name)), key=len, default="none")


def faults(header: str) -> list[str]:
    restart = families(header, "SOTTO_STM32_RESTART")
    reset = families(header, "SOTTO_STM32_CONDITIONING_RESET")
    names = restart + reset
    found = [f"{name} is listed twice" for name in sorted(set(names)) if names.count(name) > 1]
    for lines, listed in ((WITHOUT, restart), (WITH, reset)):
        found += [f"{line} is under {family(line, names)}" for line in lines if family(line, names) not in listed]
    used = {family(line, names) for line in WITHOUT + WITH}
    return found + [f"no device line is of {name}" for name in names if name not in used]


class Recovery(unittest.TestCase):
    def setUp(self) -> None:
        self.header = HEADER.read_text(encoding="utf-8")

    def test_families_are_those_of_the_table(self) -> None:
        self.assertEqual(faults(self.header), [])

    def test_a_wrong_family_would_be_found(self) -> None:
        for name in ("G0", "WB"):
            gone = self.header.replace(f" {name},", "", 1)
            self.assertTrue(any(fault.endswith("is under none") for fault in faults(gone)), name)
            moved = gone.replace("in RNG_CR:", f"in RNG_CR: {name},")
            self.assertTrue(any(fault.endswith(f"is under {name}") for fault in faults(moved)), name)
        for name, fault in (("G0", "G0 is listed twice"), ("U9", "no device line is of U9")):
            self.assertIn(fault, faults(self.header.replace("in RNG_CR:", f"in RNG_CR: {name},")))


if __name__ == "__main__":
    unittest.main()
