# SPDX-License-Identifier: Apache-2.0
"""A cost above that in results.json is noticed."""
import copy
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "measure"))
import measure  # noqa: E402

CLOCK_HZ = 20e6
TICK = 50  # instructions, at a nanosecond each
BUDGET = {
    "core": 3000,
    "instructions": {"1": [12000, 40000]},
    "client": {"calls": {"close": {"instructions": 400, "stack": 100}}},
}


class Exceeded(unittest.TestCase):
    def setUp(self) -> None:
        self.now = copy.deepcopy(BUDGET)
        self.close = self.now["client"]["calls"]["close"]

    def lines(self) -> list[str]:
        return measure.exceeded(BUDGET, self.now, "board", CLOCK_HZ)

    def test_the_same_and_less_are_within(self) -> None:
        self.assertEqual(self.lines(), [])
        self.now["core"] = 1
        self.assertEqual(self.lines(), [])

    def test_a_size_has_no_slack(self) -> None:
        self.now["core"] = 3001
        self.assertEqual(self.lines(), ["board: core: 3,001 now, 3,000 in results.json"])

    def test_two_in_a_hundred_instructions_are_within_and_three_are_not(self) -> None:
        self.now["instructions"]["1"][0] = 12240
        self.assertEqual(self.lines(), [])
        self.now["instructions"]["1"][0] = 12360
        self.assertEqual(self.lines(), ["board: instructions: 1 [0]: 12,360 now, 12,000 in results.json"])

    def test_of_a_list_each(self) -> None:
        self.now["instructions"]["1"][1] = 41200
        self.assertEqual(len(self.lines()), 1)
        self.assertIn("instructions: 1 [1]: 41,200 now", self.lines()[0])

    def test_what_the_clock_counts_may_be_two_ticks_more_and_not_three(self) -> None:
        self.close["instructions"] = 400 + 2 * TICK
        self.assertEqual(self.lines(), [])
        self.close["instructions"] = 400 + 3 * TICK
        self.assertEqual(len(self.lines()), 1)

    def test_ticks_are_for_the_clock_alone(self) -> None:
        self.close["stack"] += TICK
        self.assertEqual(len(self.lines()), 1)

    def test_a_key_that_is_missing(self) -> None:
        del self.close["stack"]
        self.assertEqual(len(self.lines()), 1)
        self.assertIn("['stack']", self.lines()[0])

    def test_a_key_that_is_new(self) -> None:
        self.now["instructions"]["2"] = [1, 1]
        self.assertEqual(len(self.lines()), 1)

    def test_a_list_of_another_length(self) -> None:
        self.now["instructions"]["1"].append(1)
        with self.assertRaises(ValueError):
            self.lines()


class Goals(unittest.TestCase):
    """Limits that no new results.json can move."""

    def setUp(self) -> None:
        self.now = json.loads(measure.RESULTS.read_text(encoding="utf-8"))["microbit"]

    def test_what_was_measured_is_within(self) -> None:
        self.assertEqual(measure.above_goals(self.now), [])

    def test_a_byte_more_of_noised_sums_is_not(self) -> None:
        self.now["mechanisms"]["noised sums, whole"] = 901
        self.assertEqual(measure.above_goals(self.now), ["noised sums: 901 bytes, at most 900 are allowed"])

    def test_every_source_of_noised_sums_is_counted(self) -> None:
        """Rows of a metric's table (*_code.cpp) are in no size of the core."""
        sources = {path.stem for path in (measure.ROOT / "sdk" / "src").glob("*/*.cpp")}
        counted = {name for name in sources if name.startswith(("noised_", "modular_"))}
        beside = {name for name in counted if name.endswith("_code")} | {"noised_sum_rows"}  # the client
        self.assertEqual(counted - beside, set(measure.NOISED_SUM_SOURCES))


if __name__ == "__main__":
    unittest.main()
