# SPDX-License-Identifier: Apache-2.0
"""
Every strategy of noised sums is traced for fixed time, on boards and under valgrind. As a whole client it
lives through epochs on boards. A new strategy needs a metric in these registries.
"""
import re
import tomllib
import unittest

from support import ROOT

from registry import noised_points, noised_sum

TESTS = ROOT / "tests"
TYPES = {"counter": noised_sum.STRATEGIES, "histogram": noised_points.STRATEGIES}
STRATEGIES = {(kind, name) for kind, names in TYPES.items() for name in names}
KINDS = re.compile(r"^ *foreach\(kind ([a-z_ ]+)\)", re.MULTILINE)
LIVES = re.compile(r"^set\(sotto_lives ([a-z_ ]+)\)", re.MULTILINE)


def listed(file: str, lists: re.Pattern[str]) -> list[str]:
    """Registries that a list of a build file names."""
    text = (TESTS / file).read_text(encoding="utf-8")
    return [name for names in lists.findall(text) for name in names.split()]


def strategies_in(names: list[str]) -> set[tuple[str, str]]:
    found = set()
    for name in names:
        for metric in tomllib.loads((TESTS / f"{name}.toml").read_text(encoding="utf-8"))["metric"]:
            found.add((metric["type"], metric.get("strategy", "identity")))
    return found & STRATEGIES


def left_out(names: list[str], wanted: set[tuple[str, str]] = STRATEGIES) -> set[tuple[str, str]]:
    return wanted - strategies_in(names)


class EveryStrategy(unittest.TestCase):
    def test_is_traced_on_boards(self) -> None:
        self.assertEqual(left_out(listed("qemu/CMakeLists.txt", KINDS)), set())

    def test_is_traced_under_valgrind(self) -> None:
        self.assertEqual(left_out(listed("constant_time/CMakeLists.txt", KINDS)), set())

    def test_lives_on_boards(self) -> None:
        self.assertEqual(left_out(listed("qemu/lives.cmake", LIVES)), set())

    def test_a_list_without_a_registry_is_noticed(self) -> None:
        names = listed("qemu/CMakeLists.txt", KINDS)
        for name in ("counters", "totals", "points"):
            with self.subTest(name):
                left = [other for other in names if other != name]
                self.assertNotEqual(left_out(left), set())

    def test_a_new_strategy_is_noticed(self) -> None:
        names = listed("qemu/CMakeLists.txt", KINDS)
        new = {("counter", "new")}
        self.assertEqual(left_out(names, STRATEGIES | new), new)


class EveryMechanism(unittest.TestCase):
    """The bytes of tests/vectors/reports.txt are those of tests/mechanisms.toml, on every board."""

    def test_of_the_registry_reports_on_boards(self) -> None:
        metrics = tomllib.loads((TESTS / "mechanisms.toml").read_text(encoding="utf-8"))["metric"]
        lines = (TESTS / "vectors" / "reports.txt").read_text(encoding="utf-8").splitlines()
        self.assertEqual([int(line.split()[1]) for line in lines], [metric["id"] for metric in metrics])
        self.assertIn("exponential", {metric.get("mechanism") for metric in metrics})


if __name__ == "__main__":
    unittest.main()
